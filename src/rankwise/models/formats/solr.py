"""Solr's learning-to-rank module: its model classes, and the features of its feature store.

What was written is scored by Solr's model classes as we read them: single precision throughout,
absent features 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.models.formats.engine_features import OF, define, field_of
from rankwise.models.formats.format import (
    Content,
    Defined,
    EngineNames,
    Floats,
    OpenedExport,
    Score,
    checked_only,
)
from rankwise.models.formats.linear_json import (
    SINGLE_WEIGHTS,
    intercept_remarks,
    pretty_json,
    weights_by_name,
)
from rankwise.models.formats.tree_nodes import (
    SINGLE_TREES,
    Leaf,
    Node,
    Singles,
    Split,
    additive_trees,
    null_remarks,
    single,
    single_at_most,
    single_leaf_sums,
    single_rows,
    single_weighted_sums,
    splits_of,
)
from rankwise.models.model_file import ModelFile, parse_json, read_model_bytes
from rankwise.models.scorers.networks import Network

_PACKAGE = "org.apache.solr.ltr"
# What can stand in a query as it is.
_FIELD = re.compile(r"[^\W\d][\w.-]*")
# What Solr adds to every threshold it reads.
_SLACK = np.float32(1e-6)


def write_linear(file: ModelFile, names: EngineNames) -> Content:
    """Solr's LinearModel; all features must stand in its feature store under these names."""
    document = _model(file, names, "LinearModel", {"weights": weights_by_name(file)})
    return pretty_json(document), [*intercept_remarks(file), SINGLE_WEIGHTS]


def write_trees(file: ModelFile, names: EngineNames) -> Content:
    """Solr's MultipleAdditiveTreesModel.

    Solr adds 1e-6 to every threshold; the thresholds written here are such that the sum, in single
    precision, is the one that is meant. Where no number gives that sum, the nearest below is taken
    and a remark counts them.
    """
    trees = additive_trees(file.model.scorer)
    written = [{"weight": "1", "root": _write_node(tree, file.names)} for tree in trees]
    document = _model(file, names, "MultipleAdditiveTreesModel", {"trees": written})
    remarks = [SINGLE_TREES, *null_remarks(trees, "Solr"), *_slack_remarks(trees)]
    return pretty_json(document), remarks


def write_network(file: ModelFile, names: EngineNames) -> Content:
    """Solr's NeuralNetworkModel, its inputs standardised by StandardNormalizer."""
    network = file.model.scorer
    if not isinstance(network, Network):
        raise RankwiseError(f"a network is needed for this, found {network.kind}")
    layers = network.layers()
    activations = [network.activation] * (len(layers) - 1) + ["identity"]
    written = [
        {"matrix": weights.tolist(), "bias": biases.tolist(), "activation": activation}
        for (weights, biases), activation in zip(layers, activations, strict=True)
    ]
    document = _model(file, names, "NeuralNetworkModel", {"layers": written})
    scalings = zip(document["features"], network.means.tolist(), network.scales.tolist(),
                   strict=True)  # fmt: skip
    for feature, mean, scale in scalings:
        parameters = {"avg": repr(mean), "std": repr(scale)}
        feature["norm"] = {"class": f"{_PACKAGE}.norm.StandardNormalizer", "params": parameters}
    null = "Solr knows no NULL: fill NULL features before it sees them"
    return pretty_json(document), [SINGLE_WEIGHTS, null]


def define_features(file: ModelFile, names: EngineNames) -> Defined:
    """The features for the feature store: BM25 of fields, their lengths, values of fields.

    The request gives the words of the query as `efi.keywords`.
    """
    return define(file.names, partial(_feature, _store(names)), "Solr")


def _feature(store: dict[str, str], name: str) -> dict[str, Any] | None:
    own_field = field_of(name)
    what, _, field = name.partition(OF)
    if own_field is not None and _FIELD.fullmatch(own_field):
        kind, parameters = "FieldValueFeature", {"field": own_field}
    elif not _FIELD.fullmatch(field):
        return None
    elif what == "bm25":
        query = f"{{!dismax qf={field} mm=1}}${{keywords}}"
        kind, parameters = "SolrFeature", {"q": query}
    elif what == "length":
        kind, parameters = "FieldLengthFeature", {"field": field}
    else:
        return None
    return {**store, "name": name, "class": f"{_PACKAGE}.feature.{kind}", "params": parameters}


def _model(
    file: ModelFile, names: EngineNames, kind: str, parameters: dict[str, Any]
) -> dict[str, Any]:
    return {
        **_store(names),
        "class": f"{_PACKAGE}.model.{kind}",
        "name": names.model,
        "features": [{"name": name} for name in file.names],
        "params": parameters,
    }


def _store(names: EngineNames) -> dict[str, str]:
    """Without one Solr takes its default store."""
    return {} if names.store is None else {"store": names.store}


def _write_node(node: Node, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(node, Leaf):
        return {"value": repr(node.value)}
    return {
        "feature": names[node.column],
        "threshold": repr(before_slack(single_at_most(node.threshold))),
        "left": _write_node(node.left, names),
        "right": _write_node(node.right, names),
    }


def before_slack(wanted: float) -> float:
    """A single precision t whose sum with Solr's slack is `wanted`, else the largest below it."""
    target = np.float32(wanted)
    candidate = np.float32(target - _SLACK)
    while candidate + _SLACK > target:
        candidate = np.nextafter(candidate, np.float32(-np.inf))
    # Off by a step or two at most: where the two are near each other the subtraction is exact.
    while candidate + _SLACK < target:
        after = np.nextafter(candidate, np.float32(np.inf))
        if after + _SLACK > target:
            break
        candidate = after
    return float(candidate)


def _slack_remarks(trees: Sequence[Node]) -> list[str]:
    thresholds = [single_at_most(split.threshold) for split in splits_of(trees)]
    gaps = [one - float(np.float32(before_slack(one)) + _SLACK) for one in thresholds]
    missed = sum(gap > 0.0 for gap in gaps)
    if not missed:
        return []
    return [
        f"Solr adds 1e-6 to thresholds: {missed} of {len(gaps)} end up below what is meant, by at "
        f"most {max(gaps):.1e}"
    ]


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """Read a model as Solr's upload does: every feature by its name, every class by its own."""
    document = parse_json(read_model_bytes(path))
    try:
        found = [feature["name"] for feature in document["features"]]
        kind = document["class"].rsplit(".", 1)[1]
        reader = {"LinearModel": _score_linear, "MultipleAdditiveTreesModel": _score_trees,
                  "NeuralNetworkModel": _score_network}[kind]  # fmt: skip
        inner = reader(document, found)
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise RankwiseError(f"{path} is no model that Solr reads: {error!r}") from error
    if found != list(names):
        raise RankwiseError(
            f"{path} must have the features {json.dumps(list(names)[:5])} …, in this order"
        )
    return checked_only("Solr", inner)


def _score_linear(document: Mapping[str, Any], names: list[str]) -> Score:
    weights = [document["params"]["weights"][name] for name in names]

    def score(rows: Floats) -> Floats:
        singles = single_rows(rows, missing_as_zero=True)
        return single_weighted_sums(singles, weights).astype(np.float64)

    return score


def _score_trees(document: Mapping[str, Any], names: list[str]) -> Score:
    columns = {name: number for number, name in enumerate(names)}
    trees = [_read_node(tree["root"], columns) for tree in document["params"]["trees"]]
    if any(float(tree["weight"]) != 1.0 for tree in document["params"]["trees"]):
        raise ValueError("trees of other weights than 1")
    add = single_leaf_sums(trees)

    def score(rows: Floats) -> Floats:
        return add(single_rows(rows, missing_as_zero=True)).astype(np.float64)

    return score


def _read_node(node: Mapping[str, Any], columns: Mapping[str, int]) -> Node:
    if "feature" not in node:
        return Leaf(float(single(node["value"])))
    threshold = float(single(node["threshold"]) + _SLACK)
    left, right = (_read_node(node[side], columns) for side in ("left", "right"))
    return Split(columns[node["feature"]], threshold, False, left, right)


def _score_network(document: Mapping[str, Any], names: list[str]) -> Score:
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
