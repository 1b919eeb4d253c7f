"""Recall.

    Recall@k = (relevant documents among the first k) / R

R is the number of relevant documents of the query, retrieved or not. Linear in what stands at a
rank, so open ties count with the share of relevant documents in their group.
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
def recall(query: RankedQuery, measure: MeasureRecord) -> float:
    """Recall of one ranked query."""
    relevant = count_relevant(query, measure)
    if relevant == 0:
        return measure.empty
    return hits_within(query, measure, within(measure, query.retrieved)) / relevant
