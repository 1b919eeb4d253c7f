"""Precision.

    P@k = (relevant documents among the first k) / k

With `denominator=retrieved` a list shorter than k is divided by its own length min(k, n), as
RankLib, XGBoost and CatBoost do. Without a cut-off k is the length of the list. Linear: a tie
group of m documents with r relevant ones is expected to bring r / m at each of its ranks.

Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval, 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT, TREC_BOOK
from rankwise.measures.families.terms import count, empty, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def precision(ranked: RankedList, measure: Measure) -> float:
    """P as the equation above has it."""
    if not relevant_judged(ranked, measure):
        return empty(measure)
    divisor = len(ranked.labels)
    if measure.denominator == "cutoff" and measure.cutoff is not None:
        divisor = measure.cutoff
    return count(ranked.labels, measure) / divisor if divisor else 0.0


FAMILIES = (
    Family(
        "P",
        "precision",
        compute="rankwise_precision",
        formula=precision,
        fields={**RELEVANT, "denominator": "cutoff"},
        denominators=("cutoff", "retrieved"),
        aliases=("precision", "prec", "pre"),
        citation=TREC_BOOK,
    ),
)
