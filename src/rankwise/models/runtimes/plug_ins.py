"""The plug-ins of Elasticsearch and OpenSearch as we read them: single precision throughout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.models.exports.tree_form import Leaf, Node, Split
from rankwise.models.hostile_json import parse_json, read_model_bytes
from rankwise.models.runtimes.runtime import Floats, OpenedExport, Score, checked_only
from rankwise.models.runtimes.single_arithmetic import (
    single,
    single_leaf_sums,
    single_rows,
    single_weighted_sums,
)


def open_linear(path: Path, names: Sequence[str]) -> OpenedExport:
    """A definition of the type model/linear."""
    weights = parse_json(read_model_bytes(path))
    return checked_only("a search engine", _read(path, _linear, weights, names, True))


def open_dump(path: Path, names: Sequence[str]) -> OpenedExport:
    """A dump of XGBoost, as the plug-in of Elasticsearch reads it."""
    dump = parse_json(read_model_bytes(path))
    return checked_only("a search engine", _read(path, _trees, dump, names, True))


def open_elasticsearch(path: Path, names: Sequence[str]) -> OpenedExport:
    """The body of `_createmodel`; absent features are 0."""
    return _open_body(path, names, "Elasticsearch", missing_as_zero=True)


def open_opensearch(path: Path, names: Sequence[str]) -> OpenedExport:
    """The body of `_createmodel`; absent features go where trees say."""
    return _open_body(path, names, "OpenSearch", missing_as_zero=False)


def _open_body(
    path: Path, names: Sequence[str], engine: str, *, missing_as_zero: bool
) -> OpenedExport:
    try:
        model = parse_json(read_model_bytes(path))["model"]["model"]
        definition = parse_json(model["definition"])
        if model["type"] == "model/linear":
            return checked_only(engine, _read(path, _linear, definition, names, True))
        trees = definition["splits"]
    except (KeyError, TypeError) as error:
        raise RankwiseError(f"{path} is no body of _createmodel: {error!r}") from error
    return checked_only(engine, _read(path, _trees, trees, names, missing_as_zero))


def _read(path: Path, reader: Any, definition: Any, names: Sequence[str], zero: bool) -> Score:
    try:
        score: Score = reader(definition, names, zero)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise RankwiseError(f"{path} is no definition that plug-ins read: {error!r}") from error
    return score


def _linear(weights: Mapping[str, float], names: Sequence[str], zero: bool) -> Score:
    ordered = [weights[name] for name in names]

    def score(rows: Floats) -> Floats:
        singles = single_rows(rows, missing_as_zero=zero)
        return single_weighted_sums(singles, ordered).astype(np.float64)

    return score


def _trees(trees: Sequence[Mapping[str, Any]], names: Sequence[str], zero: bool) -> Score:
    columns = {name: number for number, name in enumerate(names)}
    add = single_leaf_sums([_node(tree, columns) for tree in trees])

    def score(rows: Floats) -> Floats:
        return add(single_rows(rows, missing_as_zero=zero)).astype(np.float64)

    return score


def _node(node: Mapping[str, Any], columns: Mapping[str, int]) -> Node:
    """`yes` where x < split_condition, which for single precision x is x ≤ the number before it."""
    if "leaf" in node:
        return Leaf(float(single(node["leaf"])))
    yes, no = node["children"]
    if [yes["nodeid"], no["nodeid"]] != [node["yes"], node["no"]]:
        raise ValueError("children that do not stand in the order of yes and no")
    threshold = np.nextafter(single(node["split_condition"]), np.float32(-np.inf))
    null_left = node["missing"] == node["yes"]
    left, right = _node(yes, columns), _node(no, columns)
    return Split(columns[node["split"]], float(threshold), null_left, left, right)
