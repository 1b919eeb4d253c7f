"""Solr's model classes as we read them: single precision throughout, absent features 0."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.models.exports.tree_form import Leaf, Node, Split
from rankwise.models.hostile_json import parse_json, read_model_bytes
from rankwise.models.runtimes.runtime import Floats, OpenedExport, Score, checked_only
from rankwise.models.runtimes.single_arithmetic import (
    Singles,
    single,
    single_leaf_sums,
    single_rows,
    single_weighted_sums,
)

_SLACK = np.float32(1e-6)


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """Read a model as Solr's upload does: every feature by its name, every class by its own."""
    document = parse_json(read_model_bytes(path))
    try:
        found = [feature["name"] for feature in document["features"]]
        kind = document["class"].rsplit(".", 1)[1]
        reader = {"LinearModel": _linear, "MultipleAdditiveTreesModel": _trees,
                  "NeuralNetworkModel": _network}[kind]  # fmt: skip
        inner = reader(document, found)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise RankwiseError(f"{path} is no model that Solr reads: {error!r}") from error
    if found != list(names):
        raise RankwiseError(
            f"{path} must have the features {json.dumps(list(names)[:5])} …, in this order"
        )
    return checked_only("Solr", inner)


def _linear(document: Mapping[str, Any], names: list[str]) -> Score:
    weights = [document["params"]["weights"][name] for name in names]

    def score(rows: Floats) -> Floats:
        singles = single_rows(rows, missing_as_zero=True)
        return single_weighted_sums(singles, weights).astype(np.float64)

    return score


def _trees(document: Mapping[str, Any], names: list[str]) -> Score:
    columns = {name: number for number, name in enumerate(names)}
    trees = [_node(tree["root"], columns) for tree in document["params"]["trees"]]
    if any(float(tree["weight"]) != 1.0 for tree in document["params"]["trees"]):
        raise ValueError("trees of other weights than 1")
    add = single_leaf_sums(trees)

    def score(rows: Floats) -> Floats:
        return add(single_rows(rows, missing_as_zero=True)).astype(np.float64)

    return score


def _node(node: Mapping[str, Any], columns: Mapping[str, int]) -> Node:
    if "feature" not in node:
        return Leaf(float(single(node["value"])))
    threshold = float(single(node["threshold"]) + _SLACK)
    left, right = (_node(node[side], columns) for side in ("left", "right"))
    return Split(columns[node["feature"]], threshold, False, left, right)


def _network(document: Mapping[str, Any], names: list[str]) -> Score:
    scaling = [feature["norm"]["params"] for feature in document["features"]]
    means = np.array([single(one["avg"]) for one in scaling], dtype=np.float32)
    scales = np.array([single(one["std"]) for one in scaling], dtype=np.float32)
    layers = document["params"]["layers"]

    def score(rows: Floats) -> Floats:
        with np.errstate(over="ignore", invalid="ignore"):
            values: Singles = (single_rows(rows, missing_as_zero=True) - means) / scales
            for layer in layers:
                totals = [
                    single_weighted_sums(values, weights, bias)
                    for weights, bias in zip(layer["matrix"], layer["bias"], strict=True)
                ]
                values = _activated(np.column_stack(totals), layer["activation"])
        return values[:, 0].astype(np.float64)

    return score


def _activated(totals: Singles, activation: str) -> Singles:
    """Solr computes these in double precision and rounds."""
    if activation == "identity":
        return totals
    if activation == "relu":
        return np.where(totals < 0, np.float32(0.0), totals)
    wide = totals.astype(np.float64)
    found = np.tanh(wide) if activation == "tanh" else 1.0 / (1.0 + np.exp(-wide))
    return found.astype(np.float32)
