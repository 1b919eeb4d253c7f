"""Rank-biased precision: a user who goes on to the next document with chance p.

    RBP = (1 - p) sum over ranks i of [l_i is relevant] p^(i - 1)

p is the measure's `persistence`. The part of the list that was not seen (the residual) counts as
not relevant. Linear: open ties spread the share of relevant documents of their group.

Moffat and Zobel, ACM TOIS 27(1), 2008.
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
def rank_biased_precision(query: RankedQuery, measure: MeasureRecord) -> float:
    """RBP of one ranked query."""
    if count_relevant(query, measure) == 0:
        return measure.empty
    limit = within(measure, query.retrieved)
    total = 0.0
    weight = 1.0 - measure.persistence
    start = 0
    while start < limit:
        end = query.ends[start]
        share = relevant_between(query, measure, start, end) / (end - start)
        for _ in range(start, min(end, limit)):
            total += share * weight
            weight *= measure.persistence
        start = end
    return total
