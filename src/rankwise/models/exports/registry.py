"""Every export layout in one list; commands and documents derive from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.models.exports.linear import linear_json, ranklib_linear, solr_linear
from rankwise.models.exports.trees import ranklib_trees, solr_trees, xgboost_trees
from rankwise.models.model_file import ModelFile


@dataclass(frozen=True)
class Export:
    """The text for the other tool, and what to know where it is not exact."""

    text: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExportFormat:
    """One layout: its name, who reads it, and how each kind of scorer is written in it."""

    name: str
    readers: str
    writers: dict[str, Callable[[ModelFile], tuple[str, list[str]]]]


EXPORTS = (
    ExportFormat(
        "ranklib",
        "RankLib, Elasticsearch and OpenSearch plug-ins (model/ranklib)",
        {"linear": ranklib_linear, "trees": ranklib_trees, "stumps": ranklib_trees},
    ),
    ExportFormat(
        "linear-json",
        "Elasticsearch and OpenSearch plug-ins (model/linear)",
        {"linear": linear_json},
    ),
    ExportFormat(
        "xgboost-json",
        "Elasticsearch and OpenSearch plug-ins (model/xgboost+json), readers of XGBoost dumps",
        {"trees": xgboost_trees, "stumps": xgboost_trees},
    ),
    ExportFormat(
        "solr",
        "Solr's learning-to-rank module",
        {"linear": solr_linear, "trees": solr_trees, "stumps": solr_trees},
    ),
)


def exports_of(kind: str) -> tuple[str, ...]:
    """The layouts that a kind of scorer can be written in."""
    return tuple(layout.name for layout in EXPORTS if kind in layout.writers)


def export(file: ModelFile, layout: str) -> Export:
    """The model in another tool's layout; a RankwiseError where there is no exact way."""
    found = next((one for one in EXPORTS if one.name == layout), None)
    if found is None:
        known = ", ".join(one.name for one in EXPORTS)
        raise RankwiseError(f"there is no export layout {layout!r}; known are {known}")
    kind = file.model.scorer.kind
    if kind not in found.writers:
        possible = ", ".join(exports_of(kind)) or "none"
        raise RankwiseError(
            f"a model of the kind {kind!r} cannot be written as {layout}; possible are: {possible}"
        )
    if len(set(file.names)) < len(file.names):
        raise RankwiseError("the features of an exported model must have different names")
    text, remarks = found.writers[kind](file)
    return Export(text, tuple(remarks))
