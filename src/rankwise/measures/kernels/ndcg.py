"""Normalized discounted cumulative gain, and DCG, which it normalizes.

    DCG@k  = sum over ranks i <= min(k, n) of g(l_i) d(i)
    NDCG@k = DCG@k / ideal DCG@k

l_i is the label at rank i, g the gain (2^l - 1 in the textbook), d the discount (1 / log2(i + 1)).
The ideal DCG@k is that of all judged documents of the query in descending order of gain, cut at
the same k: not of the first k retrieved documents sorted again. Where it is 0, NDCG is the
measure's `empty` value.

With open ties the expectation of DCG spreads each tie group's mean gain over its ranks, because
DCG is linear in what stands at a rank (McSherry and Najork, ECIR 2008).

Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; the exponential gain is that of Burges et al.,
ICML 2005.
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import (
    MeasureRecord,
    RankedQuery,
    Tables,
    discounted_gain,
    ideal_gains,
    within,
)


@compiled
def ndcg(query: RankedQuery, measure: MeasureRecord, tables: Tables) -> float:
    """NDCG of one ranked query."""
    ideal = ideal_discounted_gain(query, measure, tables)
    if not ideal > 0.0:
        return measure.empty
    return discounted_gain(query, measure, tables, within(measure, query.retrieved)) / ideal


@compiled
def dcg(query: RankedQuery, measure: MeasureRecord, tables: Tables) -> float:
    """DCG of one ranked query."""
    return discounted_gain(query, measure, tables, within(measure, query.retrieved))


@compiled
def ideal_discounted_gain(query: RankedQuery, measure: MeasureRecord, tables: Tables) -> float:
    """DCG of the best possible list."""
    limit = within(measure, query.n_ideal)
    ideal_gains(query, measure, tables, limit)
    total = 0.0
    for i in range(limit):
        total += (
            query.work[i]
            * tables.weights[measure.discount, i]
            / tables.divisors[measure.discount, i]
        )
    return total
