"""Success (hit rate): whether the first k documents hold a relevant one.

    Success@k = [Hits@k > 0]

Open ties: where no group before the cut-off is relevant and the group at the cut-off has m
documents, r of them relevant, and j ranks within it, the chance is 1 - C(m - r, j) / C(m, j).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT, TREC_BOOK
from rankwise.measures.families.terms import count, empty, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def success(ranked: RankedList, measure: Measure) -> float:
    """Success as the equation above has it."""
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    return float(count(ranked.labels, measure) > 0)


FAMILIES = (
    Family(
        "Success",
        "whether a relevant document is found",
        compute="rankwise_success",
        formula=success,
        fields=RELEVANT,
        aliases=("hit", "hit_rate", "hitrate", "success_cut"),
        citation=TREC_BOOK,
    ),
)
