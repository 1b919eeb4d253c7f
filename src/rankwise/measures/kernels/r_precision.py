"""R-precision: precision at the rank that equals the number of relevant documents.

    RPrecision = (relevant documents among the first R) / R

A list shorter than R is still divided by R. Linear: open ties bring their group's share.
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import (
    MeasureRecord,
    RankedQuery,
    count_relevant,
    hits_within,
)


@compiled
def r_precision(query: RankedQuery, measure: MeasureRecord) -> float:
    """R-precision of one ranked query."""
    relevant = count_relevant(query, measure)
    if relevant == 0:
        return measure.empty
    return hits_within(query, measure, min(relevant, query.retrieved)) / relevant
