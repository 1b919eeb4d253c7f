"""NDCG of a relaxed sort and its slopes in the scores, one query after the other.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Sums of rows and columns below it count as it, so that nothing is divided by 0.
_FLOOR = 1e-10


@compiled
def relaxed_gains(
    scores: Floats,
    gains: Floats,
    discounts: Floats,
    query_offsets: Integers,
    temperature: float,
    scalings: int,
    tolerance: float,
    slopes: Floats,
) -> float:
    """Σ_q Σ_r d_r Σ_i P_ri g_i; its slopes in the scores go into `slopes`."""
    total = 0.0
    for query in range(len(query_offsets) - 1):
        first, last = query_offsets[query], query_offsets[query + 1]
        own = slopes[first:last]
        own[:] = 0.0
        if gains[first:last].max() > 0.0:
            total += _relaxed_gain(
                scores[first:last],
                gains[first:last],
                discounts,
                temperature,
                scalings,
                tolerance,
                own,
            )
    return total


@compiled
def _relaxed_gain(
    scores: Floats,
    gains: Floats,
    discounts: Floats,
    temperature: float,
    scalings: int,
    tolerance: float,
    slopes: Floats,
) -> float:
    size = len(scores)
    relaxed = relaxed_sort(scores, temperature)
    scaled = relaxed.copy()
    sums = np.empty((2 * scalings, size))
    done = _scale(scaled, sums, scalings, tolerance)
    total = 0.0
    back = np.empty((size, size))
    for rank in range(size):
        for item in range(size):
            back[rank, item] = discounts[rank] * gains[item]
            total += scaled[rank, item] * back[rank, item]
    _unscale(scaled, back, sums, done)
    _back_through_sort(scores, relaxed, back, temperature, slopes)
    return total


@compiled
def relaxed_sort(scores: Floats, temperature: float) -> Floats:
    """Row r, from 0: the softmax over i of ((n − 1 − 2r) s_i − Σ_k |s_i − s_k|) / τ."""
    size = len(scores)
    away = np.zeros(size)
    for item in range(size):
        for other in range(size):
            away[item] += abs(scores[item] - scores[other])
    found = np.empty((size, size))
    for rank in range(size):
        highest = -np.inf
        for item in range(size):
            value = ((size - 1 - 2 * rank) * scores[item] - away[item]) / temperature
            found[rank, item] = value
            highest = max(highest, value)
        mass = 0.0
        for item in range(size):
            found[rank, item] = np.exp(found[rank, item] - highest)
            mass += found[rank, item]
        for item in range(size):
            found[rank, item] /= mass
    return found


@compiled
def _scale(matrix: Floats, sums: Floats, scalings: int, tolerance: float) -> int:
    """Divide columns, then rows, by their sums, until columns sum to 1; how often that was."""
    size = len(matrix)
    for step in range(scalings):
        columns, rows = sums[2 * step], sums[2 * step + 1]
        columns[:] = 0.0
        for rank in range(size):
            for item in range(size):
                columns[item] += matrix[rank, item]
        if np.abs(columns - 1.0).max() <= tolerance:
            return step
        for rank in range(size):
            rows[rank] = 0.0
            for item in range(size):
                matrix[rank, item] /= max(columns[item], _FLOOR)
                rows[rank] += matrix[rank, item]
            for item in range(size):
                matrix[rank, item] /= max(rows[rank], _FLOOR)
    return scalings


@compiled
def _unscale(matrix: Floats, back: Floats, sums: Floats, done: int) -> None:
    """Take `matrix` back to before it was scaled, and `back`, slopes in it, along.

    Of y = x / Σx the slope in x is (u − Σ u y) / Σx, u being that in y; at the floor it is
    u / floor.
    """
    size = len(matrix)
    inner = np.empty(size)
    for step in range(done - 1, -1, -1):
        columns, rows = sums[2 * step], sums[2 * step + 1]
        inner[:] = 0.0
        for rank in range(size):
            along = 0.0
            for item in range(size):
                along += back[rank, item] * matrix[rank, item]
            if rows[rank] < _FLOOR:
                along = 0.0
            divisor = max(rows[rank], _FLOOR)
            for item in range(size):
                back[rank, item] = (back[rank, item] - along) / divisor
                matrix[rank, item] *= divisor
                inner[item] += back[rank, item] * matrix[rank, item]
        for item in range(size):
            if columns[item] < _FLOOR:
                inner[item] = 0.0
        for rank in range(size):
            for item in range(size):
                divisor = max(columns[item], _FLOOR)
                back[rank, item] = (back[rank, item] - inner[item]) / divisor
                matrix[rank, item] *= divisor


@compiled
def _back_through_sort(
    scores: Floats, relaxed: Floats, back: Floats, temperature: float, slopes: Floats
) -> None:
    """Add to `slopes` those in the scores, from those in the relaxed sort."""
    size = len(scores)
    in_away = np.zeros(size)
    for rank in range(size):
        along = 0.0
        for item in range(size):
            along += back[rank, item] * relaxed[rank, item]
        for item in range(size):
            slope = relaxed[rank, item] * (back[rank, item] - along) / temperature
            slopes[item] += (size - 1 - 2 * rank) * slope
            in_away[item] -= slope
    for item in range(size):
        for other in range(size):
            sign = np.sign(scores[item] - scores[other])
            slopes[item] += sign * (in_away[item] + in_away[other])
