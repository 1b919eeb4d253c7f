"""The most violated ranking of SVM-MAP, found exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled
from rankwise.rankers.losses.sorting_kernel import sort_descending


@compiled
def average_precision_hinge(
    scores: NDArray[np.float64], relevant: NDArray[np.bool_], query_offsets: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The structural hinge of every query and its subgradient in the scores.

    A ranking sorts both classes by score and only interleaves them: every non-relevant document,
    the j-th of its class, stands above the relevant ones from some place on. Putting it above the
    i-th costs precision there and moves one pair,

        δ_j(i) = (i / (i + j − 1) − i / (i + j)) / |R| − 2 (s_i − s_j) / (|R| |N|),

    and H = max over rankings of the sum of δ over all pairs so placed. As δ_j(i) falls with j for
    every i, the best place of each j alone is never above that of an earlier one: the choices fit
    together, and taking each alone is exact (Yue et al. 2007, algorithm 2).
    """
    slopes = np.zeros(len(scores))
    hinges = np.zeros(len(query_offsets) - 1)
    for query in range(len(hinges)):
        first = query_offsets[query]
        size = query_offsets[query + 1] - first
        order = np.empty(2 * size, np.int64)
        keys = np.empty(2 * size)
        for i in range(size):
            order[i] = first + i
            keys[i] = scores[first + i]
        sort_descending(keys, order, 0, size)
        better, worse = _classes(order[:size], relevant)
        if len(better) and len(worse):
            hinges[query] = _interleave(scores, better, worse, slopes)
    return hinges, slopes


@compiled
def _classes(
    order: NDArray[np.int64], relevant: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The relevant documents and the others, each in the given order."""
    found = np.empty(len(order), np.int64)
    better = 0
    for row in order:
        if relevant[row]:
            found[better] = row
            better += 1
    place = better
    for row in order:
        if not relevant[row]:
            found[place] = row
            place += 1
    return found[:better], found[better:]


@compiled
def _interleave(
    scores: NDArray[np.float64],
    better: NDArray[np.int64],
    worse: NDArray[np.int64],
    slopes: NDArray[np.float64],
) -> float:
    """The hinge of one query; both classes by falling score. Adds to `slopes`."""
    share = 2.0 / (len(better) * len(worse))
    hinge = 0.0
    ceiling = 0
    for j in range(1, len(worse) + 1):
        low = worse[j - 1]
        highest = 0.0
        place = len(better)
        total = 0.0
        for i in range(len(better), ceiling, -1):
            lost = i / (i + j - 1.0) - i / (i + j + 0.0)
            total += lost / len(better) - share * (scores[better[i - 1]] - scores[low])
            if total > highest:
                highest = total
                place = i - 1
        if place == len(better):
            break
        hinge += highest
        slopes[low] += share * (len(better) - place)
        for i in range(place, len(better)):
            slopes[better[i]] -= share
        ceiling = place
    return hinge
