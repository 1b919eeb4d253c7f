"""Pareto fronts: methods that no other method beats in both accuracy and certainty.

Accuracy is the Normalized Winning Number; certainty is the number of data sets or the Ideal
Winning Number (Tax, Bockting and Hiemstra 2015, section 4).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.winning_numbers import WinningNumber
from rankwise.errors import RankwiseError

Certainty = Literal["datasets", "iwn"]
Dominance = Literal["weak", "strict"]
CERTAINTIES: tuple[Certainty, ...] = ("datasets", "iwn")
DOMINANCE_RULES: tuple[Dominance, ...] = ("weak", "strict")


def find_pareto_ranks(
    points: Sequence[WinningNumber], axis: Certainty, dominance: Dominance = "weak"
) -> dict[str, int]:
    """Each method's Pareto rank: 1 plus the number of methods that dominate it.

    Rank 1 is the front. Rank 2 are the methods dominated by exactly one other, the paper's
    "Rank-2 Pareto optima"; this is not the second layer found by peeling the first one off.

    `strict`: b dominates a when b is higher on both axes, as the paper words it. `weak`: when b is
    at least as high on both and higher on one, which is what the paper's lists of methods follow.
    """
    if axis not in CERTAINTIES:
        raise RankwiseError(f"the axis must be one of {', '.join(CERTAINTIES)}; found {axis!r}")
    if dominance not in DOMINANCE_RULES:
        raise RankwiseError(
            f"the dominance rule must be one of {', '.join(DOMINANCE_RULES)}; found {dominance!r}"
        )
    places = [(getattr(point, axis), point.nwn) for point in points]
    counts = count_dominators(places, dominance)
    return {point.method: 1 + count for point, count in zip(points, counts, strict=True)}


def count_dominators(places: Sequence[tuple[float, float]], dominance: Dominance) -> list[int]:
    """For each place the number of places that dominate it, in O(n log n).

    Sweeps from the highest first coordinate down, keeping how many of each second coordinate were
    passed. Equal places do not dominate each other under either rule.
    """
    levels = sorted({second for _, second in places})
    passed = _Tally(len(levels))
    counts = [0] * len(places)
    downwards = sorted(range(len(places)), key=lambda i: places[i], reverse=True)
    for _, same_first in groupby(downwards, key=lambda i: places[i][0]):
        group = list(same_first)
        if dominance == "strict":
            for i in group:
                counts[i] = passed.above(bisect_left(levels, places[i][1]))
            for i in group:
                passed.add(bisect_left(levels, places[i][1]))
            continue
        for _, equals in groupby(group, key=lambda i: places[i][1]):
            twins = list(equals)
            level = bisect_left(levels, places[twins[0]][1])
            for i in twins:
                counts[i] = passed.above(level - 1)
            for _ in twins:
                passed.add(level)
    return counts


def find_front(
    first: NDArray[np.float64], second: NDArray[np.float64], dominance: Dominance
) -> NDArray[np.bool_]:
    """Whether no place dominates each place: `count_dominators` = 0, vectorised for resampling."""
    order = np.lexsort((second, first))[::-1]
    highest = np.maximum.accumulate(second[order])
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = first[order][1:] != first[order][:-1]
    start = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
    # What lies strictly to the right ends just before the run of the same first coordinate.
    beyond = np.where(start > 0, highest[start - 1], -np.inf)
    if dominance == "strict":
        free = second[order] >= beyond
    else:
        free = (second[order] > beyond) & (second[order] == second[order][start])
    found = np.empty(len(order), dtype=bool)
    found[order] = free
    return found


class _Tally:
    """Counts per level with sums over all higher levels in O(log n): a binary indexed tree."""

    def __init__(self, levels: int) -> None:
        self._sums = [0] * (levels + 1)

    def add(self, level: int) -> None:
        """Count one more at `level`."""
        node = len(self._sums) - 1 - level
        while node < len(self._sums):
            self._sums[node] += 1
            node += node & -node

    def above(self, level: int) -> int:
        """How many were counted at levels higher than `level`."""
        node = len(self._sums) - 2 - level
        total = 0
        while node > 0:
            total += self._sums[node]
            node -= node & -node
        return total
