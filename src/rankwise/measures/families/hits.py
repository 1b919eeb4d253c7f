"""Hits: the number of relevant documents among the first k.

    Hits@k = sum over ranks i <= min(k, n) of [l_i is relevant]

Not a hit rate: that is Success. ranx prints it as `hits@k`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT, TREC_BOOK, UNBOUNDED
from rankwise.measures.families.terms import count, empty, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def hits(ranked: RankedList, measure: Measure) -> float:
    """Hits as the equation above has it."""
    if not relevant_judged(ranked, measure):
        return empty(measure)
    return float(count(ranked.labels, measure))


FAMILIES = (
    Family(
        "Hits",
        "number of relevant documents found",
        compute="rankwise_hits",
        formula=hits,
        fields=RELEVANT,
        range=UNBOUNDED,
        citation=TREC_BOOK,
    ),
)
