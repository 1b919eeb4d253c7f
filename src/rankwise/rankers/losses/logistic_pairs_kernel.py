"""The logistic loss over all pairs of a query, plain or weighted by what a swap would change.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled
from rankwise.rankers.losses.sorting_kernel import sort_descending

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_LARGE = 1e300


@compiled
def logistic_pairs(
    scores: Floats,
    order: Integers,
    worse: Integers,
    query_offsets: Integers,
    query_weights: Floats,
    slopes: Floats,
) -> float:
    """Σ v_q log(1 + exp(s_j − s_i)) over the pairs; its slopes are added to `slopes`.

    `order` holds the rows of each query by falling label; worse[p] is the first place after p
    whose label is lower.
    """
    total = 0.0
    for query in range(len(query_offsets) - 1):
        last = query_offsets[query + 1]
        cost = 0.0
        product = 1.0
        weight = query_weights[query]
        for place in range(query_offsets[query], last):
            better = order[place]
            pulled = 0.0
            for other in range(worse[place], last):
                difference = scores[better] - scores[order[other]]
                small = np.exp(-abs(difference))
                wrong = (small if difference > 0.0 else 1.0) / (1.0 + small)
                # One logarithm for many factors: it is half of the cost of a pair otherwise.
                product *= 1.0 + small
                if product > _LARGE:
                    cost += np.log(product)
                    product = 1.0
                cost -= min(difference, 0.0)
                pulled += wrong
                slopes[order[other]] += weight * wrong
            slopes[better] -= weight * pulled
        total += weight * (cost + np.log(product))
    return total


@compiled
def gain_lambdas(
    scores: Floats,
    order: Integers,
    worse: Integers,
    query_offsets: Integers,
    gains: Floats,
    discounts: Floats,
    normalised: bool,
    slopes: Floats,
    curves: Floats,
) -> float:
    """As `logistic_pairs`, a pair weighted by |(g_i − g_j)(d(i) − d(j))|.

    d is the discount of the rank that the scores give; gains are divided by the ideal beforehand.
    Second derivatives are added to `curves`. `normalised` scales the pairs of a query as LightGBM
    does: see `_nearness` and `_scale`.
    """
    ranks = _ranks(scores, query_offsets)
    total = 0.0
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        last = query_offsets[query + 1]
        spread = normalised and _is_spread(scores, first, last)
        pulled = 0.0
        for place in range(first, last):
            better = order[place]
            discount = discounts[ranks[better]]
            for other in range(worse[place], last):
                row = order[other]
                change = abs((gains[better] - gains[row]) * (discount - discounts[ranks[row]]))
                # Most pairs lie below the cut-off, where a swap changes nothing.
                if change > 0.0:
                    if spread:
                        change /= _nearness(scores[better], scores[row])
                    cost, pull = _weighted_pair(scores, better, row, change, slopes, curves)
                    total += cost
                    pulled += pull
        if normalised:
            _scale(slopes, curves, first, last, pulled)
    return total


@compiled
def precision_lambdas(
    scores: Floats,
    order: Integers,
    worse: Integers,
    query_offsets: Integers,
    relevant: Floats,
    normalised: bool,
    slopes: Floats,
    curves: Floats,
) -> float:
    """As `gain_lambdas`, a pair weighted by the change in average precision if it were swapped.

    Only pairs of a relevant (1) and another document (0) change it.
    """
    ranks = _ranks(scores, query_offsets)
    hits = np.empty(len(scores))
    sums = np.empty(len(scores))
    total = 0.0
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        last = query_offsets[query + 1]
        for row in range(first, last):
            hits[first + ranks[row]] = relevant[row]
        count = _prefix_sums(hits, sums, first, last)
        spread = normalised and _is_spread(scores, first, last)
        pulled = 0.0
        for place in range(first, last):
            better = order[place]
            for other in range(worse[place], last):
                row = order[other]
                if relevant[better] != relevant[row]:
                    change = _swap(hits, sums, first, ranks[better], ranks[row]) / count
                    if spread:
                        change /= _nearness(scores[better], scores[row])
                    cost, pull = _weighted_pair(scores, better, row, change, slopes, curves)
                    total += cost
                    pulled += pull
        if normalised:
            _scale(slopes, curves, first, last, pulled)
    return total


@compiled
def _is_spread(scores: Floats, first: int, last: int) -> bool:
    """Whether the documents of a query have different scores."""
    found = scores[first:last]
    return bool(found.max() != found.min())


@compiled
def _nearness(one: float, other: float) -> float:
    """LightGBM divides the change of a pair by this, so that scores do not drift far apart."""
    return float(0.01 + abs(one - other))


@compiled
def _scale(slopes: Floats, curves: Floats, first: int, last: int, pulled: float) -> None:
    """Scale a query whose λ sum up to L by log2(1 + L) / L, so that none outweighs all others."""
    both = 2.0 * pulled
    if both > 0.0:
        factor = np.log2(1.0 + both) / both
        for row in range(first, last):
            slopes[row] *= factor
            curves[row] *= factor


@compiled
def _ranks(scores: Floats, query_offsets: Integers) -> Integers:
    """The rank of every row in its query, from 0; equal scores in the order of the rows."""
    ranks = np.empty(len(scores), np.int64)
    longest = np.diff(query_offsets).max()
    keys = np.empty(2 * longest)
    rows = np.empty(2 * longest, np.int64)
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        size = query_offsets[query + 1] - first
        for i in range(size):
            keys[i] = scores[first + i]
            rows[i] = first + i
        sort_descending(keys, rows, 0, size)
        for i in range(size):
            ranks[rows[i]] = i
    return ranks


@compiled
def _weighted_pair(
    scores: Floats, better: int, row: int, weight: float, slopes: Floats, curves: Floats
) -> tuple[float, float]:
    """The cost of a pair, and its pull; slopes and second derivatives are added to the arrays."""
    difference = scores[better] - scores[row]
    small = np.exp(-abs(difference))
    share = (small if difference > 0.0 else 1.0) / (1.0 + small)
    wrong = weight * share
    slopes[row] += wrong
    slopes[better] -= wrong
    curve = wrong * (1.0 - share)
    curves[row] += curve
    curves[better] += curve
    return weight * (np.log1p(small) - min(difference, 0.0)), wrong


@compiled
def _prefix_sums(hits: Floats, sums: Floats, first: int, last: int) -> float:
    """Turn 0/1 by rank into counts up to each rank; sums of 1/rank over hits; all hits."""
    count = 0.0
    total = 0.0
    for place in range(first, last):
        count += hits[place]
        total += hits[place] / (place - first + 1)
        hits[place] = count
        sums[place] = total
    return count


@compiled
def _swap(hits: Floats, sums: Floats, first: int, one: int, two: int) -> float:
    """How far R · AP moves when the documents at two ranks, one of them relevant, are swapped.

    With a < b, c the counts and S the sums of 1/rank over hits: moving a hit from a to b changes
    R · AP by c_b / b − c_a / a − (S_{b−1} − S_a); a hit from b to a by the opposite of what
    moving it back would.
    """
    above = min(one, two)
    below = max(one, two)
    counts_above = hits[first + above]
    before = hits[first + above - 1] if above > 0 else 0.0
    between = sums[first + below - 1] - sums[first + above]
    if counts_above == before:
        counts_above += 1.0
    moved = hits[first + below] / (below + 1) - counts_above / (above + 1) - between
    return float(abs(moved))
