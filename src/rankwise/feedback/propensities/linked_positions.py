"""Which positions a log can compare: those that some document was shown at in both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.feedback.log import DisplayCounts


def refuse_unlinked(counts: DisplayCounts, deepest: int, method: str) -> None:
    """Refuse a log in which nothing links some position to the first.

    Where no document was seen at two positions, any propensities explain the clicks equally well.
    """
    linked = find_linked(counts, deepest)
    apart = np.flatnonzero(~linked) + 1
    if len(apart):
        shown = ", ".join(map(str, apart[:5])) + (", …" if len(apart) > 5 else "")
        raise RankwiseError(
            f"{method} compares the clicks of one document at several positions; found no document "
            f"that links position {shown} to position 1; log several rankers or randomized lists, "
            "or use regression-em, which goes by the features"
        )


def find_linked(counts: DisplayCounts, deepest: int) -> NDArray[np.bool_]:
    """For every position whether a chain of documents leads from it to the first."""
    rows, places = np.unique(counts.rows, return_inverse=True)
    positions = counts.positions - 1
    linked = np.zeros(deepest, np.bool_)
    linked[0] = True
    while True:
        reached = np.zeros(len(rows), np.bool_)
        reached[places[linked[positions]]] = True
        grown = linked.copy()
        grown[positions[reached[places]]] = True
        if np.array_equal(grown, linked):
            return linked
        linked = grown
