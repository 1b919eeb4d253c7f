"""A model file written for another tool."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rankwise.data.feature_names import read_feature_names
from rankwise.files import write_text
from rankwise.models.exports.registry import Export, export
from rankwise.models.model_file import ModelFile, read_model_file


def export_file(
    model: str | Path,
    layout: str,
    output: str | Path,
    *,
    feature_names: str | Path | None = None,
) -> Export:
    """Write the model of a file in another tool's layout, and give what was written.

    `feature_names` is a file with a name a line, as the other tool knows the features.
    """
    found = read_model_file(model)
    if feature_names is not None:
        names = read_feature_names(feature_names, found.model.scorer.n_features)
        renamed = replace(found.model, feature_names=names)
        found = ModelFile(renamed, found.paper, found.rankwise_version)
    exported = export(found, layout)
    write_text(output, exported.text)
    return exported
