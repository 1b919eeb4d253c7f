"""Counts, summed over the queries rather than averaged.

    Retrieved         = n
    Relevant          = R
    RelevantRetrieved = relevant documents among the n retrieved ones
    Queries           = 1

trec_eval prints them as num_ret, num_rel, num_rel_ret and num_q.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import COUNTED, TREC_BOOK, UNBOUNDED
from rankwise.measures.families.terms import count, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


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


FAMILIES = (
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
