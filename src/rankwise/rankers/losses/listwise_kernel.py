"""Listwise losses and their slopes in the scores, one query after the other.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def top_one_cross_entropy(
    scores: Floats, targets: Floats, query_offsets: Integers, slopes: Floats
) -> float:
    """Σ_q Σ_i −t_i log softmax(s)_i; the slopes, t_q softmax(s)_i − t_i, go into `slopes`.

    t_q is the sum of the query's targets: 1, or 0 where the query has none and costs nothing.
    """
    total = 0.0
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        last = query_offsets[query + 1]
        highest = scores[first:last].max()
        mass = 0.0
        target = 0.0
        for row in range(first, last):
            slopes[row] = np.exp(scores[row] - highest)
            mass += slopes[row]
            target += targets[row]
        logarithm = np.log(mass)
        for row in range(first, last):
            total += targets[row] * (logarithm + highest - scores[row])
            slopes[row] = target * slopes[row] / mass - targets[row]
    return total


@compiled
def order_likelihood(
    scores: Floats,
    order: Integers,
    query_offsets: Integers,
    query_weights: Floats,
    tails: Floats,
    slopes: Floats,
) -> float:
    """Σ_q v_q Σ_i log Σ_{k ≥ i} exp(s_o(k) − s_o(i)); its slopes are added to `slopes`.

    `order` holds the rows of each query, best first; `tails` is room for one number per row.
    Everything stays in logarithms, since the last documents of an order may be so far below the
    first that their exponentials are 0 beside it.
    """
    total = 0.0
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        last = query_offsets[query + 1]
        weight = query_weights[query]
        tail = -np.inf
        cost = 0.0
        for place in range(last - 1, first - 1, -1):
            tail = _add_logarithms(tail, scores[order[place]])
            tails[place] = tail
            cost += tail - scores[order[place]]
        above = -np.inf
        for place in range(first, last):
            above = _add_logarithms(above, -tails[place])
            row = order[place]
            slopes[row] += weight * (np.exp(scores[row] + above) - 1.0)
        total += weight * cost
    return total


@compiled
def _add_logarithms(left: float, right: float) -> float:
    """The logarithm of exp(left) + exp(right)."""
    if left < right:
        left, right = right, left
    return float(left + np.log1p(np.exp(right - left)))
