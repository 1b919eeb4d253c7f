"""Smoothed NDCG: ranks are held by all documents near in score, in shares that sum to 1.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled
from rankwise.rankers.losses.sorting_kernel import sort_descending

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NEGLIGIBLE = 45.0


@compiled
def smoothed_gains(
    scores: Floats,
    query_offsets: Integers,
    gains: Floats,
    discounts: Floats,
    cutoff: int,
    width: float,
    slopes: Floats,
) -> float:
    """Σ_q Σ_j d(j) Σ_i g_i h_ij; its slopes in the scores are added to `slopes`.

    h_ij = exp(−(s_i − t_j)² / σ) / Σ_k exp(−(s_k − t_j)² / σ), t_j the j-th largest score of the
    query, for the first `cutoff` ranks j; σ is `width`.
    """
    longest = 0
    for query in range(len(query_offsets) - 1):
        longest = max(longest, query_offsets[query + 1] - query_offsets[query])
    keys = np.empty(2 * longest)
    rows = np.empty(2 * longest, np.int64)
    shares = np.empty(longest)
    total = 0.0
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        size = query_offsets[query + 1] - first
        for i in range(size):
            keys[i] = scores[first + i]
            rows[i] = first + i
        sort_descending(keys, rows, 0, size)
        for rank in range(min(cutoff, size)):
            gain = _shared_gain(scores, gains, first, size, keys[rank], width, shares)
            _add_slopes(
                scores,
                gains,
                first,
                size,
                rows[rank],
                gain,
                2.0 * discounts[rank] / width,
                shares,
                slopes,
            )
            total += discounts[rank] * gain
    return total


@compiled
def _shared_gain(
    scores: Floats, gains: Floats, first: int, size: int, held: float, width: float, shares: Floats
) -> float:
    """Put h_ij of one rank j into `shares` and return Σ_i g_i h_ij."""
    mass = 0.0
    gain = 0.0
    for i in range(size):
        distance = scores[first + i] - held
        exponent = distance * distance / width
        # The document that holds the rank has the share 1: smaller ones do not move the sums.
        shares[i] = np.exp(-exponent) if exponent < _NEGLIGIBLE else 0.0
        mass += shares[i]
        gain += gains[first + i] * shares[i]
    for i in range(size):
        shares[i] /= mass
    return gain / mass


@compiled
def _add_slopes(
    scores: Floats,
    gains: Floats,
    first: int,
    size: int,
    holder: int,
    gain: float,
    factor: float,
    shares: Floats,
    slopes: Floats,
) -> None:
    """h_ij moves with s_i and, the other way, with the score of the document that holds rank j."""
    pulled = 0.0
    for i in range(size):
        if shares[i] == 0.0:
            continue
        distance = scores[first + i] - scores[holder]
        slope = factor * shares[i] * (gains[first + i] - gain) * distance
        slopes[first + i] -= slope
        pulled += slope
    slopes[holder] += pulled
