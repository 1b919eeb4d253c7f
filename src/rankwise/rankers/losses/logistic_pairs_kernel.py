"""The logistic loss over all pairs of a query.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_LARGE = 1e300


@compiled
def logistic_pairs(
    scores: Floats,
    order: Integers,
    worse: Integers,
    query_offsets: Integers,
    query_weights: Floats,
    slopes: Floats,
) -> float:
    """Σ v_q log(1 + exp(s_j − s_i)) over the pairs; its slopes are added to `slopes`.

    `order` holds the rows of each query by falling label; worse[p] is the first place after p
    whose label is lower.
    """
    total = 0.0
    for query in range(len(query_offsets) - 1):
        last = query_offsets[query + 1]
        cost = 0.0
        product = 1.0
        weight = query_weights[query]
        for place in range(query_offsets[query], last):
            better = order[place]
            pulled = 0.0
            for other in range(worse[place], last):
                difference = scores[better] - scores[order[other]]
                small = np.exp(-abs(difference))
                wrong = (small if difference > 0.0 else 1.0) / (1.0 + small)
                # One logarithm for many factors: it is half of the cost of a pair otherwise.
                product *= 1.0 + small
                if product > _LARGE:
                    cost += np.log(product)
                    product = 1.0
                cost -= min(difference, 0.0)
                pulled += wrong
                slopes[order[other]] += weight * wrong
            slopes[better] -= weight * pulled
        total += weight * (cost + np.log(product))
    return total
