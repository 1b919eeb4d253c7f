"""The trees of ONNX graphs, in the two operators that there are for them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from rankwise.models.exports.forest_tables import NULL_LEFT, Forest
from rankwise.models.exports.single_precision import single_at_most

_DOMAIN = "ai.onnx.ml"
_LESS_OR_EQUAL, _SUM, _NO_TRANSFORM = 0, 1, 0


class Parts(Protocol):
    """A graph that nodes are added to."""

    def step(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """One more node, and the name of what it gives."""


def add_ensemble(parts: Parts, features: str, forest: Forest, output: str) -> str:
    """TreeEnsemble of ai.onnx.ml 5, in double precision: nodes and leaves in separate lists."""
    from onnx import numpy_helper

    tables = forest.tables
    columns, rules = list(tables.columns), list(tables.rules)
    thresholds = list(tables.thresholds)
    left, right, roots = list(tables.left), list(tables.right), list(tables.roots)
    targets = _leaf_targets(forest)
    leaves = list(tables.leaves) or [0.0]
    for number, root in enumerate(roots or [-1]):
        # Every tree begins with a node: one that is a leaf gets a node that leads there both ways.
        if root < 0:
            roots[number : number + 1] = [len(columns)]
            columns.append(0)
            thresholds.append(0.0)
            rules.append(0)
            left.append(root)
            right.append(root)
    return parts.step(
        "TreeEnsemble", [features], output,
        domain=_DOMAIN,
        n_targets=len(forest.ends),
        aggregate_function=_SUM,
        post_transform=_NO_TRANSFORM,
        tree_roots=roots,
        nodes_featureids=columns,
        nodes_modes=numpy_helper.from_array(np.full(len(columns), _LESS_OR_EQUAL, np.uint8)),
        nodes_splits=numpy_helper.from_array(np.array(thresholds, np.float64)),
        nodes_missing_value_tracks_true=[rule & NULL_LEFT for rule in rules],
        nodes_truenodeids=[child if child >= 0 else -1 - child for child in left],
        nodes_trueleafs=[int(child < 0) for child in left],
        nodes_falsenodeids=[child if child >= 0 else -1 - child for child in right],
        nodes_falseleafs=[int(child < 0) for child in right],
        leaf_targetids=targets or [0],
        leaf_weights=numpy_helper.from_array(np.array(leaves, np.float64)),
    )  # fmt: skip


def add_regressor(parts: Parts, features: str, forest: Forest, output: str) -> str:
    """TreeEnsembleRegressor of ai.onnx.ml 1, in single precision: nodes numbered tree by tree."""
    nodes: dict[str, list[Any]] = {name: [] for name in _NODE_LISTS}
    leaves: dict[str, list[Any]] = {name: [] for name in _LEAF_LISTS}
    tree = 0
    for target, (first, end) in enumerate(pairwise((0, *forest.ends))):
        for root in forest.tables.roots[first:end]:
            _number_tree(forest, root, tree, target, nodes, leaves)
            tree += 1
    if not tree:
        _add_leaf(nodes, leaves, 0, 0, 0, 0.0)
    return parts.step(
        "TreeEnsembleRegressor", [features], output,
        domain=_DOMAIN, n_targets=len(forest.ends), aggregate_function="SUM",
        post_transform="NONE", **nodes, **leaves,
    )  # fmt: skip


_NODE_LISTS = ("nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes",
               "nodes_truenodeids", "nodes_falsenodeids",
               "nodes_missing_value_tracks_true")  # fmt: skip
_LEAF_LISTS = ("target_treeids", "target_nodeids", "target_ids", "target_weights")


def _number_tree(
    forest: Forest, root: int, tree: int, target: int,
    nodes: dict[str, list[Any]], leaves: dict[str, list[Any]],
) -> None:  # fmt: skip
    """Nodes and leaves of a tree have one numbering, in the order in which they are met."""
    tables = forest.tables
    waiting, count = [(root, 0)], 1
    while waiting:
        child, number = waiting.pop(0)
        if child < 0:
            _add_leaf(nodes, leaves, tree, number, target, tables.leaves[-1 - child])
            continue
        values = (tree, number, tables.columns[child], single_at_most(tables.thresholds[child]),
                  "BRANCH_LEQ", count, count + 1, tables.rules[child] & NULL_LEFT)  # fmt: skip
        for name, value in zip(_NODE_LISTS, values, strict=True):
            nodes[name].append(value)
        waiting += [(tables.left[child], count), (tables.right[child], count + 1)]
        count += 2


def _add_leaf(
    nodes: dict[str, list[Any]], leaves: dict[str, list[Any]],
    tree: int, number: int, target: int, value: float,
) -> None:  # fmt: skip
    for name, one in zip(_NODE_LISTS, (tree, number, 0, 0.0, "LEAF", 0, 0, 0), strict=True):
        nodes[name].append(one)
    for name, one in zip(_LEAF_LISTS, (tree, number, target, value), strict=True):
        leaves[name].append(one)


def _leaf_targets(forest: Forest) -> list[int]:
    """The sum that each leaf belongs to: leaves lie tree by tree."""
    targets = [0] * len(forest.tables.leaves)
    for target, (first, end) in enumerate(pairwise((0, *forest.ends))):
        waiting = list(forest.tables.roots[first:end])
        while waiting:
            child = waiting.pop()
            if child < 0:
                targets[-1 - child] = target
            else:
                waiting += [forest.tables.left[child], forest.tables.right[child]]
    return targets
