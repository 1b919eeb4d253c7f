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

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import (
    MeasureRecord,
    RankedQuery,
    count_relevant,
    is_relevant,
    relevant_between,
    within,
)


@compiled
def average_precision(query: RankedQuery, measure: MeasureRecord) -> float:
    """AP of one ranked query."""
    relevant = count_relevant(query, measure)
    if relevant == 0:
        return measure.empty
    divisor = relevant
    if measure.denominator == 1 and measure.cutoff > 0:
        divisor = min(relevant, measure.cutoff)
    return _precisions(query, measure, within(measure, query.retrieved)) / divisor


@compiled
def _precisions(query: RankedQuery, measure: MeasureRecord, limit: int) -> float:
    total = 0.0
    above = 0
    start = 0
    while start < limit:
        end = query.ends[start]
        if end == start + 1:
            if is_relevant(query.labels[start], measure):
                above += 1
                total += above / end
        else:
            relevant = relevant_between(query, measure, start, end)
            total += _tied(start, end, above, relevant, limit)
            above += relevant
        start = end
    return total


@compiled
def _tied(start: int, end: int, above: int, relevant: int, limit: int) -> float:
    size = end - start
    total = 0.0
    for j in range(min(end, limit) - start):
        expected_above = above + 1.0 + j * (relevant - 1.0) / (size - 1.0)
        total += relevant / size * expected_above / (start + j + 1)
    return total
