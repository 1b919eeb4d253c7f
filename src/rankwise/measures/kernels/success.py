"""Success (hit rate): whether the first k documents hold a relevant one.

    Success@k = [Hits@k > 0]

Open ties: where no group before the cut-off is relevant and the group at the cut-off has m
documents, r of them relevant, and j ranks within it, the chance is 1 - C(m - r, j) / C(m, j).
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
def success(query: RankedQuery, measure: MeasureRecord) -> float:
    """Success of one ranked query."""
    if count_relevant(query, measure) == 0:
        return measure.empty
    limit = within(measure, query.retrieved)
    start = 0
    while start < limit:
        end = query.ends[start]
        relevant = relevant_between(query, measure, start, end)
        if relevant > 0:
            return 1.0 - _none_chosen(end - start, relevant, min(end, limit) - start)
        start = end
    return 0.0


@compiled
def _none_chosen(size: int, relevant: int, chosen: int) -> float:
    """The chance that `chosen` documents out of the group hold no relevant one."""
    chance = 1.0
    for j in range(chosen):
        chance *= max(0.0, (size - relevant - j) / (size - j))
    return chance
