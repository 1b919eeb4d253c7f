"""Linear models as `{feature: weight}`: what the search engines' plug-ins call model/linear."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.models.formats.format import Content, EngineNames
from rankwise.models.model_file import ModelFile
from rankwise.models.scorers.linear import Linear

SINGLE_WEIGHTS = (
    "weights and features are held in single precision there, so that scores agree to about seven "
    "digits"
)


def write_linear(file: ModelFile, names: EngineNames) -> Content:
    """`{feature: weight}`; the intercept, which moves no document, is left out."""
    return pretty_json(weights_by_name(file)), [*intercept_remarks(file), SINGLE_WEIGHTS]


def weights_by_name(file: ModelFile) -> dict[str, float]:
    """The weight of every feature."""
    return dict(zip(file.names, linear_of(file).weights.tolist(), strict=True))


def intercept_remarks(file: ModelFile) -> list[str]:
    """What is said where an intercept is left out."""
    intercept = linear_of(file).intercept
    if intercept == 0.0:
        return []
    return [f"the intercept {intercept!r} is left out: scores are lower by it, the order is equal"]


def linear_of(file: ModelFile) -> Linear:
    """The scorer of a linear model."""
    scorer = file.model.scorer
    if not isinstance(scorer, Linear):
        raise RankwiseError(f"a linear model is needed for this, found {scorer.kind}")
    return scorer


def pretty_json(document: Mapping[str, Any] | list[Any]) -> str:
    """A JSON document for people to look into."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
