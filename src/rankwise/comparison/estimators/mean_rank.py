"""The mean rank over cells, as a share of the rivals in each."""

from __future__ import annotations

import numpy as np

from rankwise.comparison.estimators.estimate import Estimates, ResultSample, bound_by_spread
from rankwise.comparison.spread import spread_shares


def estimate_mean_rank(sample: ResultSample) -> Estimates:
    """The mean over a method's cells of how far up it stands there, from 0 (last) to 1 (first).

    With rank r among the n results of a cell, level results sharing the mean of their ranks,

        score_i = mean over cells of 1 - (r - 1) / (n - 1) = (wins + ties / 2) / (n - 1).

    Ranks as such cannot be averaged over cells of 3 and of 40 results. Other than NWN it gives
    every cell the same weight, and half a win for a tie. Its intervals come from the scatter over
    data sets as those of NWN do, each data set weighing as many cells as the method has there.
    """
    cells = sample.cells
    share = (cells.wins + cells.ties / 2) / cells.rivals
    methods = len(cells.methods)
    results = np.bincount(cells.method, minlength=methods)
    sums = np.bincount(cells.method, share, methods)
    score = np.where(results > 0, sums / np.maximum(results, 1), np.nan)
    size = sample.group_count
    keys, inverse = np.unique(cells.method * size + sample.group, return_inverse=True)
    won = np.bincount(inverse, share, len(keys)).astype(np.float64)
    weight = np.bincount(inverse, minlength=len(keys)).astype(np.float64)
    spread = spread_shares(keys // size, won, weight, methods)
    return bound_by_spread(score, spread, sample.confidence, (0.0, 1.0))
