"""Expected reciprocal rank: a user who goes down the list and stops when satisfied.

    ERR@k = sum over ranks i <= min(k, n) of (1 / i) R_i prod_{j < i} (1 - R_j)

R_i is the chance that the document at rank i satisfies: (2^l - 1) / 2^highest with the exponential
gain, l / highest with the linear one (CatBoost: the label itself, highest = 1). Labels above
`highest` make a chance above 1, and the value leaves [0, 1]; tools that do so are followed.

Open ties: let p_j be the expected product of 1 - R over j documents drawn from the tie group. The
group is expected to stop the user at its j-th place with chance (p_{j-1} - p_j), and the p_j of m
documents follow from those of m - 1 by p_j <- ((m - j) p_j + j (1 - R_m) p_{j-1}) / m.

Chapelle, Metzler, Zhang and Grinspan, CIKM 2009.
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import MeasureRecord, RankedQuery, Tables, gain_of, within


@compiled
def expected_reciprocal_rank(query: RankedQuery, measure: MeasureRecord, tables: Tables) -> float:
    """ERR of one ranked query."""
    if query.n_judged == 0 or not gain_of(query.judged[0], measure, tables) > 0.0:
        return measure.empty
    limit = within(measure, query.retrieved)
    total = 0.0
    going_on = 1.0
    start = 0
    while start < limit:
        end = query.ends[start]
        if end == start + 1:
            stop = gain_of(query.labels[start], measure, tables) / measure.scale
            total += going_on * stop / end
            going_on *= 1.0 - stop
        else:
            _products(query, measure, tables, start, end)
            for j in range(min(end, limit) - start):
                stopped = query.work[j] - query.work[j + 1]
                total += going_on * stopped / (start + j + 1)
            going_on *= query.work[end - start]
        start = end
    return total


@compiled
def _products(
    query: RankedQuery, measure: MeasureRecord, tables: Tables, start: int, end: int
) -> None:
    """Put p_0, p_1, … of the tie group into `query.work`."""
    query.work[0] = 1.0
    for size in range(1, end - start + 1):
        label = query.labels[start + size - 1]
        passing = 1.0 - gain_of(label, measure, tables) / measure.scale
        query.work[size] = 0.0
        for j in range(size, 0, -1):
            kept = (size - j) * query.work[j]
            query.work[j] = (kept + j * passing * query.work[j - 1]) / size
