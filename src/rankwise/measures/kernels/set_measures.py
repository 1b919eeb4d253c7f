"""Measures of the retrieved set as a whole: the order plays no part.

    SetP      = (relevant retrieved) / (retrieved)
    SetRecall = (relevant retrieved) / R
    SetAP     = SetP SetRecall
    SetF      = 2 SetP SetRecall / (SetP + SetRecall)

trec_eval prints them as set_P, set_recall, set_map and set_F. On files that judge every retrieved
document and retrieve every judged one SetRecall is 1.
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
def set_measure(query: RankedQuery, measure: MeasureRecord, which: int) -> float:
    """SetP, SetRecall, SetAP or SetF (which = 0 … 3) of one query."""
    relevant = count_relevant(query, measure)
    if relevant == 0:
        return measure.empty
    found = relevant_between(query, measure, 0, query.retrieved)
    if found == 0:
        return 0.0
    precision = found / query.retrieved
    recall = found / relevant
    if which == 0:
        return precision
    if which == 1:
        return recall
    if which == 2:
        return precision * recall
    return 2.0 * precision * recall / (precision + recall)
