"""Measures of the retrieved set as a whole, and counts: the order plays no part.

    SetP              = (relevant retrieved) / (retrieved)
    SetRecall         = (relevant retrieved) / R
    SetAP             = SetP SetRecall
    SetF              = 2 SetP SetRecall / (SetP + SetRecall)
    Retrieved         = n
    Relevant          = R
    RelevantRetrieved = relevant documents among the n retrieved ones
    Queries           = 1

trec_eval prints them as set_P, set_recall, set_map, set_F, num_ret, num_rel, num_rel_ret and num_q.
The counts are summed over the queries rather than averaged. On files that judge every retrieved
document and retrieve every judged one SetRecall is 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import (
    COUNTED,
    TREC_BOOK,
    UNBOUNDED,
    UNORDERED,
    Family,
    count,
    empty,
    relevant_judged,
)

if TYPE_CHECKING:
    from rankwise.measures.families.family import RankedList
    from rankwise.measures.measure import Measure


def set_precision(ranked: RankedList, measure: Measure) -> float:
    """SetP as the equation above has it."""
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    return count(ranked.labels, measure) / len(ranked.labels) if ranked.labels else 0.0


def set_recall(ranked: RankedList, measure: Measure) -> float:
    """SetRecall as the equation above has it."""
    R = relevant_judged(ranked, measure)
    return count(ranked.labels, measure) / R if R else empty(measure)


def set_average_precision(ranked: RankedList, measure: Measure) -> float:
    """SetAP as the equation above has it."""
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    return set_precision(ranked, measure) * set_recall(ranked, measure)


def set_f(ranked: RankedList, measure: Measure) -> float:
    """SetF as the equation above has it."""
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    precision, recall = set_precision(ranked, measure), set_recall(ranked, measure)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


SET_MEASURES = (
    Family(
        "SetP",
        "precision of the whole retrieved set",
        compute="rankwise_set_precision",
        formula=set_precision,
        cutoff="none",
        fields=UNORDERED,
        aliases=("set_p",),
        citation=TREC_BOOK,
    ),
    Family(
        "SetRecall",
        "recall of the whole retrieved set",
        compute="rankwise_set_recall",
        formula=set_recall,
        cutoff="none",
        fields=UNORDERED,
        aliases=("set_recall",),
        citation=TREC_BOOK,
    ),
    Family(
        "SetAP",
        "set precision times set recall",
        compute="rankwise_set_average_precision",
        formula=set_average_precision,
        cutoff="none",
        fields=UNORDERED,
        aliases=("set_map",),
        citation=TREC_BOOK,
    ),
    Family(
        "SetF",
        "harmonic mean of set precision and set recall",
        compute="rankwise_set_f",
        formula=set_f,
        cutoff="none",
        fields=UNORDERED,
        aliases=("set_f",),
        citation=TREC_BOOK,
    ),
)


def retrieved(ranked: RankedList, measure: Measure) -> float:
    """Retrieved as the equation above has it."""
    return float(ranked.retrieved)


def relevant(ranked: RankedList, measure: Measure) -> float:
    """Relevant as the equation above has it."""
    return float(relevant_judged(ranked, measure))


def relevant_retrieved(ranked: RankedList, measure: Measure) -> float:
    """RelevantRetrieved as the equation above has it."""
    return float(count(ranked.labels, measure))


def queries(ranked: RankedList, measure: Measure) -> float:
    """Queries as the equation above has it."""
    return 1.0


COUNTS = (
    Family(
        "Retrieved",
        "number of retrieved documents",
        compute="rankwise_retrieved",
        formula=retrieved,
        cutoff="none",
        fields=COUNTED,
        aliases=("num_ret",),
        range=UNBOUNDED,
        citation=TREC_BOOK,
    ),
    Family(
        "Relevant",
        "number of relevant documents",
        compute="rankwise_relevant",
        formula=relevant,
        cutoff="none",
        fields=COUNTED,
        aliases=("num_rel",),
        range=UNBOUNDED,
        citation=TREC_BOOK,
    ),
    Family(
        "RelevantRetrieved",
        "number of relevant retrieved documents",
        compute="rankwise_relevant_retrieved",
        formula=relevant_retrieved,
        cutoff="none",
        fields=COUNTED,
        aliases=("num_rel_ret",),
        range=UNBOUNDED,
        citation=TREC_BOOK,
    ),
    Family(
        "Queries",
        "number of queries",
        compute="rankwise_queries",
        formula=queries,
        cutoff="none",
        fields=COUNTED,
        aliases=("num_q",),
        range=UNBOUNDED,
        citation=TREC_BOOK,
    ),
)
