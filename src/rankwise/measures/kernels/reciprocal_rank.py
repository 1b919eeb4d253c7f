"""Reciprocal rank of the first relevant document; its mean over queries is MRR.

    RR@k = 1 / (rank of the first relevant document), 0 if that rank is above k or there is none

Open ties: in the first group that holds r >= 1 relevant ones of its m documents, the first
relevant one is its j-th with chance C(m - j, r - 1) / C(m, r); the chances follow from one another
by p_1 = r / m and p_{j+1} = p_j (m - j - r + 1) / (m - j).
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import (
    MeasureRecord,
    RankedQuery,
    count_relevant,
    relevant_between,
    within,
)


@compiled
def reciprocal_rank(query: RankedQuery, measure: MeasureRecord) -> float:
    """Reciprocal rank of one ranked query."""
    if count_relevant(query, measure) == 0:
        return measure.empty
    limit = within(measure, query.retrieved)
    start = 0
    while start < limit:
        end = query.ends[start]
        relevant = relevant_between(query, measure, start, end)
        if relevant > 0:
            return _expected(start, end, relevant, limit)
        start = end
    return 0.0


@compiled
def _expected(start: int, end: int, relevant: int, limit: int) -> float:
    size = end - start
    chance = relevant / size
    total = 0.0
    for j in range(1, min(end, limit) - start + 1):
        total += chance / (start + j)
        if j < size:
            chance *= (size - j - relevant + 1.0) / (size - j)
    return total
