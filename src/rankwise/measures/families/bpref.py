"""Bpref: how often judged non-relevant documents stand above relevant ones.

    Bpref = (1 / R) sum over relevant retrieved documents of 1 - min(a, R) / min(N, R)

a is the number of judged non-relevant documents above the document, N that of the query; the term
is 1 where a = 0. Unjudged documents do not count at all. This is trec_eval's form (since version
8), not that of the paper, which divides by R alone.

Open ties: a relevant document in a group with b judged non-relevant ones has 0, 1, …, b of them
above it with equal chance.

Buckley and Voorhees, SIGIR 2004.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT_WHOLE
from rankwise.measures.families.terms import empty, relevant, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def bpref(ranked: RankedList, measure: Measure) -> float:
    """Bpref as the equation above has it."""
    R = relevant_judged(ranked, measure)
    N = len(ranked.judged) - R
    if R == 0:
        return empty(measure)
    total = 0.0
    for rank, label in enumerate(ranked.labels):
        if relevant(label, measure):
            known = [other for other in ranked.labels[:rank] if not math.isnan(other)]
            a = sum(not relevant(other, measure) for other in known)
            total += 1 - min(a, R) / min(N, R) if a else 1
    return total / R


FAMILIES = (
    Family(
        "Bpref",
        "preference of relevant over judged non-relevant documents",
        compute="rankwise_bpref",
        formula=bpref,
        cutoff="none",
        fields=RELEVANT_WHOLE,
        citation="Buckley and Voorhees, SIGIR 2004",
    ),
)
