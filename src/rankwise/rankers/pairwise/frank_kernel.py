"""Sums of the fidelity loss over pairs, which are walked but never listed. Imports numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.compiled import compiled

# Beyond this a pair is hopelessly wrong, and its weight, which falls as e^-½, is 0 in effect.
_HOPELESS = 1e100


@compiled
def fidelity_potentials(
    rising: Any, falling: Any, order: Any, worse: Any, offsets: Any, shares: Any, potentials: Any
) -> float:
    """The loss, and the potential of every document: its pairs' weights, for it and against it.

    `rising` holds exp(F - m) and `falling` exp(m - F) with any m for each query, so that no pair
    needs an exponential of its own.
    """
    potentials[:] = 0.0
    loss = 0.0
    for query in range(len(offsets) - 1):
        first = offsets[query]
        for place in range(first, offsets[query + 1]):
            better = order[place]
            for other in range(first, first + worse[place]):
                e = min(rising[order[other]] * falling[better], _HOPELESS)
                root = np.sqrt(1.0 + e)
                weight = shares[query] * e / ((1.0 + e) * root)
                potentials[better] += weight
                potentials[order[other]] -= weight
                loss += shares[query] * (1.0 - 1.0 / root)
    return loss


@compiled
def agreement(
    rising: Any, falling: Any, order: Any, worse: Any, offsets: Any, shares: Any, raised: Any
) -> tuple[float, float]:
    """The weights of the pairs that a stump puts right, and of those that it puts wrong."""
    right = 0.0
    wrong = 0.0
    for query in range(len(offsets) - 1):
        first = offsets[query]
        for place in range(first, offsets[query + 1]):
            better = order[place]
            for other in range(first, first + worse[place]):
                if raised[better] == raised[order[other]]:
                    continue
                e = min(rising[order[other]] * falling[better], _HOPELESS)
                weight = shares[query] * e / ((1.0 + e) * np.sqrt(1.0 + e))
                if raised[better]:
                    right += weight
                else:
                    wrong += weight
    return right, wrong
