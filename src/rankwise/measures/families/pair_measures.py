"""Pairwise accuracy and Kendall's tau-b: document pairs that stand in the right order.

    PairwiseAccuracy = C / (C + D)
    KendallTau       = (C - D) / sqrt(T n (n - 1) / 2)

over all pairs of retrieved documents with different labels: C pairs have the higher label on top,
D the lower, T = C + D, and n is the number of retrieved documents. Unjudged documents count as
label 0. A query without such a pair has no pairwise accuracy of its own: `empty`, which is `skip`
in the textbook. Open ties: each tied pair is right with chance 1/2. Counting takes n log n steps.

Of Kendall's tau-b between the labels and the ranking, the ranking itself has no ties: tied scores
are ordered by the tie rule, or each tied pair counts one half either way in the expectation.
scipy's tau-b of labels and scores, which corrects for tied scores as well, agrees where no scores
are tied.

Kendall, Biometrika 33(3), 1945.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from rankwise.measures.families.family import PAIRED, Family, empty, known

if TYPE_CHECKING:
    from rankwise.measures.families.family import RankedList
    from rankwise.measures.measure import Measure


def pairwise_accuracy(ranked: RankedList, measure: Measure) -> float:
    """Pairwise accuracy as the equation above has it."""
    pairs = list(combinations([known(label) for label in ranked.labels], 2))
    C = sum(above > below for above, below in pairs)
    D = sum(above < below for above, below in pairs)
    return C / (C + D) if C + D else empty(measure)


PAIRWISE_ACCURACY = (
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


def kendall_tau(ranked: RankedList, measure: Measure) -> float:
    """Tau-b as the equation above has it."""
    pairs = list(combinations([known(label) for label in ranked.labels], 2))
    C = sum(above > below for above, below in pairs)
    D = sum(above < below for above, below in pairs)
    T, n = C + D, len(ranked.labels)
    return (C - D) / math.sqrt(T * n * (n - 1) / 2) if T else empty(measure)


KENDALL_TAU = (
    Family(
        "KendallTau",
        "Kendall's tau-b between the labels and the ranking",
        compute="rankwise_kendall_tau",
        formula=kendall_tau,
        cutoff="none",
        fields=PAIRED,
        aliases=("kendall tau", "kendall's tau", "kendall", "tau"),
        range=(-1.0, 1.0),
        citation="Kendall, Biometrika 33(3), 1945",
    ),
)
