"""Kendall's tau-b between the labels and the ranking.

    KendallTau = (C - D) / sqrt(T n (n - 1) / 2)

C and D are the pairs of different labels in the right and the wrong order, T = C + D, and n the
number of retrieved documents. The ranking itself has no ties: tied scores are ordered by the tie
rule, or each tied pair counts one half either way in the expectation. scipy's tau-b of labels and
scores, which corrects for tied scores as well, agrees where no scores are tied.

Kendall, Biometrika 33(3), 1945.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import PAIRED
from rankwise.measures.families.terms import empty, known

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def kendall_tau(ranked: RankedList, measure: Measure) -> float:
    """Tau-b as the equation above has it."""
    pairs = list(combinations([known(label) for label in ranked.labels], 2))
    C = sum(above > below for above, below in pairs)
    D = sum(above < below for above, below in pairs)
    T, n = C + D, len(ranked.labels)
    return (C - D) / math.sqrt(T * n * (n - 1) / 2) if T else empty(measure)


FAMILIES = (
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
