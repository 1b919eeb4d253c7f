"""Recall.

    Recall@k = (relevant documents among the first k) / R

R is the number of relevant documents of the query, retrieved or not. Linear in what stands at a
rank, so open ties count with the share of relevant documents in their group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT, TREC_BOOK
from rankwise.measures.families.terms import count, empty, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def recall(ranked: RankedList, measure: Measure) -> float:
    """Recall as the equation above has it."""
    found = relevant_judged(ranked, measure)
    return count(ranked.labels, measure) / found if found else empty(measure)


FAMILIES = (
    Family(
        "Recall",
        "recall",
        compute="rankwise_recall",
        formula=recall,
        fields=RELEVANT,
        aliases=("r", "recall_cut"),
        citation=TREC_BOOK,
    ),
)
