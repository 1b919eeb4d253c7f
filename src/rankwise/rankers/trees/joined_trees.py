"""Sums of trees joined into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.rankers.scorers.trees import Trees


def average_trees(forests: Sequence[Trees]) -> Trees:
    """The mean of sums of trees as one sum of trees; each must be a sum, with divisor 1."""
    return join_trees(forests, float(len(forests)))


def join_trees(forests: Sequence[Trees], divisor: float = 1.0) -> Trees:
    """All trees of some sums one after the other, their sum divided by `divisor`."""
    if any(one.divisor != 1.0 for one in forests):
        raise ValueError("only sums of trees can be averaged by joining them")
    nodes = np.cumsum([0, *(len(one.columns) for one in forests)])
    leaves = np.cumsum([0, *(len(one.values) for one in forests)])

    def placed(name: str) -> Any:
        """Children counted from the first node or leaf of all forests."""
        children = [getattr(one, name) for one in forests]
        moved = [
            np.where(one >= 0, one + node, one - leaf)
            for one, node, leaf in zip(children, nodes, leaves, strict=False)
        ]
        return np.concatenate(moved)

    def beside(name: str) -> Any:
        return np.concatenate([getattr(one, name) for one in forests])

    return Trees(
        columns=beside("columns"),
        thresholds=beside("thresholds"),
        missing=beside("missing"),
        missing_left=beside("missing_left"),
        left=placed("left"),
        right=placed("right"),
        gains=beside("gains"),
        roots=placed("roots"),
        values=beside("values"),
        width=forests[0].width,
        divisor=divisor,
        **_categories(forests),
    )


def _categories(forests: Sequence[Trees]) -> dict[str, Any]:
    """Those of all nodes, where some forest has any."""
    if not any(one.has_categories for one in forests):
        return {}
    counts = [
        one.category_counts if one.has_categories else np.zeros(len(one.columns), dtype=np.int64)
        for one in forests
    ]
    return {
        "category_counts": np.concatenate(counts),
        "categories": np.concatenate([one.categories for one in forests]),
    }
