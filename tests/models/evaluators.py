"""Small independent readers of the exported layouts: they share no code with the exporters."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np

SINGLE = np.float32


def ranklib_scores(text: str, rows: np.ndarray) -> list[float]:
    """As RankLib: comments dropped, lines stripped and joined, children read by position."""
    lines = [line.strip() for line in text.splitlines()]
    body = "".join(line for line in lines if line and not line.startswith("##"))
    ensemble = ElementTree.fromstring(body)

    def walk(split: ElementTree.Element, row: np.ndarray) -> float:
        if split[0].tag == "output":
            return float(split[0].text)
        feature, threshold, left, right = split
        goes_left = SINGLE(row[int(feature.text) - 1]) <= SINGLE(threshold.text.strip())
        return walk(left if goes_left else right, row)

    return [
        sum(float(tree.get("weight")) * walk(tree[0], row) for tree in ensemble) for row in rows
    ]


def ranklib_linear_scores(text: str, rows: np.ndarray) -> list[float]:
    first, pairs = text.splitlines()
    assert first == "## Coordinate Ascent"
    weights = [pair.split(":") for pair in pairs.split(" ")]
    return [sum(float(row[int(number) - 1]) * float(weight) for number, weight in weights)
            for row in rows]  # fmt: skip


def xgboost_scores(text: str, rows: np.ndarray, names: list[str]) -> list[float]:
    def walk(node: dict[str, Any], row: np.ndarray) -> float:
        if "leaf" in node:
            return node["leaf"]
        value = row[names.index(node["split"])]
        if np.isnan(value):
            chosen = node["missing"]
        else:
            chosen = node["yes" if SINGLE(value) < SINGLE(node["split_condition"]) else "no"]
        assert [child["nodeid"] for child in node["children"]] == [node["yes"], node["no"]]
        [child] = [child for child in node["children"] if child["nodeid"] == chosen]
        return walk(child, row)

    return [sum(walk(tree, row) for tree in json.loads(text)) for row in rows]


def solr_scores(text: str, rows: np.ndarray) -> list[float]:
    document = json.loads(text)
    names = [feature["name"] for feature in document["features"]]
    parameters = document["params"]
    if document["class"].endswith(".LinearModel"):
        weights = [parameters["weights"][name] for name in names]
        return [sum(float(x) * w for x, w in zip(row, weights, strict=True)) for row in rows]

    def walk(node: dict[str, Any], row: np.ndarray) -> float:
        if "feature" not in node:
            return float(node["value"])
        threshold = SINGLE(node["threshold"]) + SINGLE(1e-6)
        goes_left = SINGLE(row[names.index(node["feature"])]) <= threshold
        return walk(node["left" if goes_left else "right"], row)

    return [sum(float(tree["weight"]) * walk(tree["root"], row) for tree in parameters["trees"])
            for row in rows]  # fmt: skip
