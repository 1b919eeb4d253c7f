"""Winner takes all: 1 where the document on top has the highest label of its query, else 0.

    WTA = [l_1 = max label]

On two-level labels this is P@1. A query whose highest label is not relevant is `empty`. Open ties:
the share of the top group that has the highest label.
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import MeasureRecord, RankedQuery, count_relevant


@compiled
def winner_takes_all(query: RankedQuery, measure: MeasureRecord) -> float:
    """WTA of one ranked query."""
    if count_relevant(query, measure) == 0:
        return measure.empty
    if query.retrieved == 0:
        return 0.0
    size = int(query.ends[0])
    winners = 0
    for i in range(size):
        winners += query.labels[i] == query.judged[0]
    return winners / size
