"""F1: the harmonic mean of precision and recall at k.

    F1@k = 2 P@k Recall@k / (P@k + Recall@k) = 2 hits / (divisor of P + R)

The second form shows that F1 at a fixed k is linear in the hits, so its expectation under open
ties is exact. 0 where nothing relevant is found.
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import (
    MeasureRecord,
    RankedQuery,
    count_relevant,
    hits_within,
    within,
)


@compiled
def f1(query: RankedQuery, measure: MeasureRecord) -> float:
    """F1 of one ranked query."""
    relevant = count_relevant(query, measure)
    if relevant == 0:
        return measure.empty
    limit = within(measure, query.retrieved)
    divisor = limit
    if measure.denominator == 0 and measure.cutoff > 0:
        divisor = measure.cutoff
    return 2.0 * hits_within(query, measure, limit) / (divisor + relevant)
