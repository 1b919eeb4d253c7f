"""Best: the highest label among the first k documents, as RankLib's Best@k.

    Best@k = max of l_1, …, l_min(k, n)

Unjudged documents count as 0, and so does a list without documents. Open ties: of a group of m
documents j are drawn; with the group's labels in descending order a_1 >= a_2 >= …, the highest
drawn is a_t with chance C(m - t, j - 1) / C(m, j).
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import MeasureRecord, RankedQuery, within


@compiled
def best(query: RankedQuery, measure: MeasureRecord) -> float:
    """Best of one ranked query."""
    limit = within(measure, query.retrieved)
    highest = 0.0
    start = 0
    while start < limit:
        end = query.ends[start]
        if end <= limit:
            for i in range(start, end):
                if query.labels[i] > highest or i == 0:
                    highest = query.labels[i] if query.labels[i] == query.labels[i] else 0.0
        else:
            highest = _expected(query, start, end, limit - start, highest)
        start = end
    return highest


@compiled
def _expected(query: RankedQuery, start: int, end: int, drawn: int, floor: float) -> float:
    size = end - start
    chance = drawn / size
    total = 0.0
    for t in range(size - drawn + 1):
        label = query.labels[start + t]
        known = label if label == label else 0.0
        total += chance * (known if start == 0 else max(known, floor))
        if t + 1 < size:
            chance *= (size - drawn - t) / (size - t - 1.0)
    return total
