"""Sums over the active partners of every document, in sorted sweeps instead of pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled
from rankwise.rankers.losses.sorting_kernel import sort_descending


@compiled
def sort_queries(
    scores: NDArray[np.float64], query_offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Rows by rising score within each query; equal scores in the order of the rows."""
    order = np.empty(len(scores), dtype=np.int64)
    longest = 0
    for query in range(len(query_offsets) - 1):
        longest = max(longest, query_offsets[query + 1] - query_offsets[query])
    keys = np.empty(2 * longest)
    rows = np.empty(2 * longest, dtype=np.int64)
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        size = query_offsets[query + 1] - first
        for i in range(size):
            keys[i] = -scores[first + i]
            rows[i] = first + i
        sort_descending(keys, rows, 0, size)
        for i in range(size):
            order[first + i] = rows[i]
    return order


@compiled
def partner_sums(
    scores: NDArray[np.float64],
    order: NDArray[np.int64],
    levels: NDArray[np.int64],
    query_offsets: NDArray[np.int64],
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """For every document, how many active partners it has and the sum of their values.

    A pair (i, j) of a query with level_i > level_j is active where s_i − s_j < 1. Columns: count
    and sum over the worse partners j of i, count and sum over the better partners i of j. Both
    sweeps only ever add, so nothing cancels; rounding is monotone, so both see the same pairs.
    """
    sums = np.zeros((len(scores), 4))
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        last = query_offsets[query + 1]
        highest = 0
        for row in range(first, last):
            highest = max(highest, levels[row])
        for level in range(1, highest + 1):
            _worse_partners(scores, order, levels, values, first, last, level, sums)
            _better_partners(scores, order, levels, values, first, last, level, sums)
    return sums


@compiled
def _worse_partners(
    scores: NDArray[np.float64],
    order: NDArray[np.int64],
    levels: NDArray[np.int64],
    values: NDArray[np.float64],
    first: int,
    last: int,
    level: int,
    sums: NDArray[np.float64],
) -> None:
    """From the top down: the documents of `level` meet ever more of the lower levels."""
    count = 0.0
    total = 0.0
    reached = last - 1
    for place in range(last - 1, first - 1, -1):
        better = order[place]
        if levels[better] == level:
            while reached >= first and scores[better] - scores[order[reached]] < 1.0:
                worse = order[reached]
                if levels[worse] < level:
                    count += 1.0
                    total += values[worse]
                reached -= 1
            sums[better, 0] += count
            sums[better, 1] += total


@compiled
def _better_partners(
    scores: NDArray[np.float64],
    order: NDArray[np.int64],
    levels: NDArray[np.int64],
    values: NDArray[np.float64],
    first: int,
    last: int,
    level: int,
    sums: NDArray[np.float64],
) -> None:
    """From the bottom up: documents below `level` meet ever more of it."""
    count = 0.0
    total = 0.0
    reached = first
    for place in range(first, last):
        worse = order[place]
        if levels[worse] < level:
            while reached < last and scores[order[reached]] - scores[worse] < 1.0:
                better = order[reached]
                if levels[better] == level:
                    count += 1.0
                    total += values[better]
                reached += 1
            sums[worse, 2] += count
            sums[worse, 3] += total
