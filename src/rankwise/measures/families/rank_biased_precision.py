"""Rank-biased precision: a user who goes on to the next document with chance p.

    RBP = (1 - p) sum over ranks i of [l_i is relevant] p^(i - 1)

p is the measure's `persistence`. The part of the list that was not seen (the residual) counts as
not relevant. Linear: open ties spread the share of relevant documents of their group.

Moffat and Zobel, ACM TOIS 27(1), 2008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT
from rankwise.measures.families.terms import empty, relevant, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def rank_biased_precision(ranked: RankedList, measure: Measure) -> float:
    """RBP as the equation above has it."""
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    p = measure.persistence or 0.0
    ranks = [rank for rank, label in enumerate(ranked.labels, 1) if relevant(label, measure)]
    return (1 - p) * sum(p ** (rank - 1) for rank in ranks)


FAMILIES = (
    Family(
        "RBP",
        "rank-biased precision",
        compute="rankwise_rank_biased_precision",
        formula=rank_biased_precision,
        fields={**RELEVANT, "persistence": 0.8},
        citation="Moffat and Zobel, ACM TOIS 27(1), 2008",
    ),
)
