"""Pairwise accuracy: the share of document pairs that stand in the right order.

    PairwiseAccuracy = C / (C + D)

over all pairs of retrieved documents with different labels: C pairs have the higher label on top,
D the lower. Unjudged documents count as label 0. A query without such a pair has no value of its
own: `empty`, which is `skip` in the textbook.

Open ties: each tied pair is right with chance 1/2. Counting takes n log n steps.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import PAIRED
from rankwise.measures.families.terms import empty, known

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def pairwise_accuracy(ranked: RankedList, measure: Measure) -> float:
    """Pairwise accuracy as the equation above has it."""
    pairs = list(combinations([known(label) for label in ranked.labels], 2))
    C = sum(above > below for above, below in pairs)
    D = sum(above < below for above, below in pairs)
    return C / (C + D) if C + D else empty(measure)


FAMILIES = (
    Family(
        "PairwiseAccuracy",
        "share of pairs in the right order",
        compute="rankwise_pairwise_accuracy",
        formula=pairwise_accuracy,
        cutoff="none",
        fields=PAIRED,
        aliases=("pairwise accuracy", "pairaccuracy", "opa", "ordered pair accuracy"),
        citation="Herbrich, Graepel and Obermayer, 2000",
    ),
)
