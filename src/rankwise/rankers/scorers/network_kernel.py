"""A feed-forward network on every row of a matrix, in a fixed order of summation.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]
TANH, RELU, SIGMOID = 0, 1, 2


@compiled
def network_scores(
    features: Floats,
    means: Floats,
    scales: Floats,
    sizes: NDArray[np.int64],
    weights: Floats,
    biases: Floats,
    activation: int,
) -> Floats:
    """One score per row.

    Layer l has sizes[l] inputs and sizes[l + 1] outputs; its weights lie one output after the
    other in `weights`, its biases in `biases`. The last layer has one output and no activation.
    """
    widest = sizes.max()
    before = np.empty(widest)
    after = np.empty(widest)
    scores = np.empty(len(features))
    for row in range(len(features)):
        for column in range(len(means)):
            before[column] = (features[row, column] - means[column]) / scales[column]
        weight = 0
        bias = 0
        for layer in range(len(sizes) - 1):
            for output in range(sizes[layer + 1]):
                total = biases[bias]
                for column in range(sizes[layer]):
                    total += weights[weight + column] * before[column]
                after[output] = _activated(total, activation, layer == len(sizes) - 2)
                weight += sizes[layer]
                bias += 1
            before, after = after, before
        scores[row] = before[0]
    return scores


@compiled
def _activated(total: float, activation: int, last: bool) -> float:
    if last:
        return total
    if activation == TANH:
        return float(np.tanh(total))
    if activation == RELU:
        return max(total, 0.0)
    return 1.0 / (1.0 + float(np.exp(-total)))
