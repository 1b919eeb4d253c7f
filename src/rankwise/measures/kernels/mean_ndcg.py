"""Mean NDCG over the positions, as the LETOR 4.0 and MSLR scripts print it.

    MeanNDCG   = (NDCG@1 + … + NDCG@n) / n
    MeanNDCG@k = (NDCG@1 + … + NDCG@m) / m,  m = min(k, n)

n is the number of retrieved documents of the query, so the mean runs over all its positions and
is not touched by what a tool does with queries shorter than a cut-off. This is not the mean of
NDCG over queries. Linear in what stands at a rank: open ties spread the mean gain of their group.

Defined by Eval-Score-4.0.pl of LETOR 4.0; Qin et al., Information Retrieval 13(4), 2010.
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import (
    MeasureRecord,
    RankedQuery,
    Tables,
    gain_of,
    ideal_gains,
    mean_gain,
    within,
)


@compiled
def mean_ndcg(query: RankedQuery, measure: MeasureRecord, tables: Tables) -> float:
    """MeanNDCG of one ranked query."""
    limit = within(measure, query.retrieved)
    ideal_gains(query, measure, tables, within(measure, query.n_ideal))
    if limit == 0 or query.n_ideal == 0 or not query.work[0] > 0.0:
        return measure.empty
    weights = tables.weights[measure.discount]
    divisors = tables.divisors[measure.discount]
    total = 0.0
    found = 0.0
    ideal = 0.0
    gain = 0.0
    group_end = 0
    for i in range(limit):
        if i >= group_end:
            group_end = query.ends[i]
            if group_end == i + 1:
                gain = gain_of(query.labels[i], measure, tables)
            else:
                gain = mean_gain(query, measure, tables, i, group_end)
        found += gain * weights[i] / divisors[i]
        if i < query.n_ideal:
            ideal += query.work[i] * weights[i] / divisors[i]
        total += found / ideal
    return total / limit
