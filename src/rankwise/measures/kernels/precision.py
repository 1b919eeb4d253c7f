"""Precision.

    P@k = (relevant documents among the first k) / k

With `denominator=retrieved` a list shorter than k is divided by its own length min(k, n), as
RankLib, XGBoost and CatBoost do. Without a cut-off k is the length of the list. Linear: a tie
group of m documents with r relevant ones is expected to bring r / m at each of its ranks.

Buckley and Voorhees, in TREC: Experiment and Evaluation in Information Retrieval, 2005.
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import MeasureRecord, RankedQuery, hits_within, within


@compiled
def precision(query: RankedQuery, measure: MeasureRecord) -> float:
    """Precision of one ranked query."""
    limit = within(measure, query.retrieved)
    divisor = limit
    if measure.denominator == 0 and measure.cutoff > 0:
        divisor = measure.cutoff
    return hits_within(query, measure, limit) / divisor if divisor > 0 else 0.0
