"""Sums of the fidelity loss over pairs, which are walked but never listed. Imports numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.compiled import compiled

# Beyond this a pair is hopelessly wrong, and its weight, which falls with its root, is 0 in effect.
_HOPELESS = 1e100


@compiled
def fidelity_sums(
    rising: Any, falling: Any, preferences: Any, shares: Any, codes: Any, sums: Any
) -> float:
    """The loss; and, for all thresholds, the weights of the pairs that they put right or wrong.

    `rising` holds exp(F - m) and `falling` exp(m - F) with any m for each query, so that no pair
    needs an exponential of its own. A pair whose codes are a < b is told apart by the thresholds
    a + 1 … b: its weight enters sums[side, feature] at a + 1 and leaves it at b + 1, so that the
    running sums are those of all thresholds. Side 0 is right (the better document has the higher
    code), side 1 wrong.
    """
    order, worse, offsets = preferences
    sums[:] = 0.0
    loss = 0.0
    for query in range(len(offsets) - 1):
        first = offsets[query]
        for place in range(first, offsets[query + 1]):
            better = order[place]
            for other in range(first, first + worse[place]):
                e = min(rising[order[other]] * falling[better], _HOPELESS)
                root = np.sqrt(1.0 + e)
                loss += shares[query] * (1.0 - 1.0 / root)
                weight = shares[query] * e / ((1.0 + e) * root)
                _enter(codes, better, order[other], weight, sums)
    return loss


@compiled
def _enter(codes: Any, better: int, worse: int, weight: float, sums: Any) -> None:
    for feature in range(codes.shape[1]):
        high = np.int64(codes[better, feature])
        low = np.int64(codes[worse, feature])
        side = np.int64(high < low)
        sums[side, feature, min(low, high) + 1] += weight
        sums[side, feature, max(low, high) + 1] -= weight
