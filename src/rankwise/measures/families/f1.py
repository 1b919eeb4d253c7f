"""F1: the harmonic mean of precision and recall at k.

    F1@k = 2 P@k Recall@k / (P@k + Recall@k) = 2 hits / (divisor of P + R)

The second form shows that F1 at a fixed k is linear in the hits, so its expectation under open
ties is exact. 0 where nothing relevant is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT
from rankwise.measures.families.terms import count, empty, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def f1(ranked: RankedList, measure: Measure) -> float:
    """F1 as the first form above has it."""
    R = relevant_judged(ranked, measure)
    if R == 0:
        return empty(measure)
    divisor = len(ranked.labels)
    if measure.denominator == "cutoff" and measure.cutoff is not None:
        divisor = measure.cutoff
    hits = count(ranked.labels, measure)
    if hits == 0:
        return 0.0
    precision, recall = hits / divisor, hits / R
    return 2 * precision * recall / (precision + recall)


FAMILIES = (
    Family(
        "F1",
        "harmonic mean of precision and recall",
        compute="rankwise_f1",
        formula=f1,
        fields={**RELEVANT, "denominator": "cutoff"},
        denominators=("cutoff", "retrieved"),
        aliases=("f", "f-measure"),
        citation="van Rijsbergen, Information Retrieval, 1979",
    ),
)
