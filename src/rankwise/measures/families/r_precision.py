"""R-precision: precision at the rank that equals the number of relevant documents.

    RPrecision = (relevant documents among the first R) / R

A list shorter than R is still divided by R. Linear: open ties bring their group's share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT_WHOLE, TREC_BOOK
from rankwise.measures.families.terms import count, empty, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def r_precision(ranked: RankedList, measure: Measure) -> float:
    """R-precision as the equation above has it."""
    R = relevant_judged(ranked, measure)
    return count(ranked.labels[:R], measure) / R if R else empty(measure)


FAMILIES = (
    Family(
        "RPrecision",
        "precision at the number of relevant documents",
        compute="rankwise_r_precision",
        formula=r_precision,
        cutoff="none",
        fields=RELEVANT_WHOLE,
        aliases=("rprec", "r-precision", "r precision"),
        citation=TREC_BOOK,
    ),
)
