"""Average precision; its mean over queries is MAP.

    AP@k = (1 / D) sum over relevant ranks i <= min(k, n) of (relevant among the first i) / i

D is R, the number of relevant documents of the query, or with `denominator=cutoff` min(R, k), as
LightGBM, XGBoost and CatBoost divide; without a cut-off both are R.

Open ties: in a group of m documents with r relevant ones that follows s documents with c relevant
ones, rank s + j is relevant with chance r / m, and then (j - 1)(r - 1) / (m - 1) relevant
documents of the group are expected above it, so the group is expected to bring
sum_j (r / m) (c + 1 + (j - 1)(r - 1) / (m - 1)) / (s + j)  (McSherry and Najork, ECIR 2008).

Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval, 2005.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT, TREC_BOOK
from rankwise.measures.families.terms import count, empty, relevant, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def average_precision(ranked: RankedList, measure: Measure) -> float:
    """AP as the equation above has it."""
    divisor = relevant_judged(ranked, measure)
    if divisor == 0:
        return empty(measure)
    if measure.denominator == "cutoff" and measure.cutoff is not None:
        divisor = min(divisor, measure.cutoff)
    total = 0.0
    for rank, label in enumerate(ranked.labels, 1):
        if relevant(label, measure):
            total += count(ranked.labels[:rank], measure) / rank
    return total / divisor


FAMILIES = (
    Family(
        "AP",
        "average precision",
        compute="rankwise_average_precision",
        formula=average_precision,
        fields={**RELEVANT, "denominator": "relevant"},
        denominators=("relevant", "cutoff"),
        aliases=("map", "map_cut", "average precision", "mean average precision"),
        mean_name="MAP",
        citation=TREC_BOOK,
    ),
)
