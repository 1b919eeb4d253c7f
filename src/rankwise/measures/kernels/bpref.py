"""Bpref: how often judged non-relevant documents stand above relevant ones.

    Bpref = (1 / R) sum over relevant retrieved documents of 1 - min(a, R) / min(N, R)

a is the number of judged non-relevant documents above the document, N that of the query; the term
is 1 where a = 0. Unjudged documents do not count at all. This is trec_eval's form (since version
8), not that of the paper, which divides by R alone.

Open ties: a relevant document in a group with b judged non-relevant ones has 0, 1, …, b of them
above it with equal chance.

Buckley and Voorhees, SIGIR 2004.
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import (
    MeasureRecord,
    RankedQuery,
    count_relevant,
    is_relevant,
)


@compiled
def bpref(query: RankedQuery, measure: MeasureRecord) -> float:
    """Bpref of one ranked query."""
    relevant = count_relevant(query, measure)
    if relevant == 0:
        return measure.empty
    bound = min(relevant, query.n_judged - relevant)
    total = 0.0
    above = 0
    start = 0
    while start < query.retrieved:
        end = query.ends[start]
        found = 0
        others = 0
        for i in range(start, end):
            hit = is_relevant(query.labels[i], measure)
            found += hit
            others += not hit and query.labels[i] == query.labels[i]
        if found > 0:
            total += found * _term(above, others, relevant, bound)
        above += others
        start = end
    return total / relevant


@compiled
def _term(above: int, others: int, relevant: int, bound: int) -> float:
    """The expected term of a relevant document, over its places among the group's `others`."""
    total = 0.0
    for a in range(above, above + others + 1):
        total += 1.0 - min(a, relevant) / bound if a > 0 else 1.0
    return total / (others + 1)
