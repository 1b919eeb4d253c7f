"""What comparing each document with the others of its query adds up to, and its slopes.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def add_potentials(hidden: Floats, query_offsets: Integers, potentials: Floats) -> None:
    """Add 1/(n − 1) Σ_k tanh(hidden[i, h] − hidden[k, h]) over the query of i to `potentials`."""
    for query in range(len(query_offsets) - 1):
        first, last = query_offsets[query], query_offsets[query + 1]
        share = 1.0 / max(1, last - first - 1)
        for i in range(first, last):
            for k in range(first, i):
                for unit in range(hidden.shape[1]):
                    value = share * np.tanh(hidden[i, unit] - hidden[k, unit])
                    potentials[i, unit] += value
                    potentials[k, unit] -= value


@compiled
def add_slopes(
    hidden: Floats, query_offsets: Integers, in_scores: Floats, in_hidden: Floats
) -> None:
    """Add 1/(n − 1) Σ_k (1 − tanh²(hidden[i, h] − hidden[k, h])) (u_i − u_k) to `in_hidden`.

    u are slopes in the scores; those in hidden[i, h] are this times the weight of the unit.
    """
    for query in range(len(query_offsets) - 1):
        first, last = query_offsets[query], query_offsets[query + 1]
        share = 1.0 / max(1, last - first - 1)
        for i in range(first, last):
            for k in range(first, i):
                moved = share * (in_scores[i] - in_scores[k])
                for unit in range(hidden.shape[1]):
                    value = np.tanh(hidden[i, unit] - hidden[k, unit])
                    slope = moved * (1.0 - value * value)
                    in_hidden[i, unit] += slope
                    in_hidden[k, unit] -= slope
