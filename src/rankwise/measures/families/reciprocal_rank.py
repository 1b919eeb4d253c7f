"""Reciprocal rank of the first relevant document; its mean over queries is MRR.

    RR@k = 1 / (rank of the first relevant document), 0 if that rank is above k or there is none

Open ties: in the first group that holds r >= 1 relevant ones of its m documents, the first
relevant one is its j-th with chance C(m - j, r - 1) / C(m, r); the chances follow from one another
by p_1 = r / m and p_{j+1} = p_j (m - j - r + 1) / (m - j).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT, TREC_BOOK
from rankwise.measures.families.terms import empty, relevant, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def reciprocal_rank(ranked: RankedList, measure: Measure) -> float:
    """RR as the equation above has it."""
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    ranks = [rank for rank, label in enumerate(ranked.labels, 1) if relevant(label, measure)]
    return 1 / ranks[0] if ranks else 0.0


FAMILIES = (
    Family(
        "RR",
        "reciprocal rank of the first relevant document",
        compute="rankwise_reciprocal_rank",
        formula=reciprocal_rank,
        fields=RELEVANT,
        aliases=("mrr", "recip_rank", "reciprocal rank", "mean reciprocal rank"),
        mean_name="MRR",
        citation=TREC_BOOK,
    ),
)
