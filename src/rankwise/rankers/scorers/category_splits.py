"""Splits by categories as splits by thresholds, which decide alike for every number.

LightGBM cuts off what follows the decimal point and looks the whole number up: category 0 is
−1 < x < 1, category c > 0 is c ≤ x < c + 1; all else, NULL too, goes right. Neighbouring categories
are one interval. Its ends are thresholds: x < c is x ≤ the number before c.

    {2, 3, 7}:   x < 2 right   x < 4 left   x < 7 right   x < 8 left   else right

These are searched by halves, so that a node of m intervals becomes 2m nodes, of which a document
meets 1 + log2(2m) at most. NULL goes to the last interval, which is never a category's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rankwise.rankers.scorers.trees import Trees

_NULL_BY_SIDE = 2


def by_thresholds(trees: Trees) -> dict[str, Any]:
    """The attributes of trees in which every node with categories is a search among thresholds.

    Children still come after their parents; those of such a node have several.
    """
    ends = [interval_ends(categories) for categories in trees.node_categories()]
    sizes = np.array([max(1, len(own)) for own in ends], dtype=np.int64)
    places = np.cumsum(sizes) - sizes

    def placed(children: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where(children >= 0, places[np.maximum(children, 0)], children)

    left, right = placed(trees.left), placed(trees.right)
    found: dict[str, Any] = {
        name: np.repeat(getattr(trees, name), sizes)
        for name in ("columns", "thresholds", "missing", "missing_left")
    }
    found |= {"left": np.repeat(left, sizes), "right": np.repeat(right, sizes)}
    for node, own in enumerate(ends):
        if own:
            search = _Search(own, int(places[node]), int(left[node]), int(right[node]), found)
            search.add(0, len(own))
    gains = np.zeros(int(sizes.sum()))
    gains[places] = trees.gains
    none = np.zeros(0, dtype=np.int64)
    return {**found, "gains": gains, "roots": placed(trees.roots), "category_counts": none,
            "categories": none}  # fmt: skip


def interval_ends(categories: Sequence[int]) -> list[float]:
    """Thresholds between which x is, in turns, of no category and of one, the first of none."""
    found: list[float] = []
    for category in categories:
        begin = -1.0 if category == 0 else _before(category)
        if found and found[-1] == begin:
            found.pop()
        else:
            found.append(begin)
        found.append(_before(category + 1))
    return found


def _before(number: int) -> float:
    return float(np.nextafter(float(number), -np.inf))


class _Search:
    """Writes the nodes of one split, from `place` on, each before those below it."""

    def __init__(
        self, ends: list[float], place: int, left: int, right: int, arrays: dict[str, Any]
    ) -> None:
        self.ends = ends
        self.next = place
        self.sides = (right, left)
        self.arrays = arrays

    def add(self, first: int, last: int) -> int:
        """The search among ends first .. last − 1; without one, what its interval leads to."""
        if first == last:
            return self.sides[first % 2]
        middle = (first + last) // 2
        place = self.next
        self.next += 1
        self.arrays["thresholds"][place] = self.ends[middle]
        self.arrays["missing"][place] = _NULL_BY_SIDE
        self.arrays["missing_left"][place] = 0
        self.arrays["left"][place] = self.add(first, middle)
        self.arrays["right"][place] = self.add(middle + 1, last)
        return place
