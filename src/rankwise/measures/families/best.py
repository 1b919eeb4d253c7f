"""Best: the highest label among the first k documents, as RankLib's Best@k.

    Best@k = max of l_1, …, l_min(k, n)

Unjudged documents count as 0, and so does a list without documents. Open ties: of a group of m
documents j are drawn; with the group's labels in descending order a_1 >= a_2 >= …, the highest
drawn is a_t with chance C(m - t, j - 1) / C(m, j).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import AVERAGING, ORDER, UNBOUNDED
from rankwise.measures.families.terms import known

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def best(ranked: RankedList, measure: Measure) -> float:
    """Best as the equation above has it."""
    return max((known(label) for label in ranked.labels), default=0.0)


FAMILIES = (
    Family(
        "Best",
        "highest label among the first documents",
        compute="rankwise_best",
        formula=best,
        fields={"table": None, "short": "cut", **ORDER, **AVERAGING},
        range=UNBOUNDED,
        citation="RankLib 2.18",
    ),
)
