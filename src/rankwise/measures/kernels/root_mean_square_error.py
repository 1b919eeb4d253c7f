"""Root of the mean squared difference of scores and labels; the order plays no part.

    RMSE = sqrt((1 / n) sum over documents of (score - label)^2)

Yahoo's tool takes the mean over all documents of the file, not over queries: `average=pooled`.
Unjudged documents count as label 0.
"""

from __future__ import annotations

import numpy as np

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import RankedQuery


@compiled
def root_mean_square_error(query: RankedQuery) -> float:
    """RMSE of one query."""
    if query.retrieved == 0:
        return 0.0
    total = 0.0
    for i in range(query.retrieved):
        label = query.labels[i]
        difference = query.scores[i] - (label if label == label else 0.0)
        total += difference * difference
    return float(np.sqrt(total / query.retrieved))
