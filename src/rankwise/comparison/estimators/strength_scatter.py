"""How far strengths would move with other data sets: what each data set alone asks for.

The gradient of the likelihood is a sum over data sets. With g_ij the part of data set j in the
gradient for method i and h_ij the part in its negative second derivative, both at the maximum,
λ_i + g_ij / h_ij is where one Newton step on that data set alone would move method i. These
g_ij / h_ij, of weight h_ij, take the place of the shares of wins in `rankwise.comparison.spread`:
λ_i is their weighted mean as NWN is that of shares. What the curvature of the likelihood gives
instead takes all comparisons as independent, and covers too little (docs/comparison.md).

The strengths of the rivals are taken as known, so that intervals are a little too narrow where
rivals have few results themselves.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankwise.comparison.estimators.estimate import (
    Estimates,
    Floats,
    ResultSample,
    bound_by_spread,
    centre,
)
from rankwise.comparison.spread import spread_shares

Parts = tuple[slice, Floats, Floats]
"""A cell as a slice of the results, and for each of these its gradient and curvature."""


def bound_strengths(sample: ResultSample, score: Floats, parts: Iterable[Parts]) -> Estimates:
    """Log-strengths by method code, with mean 0, and their intervals."""
    methods, size = len(sample.cells.methods), sample.group_count
    gradient, curvature = (part.ravel() for part in sum_parts(sample, parts))
    known = np.flatnonzero(curvature > 0)
    spread = spread_shares(known // size, gradient[known], curvature[known], methods)
    return bound_by_spread(centre(score), spread, sample.confidence, (-np.inf, np.inf))


def sum_parts(sample: ResultSample, parts: Iterable[Parts]) -> tuple[Floats, Floats]:
    """(methods, data sets): gradients and curvatures, summed over the cells of each data set."""
    shape = (len(sample.cells.methods), sample.group_count)
    gradient, curvature = np.zeros((2, *shape))
    for cell, slope, bend in parts:
        # A method is in a cell once, so that adding through an index adds every part.
        place = sample.cells.method[cell], sample.group[cell]
        gradient[place] += slope
        curvature[place] += bend
    return gradient, curvature
