"""The search over all thresholds of all features. Importing this module imports numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.compiled import compiled


@compiled
def best_threshold(codes: Any, potentials: Any, count: int) -> tuple[int, int, float]:
    """(feature, place of the threshold from 1, edge) of the greatest absolute edge.

    The edge of threshold k is the sum of the potentials of documents whose code is k or more: the
    potentials are summed by code, then from the last code down.
    """
    sums = np.empty(count + 1)
    column = 0
    place = 1
    edge = 0.0
    for feature in range(codes.shape[0]):
        sums[:] = 0.0
        for row in range(codes.shape[1]):
            sums[codes[feature, row]] += potentials[row]
        total = 0.0
        for k in range(count, 0, -1):
            total += sums[k]
            if abs(total) > abs(edge):
                column, place, edge = feature, k, total
    return column, place, edge
