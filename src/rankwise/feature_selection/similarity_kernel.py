"""The loop over pairs of documents behind Kendall's τ of all pairs of features."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled


@compiled
def order_balance(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """(features, features) pairs of rows in the same order minus pairs in opposite order.

    On the diagonal stand the pairs that a feature orders at all.
    """
    n, width = features.shape
    balance = np.zeros((width, width))
    signs = np.zeros(width)
    for i in range(n):
        for j in range(i + 1, n):
            for f in range(width):
                signs[f] = np.sign(features[i, f] - features[j, f])
            for f in range(width):
                if signs[f] != 0.0:
                    for g in range(f, width):
                        balance[f, g] += signs[f] * signs[g]
    for f in range(width):
        for g in range(f):
            balance[f, g] = balance[g, f]
    return balance
