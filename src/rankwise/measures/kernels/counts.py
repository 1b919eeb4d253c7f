"""Counts, summed over the queries rather than averaged.

    Retrieved         = n
    Relevant          = R
    RelevantRetrieved = relevant documents among the n retrieved ones
    Queries           = 1

trec_eval prints them as num_ret, num_rel, num_rel_ret and num_q.
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import (
    MeasureRecord,
    RankedQuery,
    count_relevant,
    relevant_between,
)


@compiled
def counted(query: RankedQuery, measure: MeasureRecord, which: int) -> float:
    """Retrieved, Relevant, RelevantRetrieved or Queries (which = 0 … 3) of one query."""
    if which == 0:
        return float(query.retrieved)
    if which == 1:
        return float(count_relevant(query, measure))
    if which == 2:
        return float(relevant_between(query, measure, 0, query.retrieved))
    return 1.0
