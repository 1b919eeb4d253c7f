"""Feature definitions for targets that have no form of their own for them: numbers and names."""

from __future__ import annotations

from rankwise.models.exports.target import Defined, EngineNames
from rankwise.models.model_file import ModelFile


def plain_definitions(file: ModelFile, names: EngineNames) -> Defined:
    """The features in the order in which the exported model takes them, from 1."""
    return [{"number": number, "name": name} for number, name in enumerate(file.names, 1)], []
