"""Arithmetic as engines in Java do it with `float`: every value and every sum rounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.models.exports.tree_form import Node, flatten
from rankwise.rankers.scorers.trees import Trees

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
_NULL_BY_SIDE = 2


def single_rows(rows: Floats, *, missing_as_zero: bool) -> Singles:
    """Features as an engine receives them; what is too large for single precision is infinite."""
    with np.errstate(over="ignore"):
        found = rows.astype(np.float32)
    return np.where(np.isnan(found), np.float32(0.0), found) if missing_as_zero else found


def single(value: Any) -> np.float32:
    """A number of a file as an engine holds it."""
    with np.errstate(over="ignore"):
        return np.float32(value)


def single_weighted_sums(rows: Singles, weights: Sequence[float], start: float = 0.0) -> Singles:
    """start + w_1 x_1 + w_2 x_2 + …, rounded after every product and sum."""
    total = np.full(len(rows), single(start))
    with np.errstate(over="ignore", invalid="ignore"):
        for column, weight in enumerate(weights):
            total = total + rows[:, column] * single(weight)
    return total


def single_leaf_sums(trees: Sequence[Node]) -> Callable[[Singles], Singles]:
    """The function that adds up the leaves that rows reach, rounded after every sum.

    Thresholds are single precision numbers already, so that comparing doubles is comparing them.
    """
    walked = [_walkable(tree) for tree in trees]

    def add(rows: Singles) -> Singles:
        features = rows.astype(np.float64)
        total = np.zeros(len(rows), dtype=np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for tree in walked:
                total = total + tree.score(features).astype(np.float32)
        return total

    return add


def _walkable(tree: Node) -> Trees:
    flat = flatten(tree)
    inner = len(flat.splits)
    columns = [split.column for split in flat.splits]
    return Trees(
        columns=np.array(columns, dtype=np.int64),
        thresholds=np.array([split.threshold for split in flat.splits], dtype=np.float64),
        missing=np.full(inner, _NULL_BY_SIDE, dtype=np.int64),
        missing_left=np.array([split.null_left for split in flat.splits], dtype=np.int64),
        left=np.array(flat.left, dtype=np.int64),
        right=np.array(flat.right, dtype=np.int64),
        gains=np.zeros(inner),
        roots=np.array([0 if inner else -1], dtype=np.int64),
        values=np.array(flat.values, dtype=np.float64),
        width=max(columns, default=0) + 1,
    )
