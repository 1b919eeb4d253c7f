"""Normalized discounted cumulative gain, DCG, which it normalizes, and its mean over positions.

    DCG@k      = sum over ranks i <= min(k, n) of g(l_i) d(i)
    NDCG@k     = DCG@k / ideal DCG@k
    MeanNDCG   = (NDCG@1 + … + NDCG@n) / n
    MeanNDCG@k = (NDCG@1 + … + NDCG@m) / m,  m = min(k, n)

l_i is the label at rank i, g the gain (2^l - 1 in the textbook), d the discount (1 / log2(i + 1)).
The ideal DCG@k is that of all judged documents of the query in descending order of gain, cut at
the same k: not of the first k retrieved documents sorted again. Where it is 0, NDCG is the
measure's `empty` value, and so is DCG if nothing was gained.

MeanNDCG is what the LETOR 4.0 and MSLR scripts print. n is the number of retrieved documents of the
query, so the mean runs over all its positions and is not touched by what a tool does with queries
shorter than a cut-off. This is not the mean of NDCG over queries.

With open ties the expectation of DCG spreads each tie group's mean gain over its ranks, because
DCG is linear in what stands at a rank (McSherry and Najork, ECIR 2008), and so is MeanNDCG.

Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; the exponential gain is that of Burges et al.,
ICML 2005. MeanNDCG is defined by Eval-Score-4.0.pl of LETOR 4.0; Qin et al., Information Retrieval
13(4), 2010.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import (
    DISCOUNTED,
    LETOR,
    UNBOUNDED,
    Family,
    discount,
    empty,
    gain,
)

if TYPE_CHECKING:
    from rankwise.measures.families.family import RankedList
    from rankwise.measures.measure import Measure


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

NDCG = (
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


def mean_ndcg(ranked: RankedList, measure: Measure) -> float:
    """MeanNDCG as the equation above has it."""
    gains = [gain(label, measure) for label in ranked.labels]
    ideal = sorted((gain(label, measure) for label in ranked.ideal), reverse=True)
    if not ideal or not gains or not ideal[0] > 0:
        return empty(measure)
    cuts = range(1, len(gains) + 1)
    return sum(_dcg(gains[:k], measure) / _dcg(ideal[:k], measure) for k in cuts) / len(gains)


def _dcg(gains: list[float], measure: Measure) -> float:
    return sum(g * discount(rank, measure) for rank, g in enumerate(gains, 1))


MEAN_NDCG = (
    Family(
        "MeanNDCG",
        "mean of NDCG@1, NDCG@2, … over the positions",
        compute="rankwise_mean_ndcg",
        formula=mean_ndcg,
        fields=DISCOUNTED,
        aliases=("mean ndcg", "mndcg", "ndcg mean"),
        citation=LETOR,
    ),
)
