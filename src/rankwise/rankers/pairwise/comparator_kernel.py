"""The squared errors of a comparing network on pairs, and their slopes.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def comparison_errors(
    own: Floats,
    other: Floats,
    weights: Floats,
    better: Integers,
    worse: Integers,
    in_own: Floats,
    in_other: Floats,
    in_weights: Floats,
) -> float:
    """Σ over pairs (x, y) of (1 − N(x, y))² + N(y, x)², N the logistic function of

        Σ_h weights[0, h] tanh(own[x, h] + other[y, h])
          + weights[1, h] tanh(own[y, h] + other[x, h]) + weights[2, 0];

    its slopes are added to `in_own`, `in_other` and `in_weights`.
    """
    units = own.shape[1]
    straight, crossed = np.empty(units), np.empty(units)
    total = 0.0
    for place in range(len(better)):
        x, y = better[place], worse[place]
        above = below = weights[2, 0]
        for unit in range(units):
            straight[unit] = np.tanh(own[x, unit] + other[y, unit])
            crossed[unit] = np.tanh(own[y, unit] + other[x, unit])
            above += weights[0, unit] * straight[unit] + weights[1, unit] * crossed[unit]
            below += weights[0, unit] * crossed[unit] + weights[1, unit] * straight[unit]
        first, second = 1.0 / (1.0 + np.exp(-above)), 1.0 / (1.0 + np.exp(-below))
        total += (1.0 - first) ** 2 + second**2
        in_above = -2.0 * (1.0 - first) ** 2 * first
        in_below = 2.0 * second**2 * (1.0 - second)
        in_weights[2, 0] += in_above + in_below
        for unit in range(units):
            along, across = straight[unit], crossed[unit]
            in_weights[0, unit] += in_above * along + in_below * across
            in_weights[1, unit] += in_above * across + in_below * along
            slope = (weights[0, unit] * in_above + weights[1, unit] * in_below) * (1.0 - along**2)
            in_own[x, unit] += slope
            in_other[y, unit] += slope
            slope = (weights[1, unit] * in_above + weights[0, unit] * in_below) * (1.0 - across**2)
            in_own[y, unit] += slope
            in_other[x, unit] += slope
    return total
