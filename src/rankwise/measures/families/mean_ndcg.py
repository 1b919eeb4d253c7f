"""Mean NDCG over the positions, as the LETOR 4.0 and MSLR scripts print it.

    MeanNDCG   = (NDCG@1 + … + NDCG@n) / n
    MeanNDCG@k = (NDCG@1 + … + NDCG@m) / m,  m = min(k, n)

n is the number of retrieved documents of the query, so the mean runs over all its positions and
is not touched by what a tool does with queries shorter than a cut-off. This is not the mean of
NDCG over queries. Linear in what stands at a rank: open ties spread the mean gain of their group.

Defined by Eval-Score-4.0.pl of LETOR 4.0; Qin et al., Information Retrieval 13(4), 2010.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import DISCOUNTED, LETOR
from rankwise.measures.families.terms import discount, empty, gain

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


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


FAMILIES = (
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
