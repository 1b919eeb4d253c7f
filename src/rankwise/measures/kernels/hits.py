"""Hits: the number of relevant documents among the first k.

    Hits@k = sum over ranks i <= min(k, n) of [l_i is relevant]

Not a hit rate: that is Success. ranx prints it as `hits@k`.
"""

from __future__ import annotations

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import MeasureRecord, RankedQuery, hits_within, within


@compiled
def hits(query: RankedQuery, measure: MeasureRecord) -> float:
    """Relevant documents up to the cut-off."""
    return hits_within(query, measure, within(measure, query.retrieved))
