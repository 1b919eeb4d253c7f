"""A measure along a line in the space of scores: s, s + δ_1 x, s + δ_2 x, …

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled
from rankwise.measures.kernel import EXPECTED, Lists, Scratch, descending_labels, frequent_value
from rankwise.measures.kernels.ranked import RankedQuery, Tables
from rankwise.measures.ranking import rank_query

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Moves per document after which sorting afresh costs less than sorting on.
_MOVES_WORTH_IT = 24


@compiled
def values_along(
    lists: Lists,
    records: NDArray[np.void],
    tables: Tables,
    tie_mode: int,
    column: Floats,
    steps: Floats,
    order: Integers,
    scratch: Scratch,
    out: Floats,
) -> None:
    """out[k, q] = the value of query q under the scores s + steps[k] · x.

    `lists.scores` holds s, `column` x, `order` the rows of each query in rank order under s. Each
    step is sorted on from the order of the step before it, or from that of s where the sign of
    the steps changes: small steps move few documents.
    """
    moved = np.empty(len(column))
    for query in range(len(lists.offsets) - 1):
        first = lists.offsets[query]
        last = lists.offsets[query + 1]
        size = last - first
        judged = descending_labels(lists.labels, first, last, scratch, scratch.judged)
        previous = 0.0
        for number in range(len(steps)):
            step = steps[number]
            if step * previous <= 0.0:
                scratch.rows[:size] = order[first:last]
            previous = step
            for row in range(first, last):
                moved[row] = lists.scores[row] + step * column[row]
            _sort_on(moved, lists.priority, first, size, scratch.keys, scratch.rows)
            for i in range(size):
                scratch.labels[i] = lists.labels[scratch.rows[i]]
            if tie_mode == EXPECTED:
                _mark_groups(scratch.keys, size, scratch.ends)
            ranked = RankedQuery(
                scratch.labels,
                scratch.keys,
                scratch.ends,
                scratch.judged,
                scratch.judged,
                scratch.work,
                size,
                judged,
                judged,
            )
            out[number, query] = frequent_value(ranked, records[0], tables)


@compiled
def sort_on(
    scores: Floats, priority: Floats, query_offsets: Integers, scratch: Scratch, order: Integers
) -> None:
    """Bring the rows of every query, given in some order, into rank order under `scores`."""
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        last = query_offsets[query + 1]
        scratch.rows[: last - first] = order[first:last]
        _sort_on(scores, priority, first, last - first, scratch.keys, scratch.rows)
        order[first:last] = scratch.rows[: last - first]


@compiled
def _sort_on(
    scores: Floats, priority: Floats, first: int, size: int, keys: Floats, rows: Integers
) -> None:
    """Insertion sort of the rows as they stand; a fresh sort where too many have to move."""
    moves = 0
    for i in range(size):
        row = rows[i]
        key = scores[row]
        j = i
        while j > 0 and _before(key, row, keys[j - 1], rows[j - 1], priority):
            keys[j] = keys[j - 1]
            rows[j] = rows[j - 1]
            j -= 1
        keys[j] = key
        rows[j] = row
        moves += i - j
        if moves > _MOVES_WORTH_IT * size:
            rank_query(scores, priority, first, size, keys, rows)
            return


@compiled
def _before(key: float, row: int, other_key: float, other: int, priority: Floats) -> bool:
    """By falling score, then falling priority, then row: whatever the order was before."""
    if key != other_key:
        return key > other_key
    if len(priority) > 0 and priority[row] != priority[other]:
        return bool(priority[row] > priority[other])
    return row < other


@compiled
def _mark_groups(keys: Any, size: int, ends: Any) -> None:
    end = size
    for i in range(size - 1, -1, -1):
        if i + 1 < size and keys[i] != keys[i + 1]:
            end = i + 1
        ends[i] = end
