"""Pairwise accuracy: the share of document pairs that stand in the right order.

    PairwiseAccuracy = C / (C + D)

over all pairs of retrieved documents with different labels: C pairs have the higher label on top,
D the lower. Unjudged documents count as label 0. A query without such a pair has no value of its
own: `empty`, which is `skip` in the textbook.

Open ties: each tied pair is right with chance 1/2. Counting takes n log n steps.
"""

from __future__ import annotations

from typing import Any

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import MeasureRecord, RankedQuery


@compiled
def pairwise_accuracy(query: RankedQuery, measure: MeasureRecord) -> float:
    """Pairwise accuracy of one ranked query."""
    pairs = different_pairs(query, 0, query.retrieved)
    if pairs == 0.0:
        return measure.empty
    return 1.0 - wrong_pairs(query) / pairs


@compiled
def wrong_pairs(query: RankedQuery) -> float:
    """D, where each pair of different labels within a tie group counts one half."""
    tied = 0.0
    start = 0
    while start < query.retrieved:
        end = query.ends[start]
        if end > start + 1:
            tied += different_pairs(query, start, end)
        start = end
    _load(query, 0, query.retrieved)
    # Tie groups come with their highest labels first, so a sort finds nothing wrong within them.
    return _merge_count(query.work, query.retrieved) + tied / 2.0


@compiled
def different_pairs(query: RankedQuery, start: int, end: int) -> float:
    """The number of pairs with different labels at ranks start … end - 1."""
    size = end - start
    _load(query, start, end)
    _merge_count(query.work, size)
    pairs = size * (size - 1.0) / 2.0
    run = 1
    for i in range(1, size + 1):
        if i < size and query.work[i] == query.work[i - 1]:
            run += 1
        else:
            pairs -= run * (run - 1.0) / 2.0
            run = 1
    return pairs


@compiled
def _load(query: RankedQuery, start: int, end: int) -> None:
    for i in range(start, end):
        label = query.labels[i]
        query.work[i - start] = label if label == label else 0.0


@compiled
def _merge_count(work: Any, size: int) -> float:
    """Sort the first `size` entries descending; return how many pairs were ascending."""
    wrong = 0.0
    width = 1
    while width < size:
        for left in range(0, size, 2 * width):
            middle = min(left + width, size)
            right = min(left + 2 * width, size)
            i = left
            j = middle
            for out in range(left, right):
                if j >= right or (i < middle and work[i] >= work[j]):
                    work[size + out] = work[i]
                    i += 1
                else:
                    work[size + out] = work[j]
                    wrong += middle - i
                    j += 1
        for i in range(size):
            work[i] = work[size + i]
        width *= 2
    return wrong
