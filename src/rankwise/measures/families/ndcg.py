"""Normalized discounted cumulative gain, and DCG, which it normalizes.

    DCG@k  = sum over ranks i <= min(k, n) of g(l_i) d(i)
    NDCG@k = DCG@k / ideal DCG@k

l_i is the label at rank i, g the gain (2^l - 1 in the textbook), d the discount (1 / log2(i + 1)).
The ideal DCG@k is that of all judged documents of the query in descending order of gain, cut at
the same k: not of the first k retrieved documents sorted again. Where it is 0, NDCG is the
measure's `empty` value, and so is DCG if nothing was gained.

With open ties the expectation of DCG spreads each tie group's mean gain over its ranks, because
DCG is linear in what stands at a rank (McSherry and Najork, ECIR 2008).

Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; the exponential gain is that of Burges et al.,
ICML 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import DISCOUNTED, UNBOUNDED
from rankwise.measures.families.terms import discount, empty, gain

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def dcg(ranked: RankedList, measure: Measure) -> float:
    """DCG as the equation above has it."""
    gained = _gained(ranked, measure)
    return gained if gained != 0 or ideal_dcg(ranked, measure) > 0 else empty(measure)


def ideal_dcg(ranked: RankedList, measure: Measure) -> float:
    """DCG of the best possible list."""
    gains = sorted((gain(label, measure) for label in ranked.ideal), reverse=True)
    return _discounted(gains[: measure.cutoff], measure)


def ndcg(ranked: RankedList, measure: Measure) -> float:
    """NDCG as the equation above has it."""
    ideal = ideal_dcg(ranked, measure)
    return _gained(ranked, measure) / ideal if ideal > 0 else empty(measure)


def _gained(ranked: RankedList, measure: Measure) -> float:
    return _discounted([gain(label, measure) for label in ranked.labels], measure)


def _discounted(gains: list[float], measure: Measure) -> float:
    return sum(g * discount(rank, measure) for rank, g in enumerate(gains, 1))


_CITATION = "Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; gains of Burges et al., ICML 2005"

FAMILIES = (
    Family(
        "NDCG",
        "normalized discounted cumulative gain",
        compute="rankwise_ndcg",
        formula=ndcg,
        fields=DISCOUNTED,
        aliases=("ndcg_cut",),
        citation=_CITATION,
    ),
    Family(
        "DCG",
        "discounted cumulative gain",
        compute="rankwise_dcg",
        formula=dcg,
        fields=DISCOUNTED,
        range=UNBOUNDED,
        citation=_CITATION,
    ),
)
