"""The Normalized Winning Number, which the comparison of 87 methods ranks by."""

from __future__ import annotations

import numpy as np

from rankwise.comparison.cells import sum_by_part
from rankwise.comparison.estimators.estimate import Estimates, ResultSample, bound_by_spread
from rankwise.comparison.spread import compute_spread


def estimate_winning_number(sample: ResultSample) -> Estimates:
    """NWN_i = WN_i / IWN_i over all cells, with the intervals of `rankwise.comparison.spread`.

    A tie is no win, and a cell counts by its number of rivals. A method with results on one data
    set has no interval: nothing can vary there.
    """
    cells = sample.cells
    wins, ideals = cells.per_method(cells.wins), cells.per_method(cells.ideal(sample.ideal))
    score = np.where(ideals > 0, wins / np.maximum(ideals, 1), np.nan)
    spread = compute_spread(sum_by_part(cells, sample.group, sample.ideal), len(cells.methods))
    return bound_by_spread(score, spread, sample.confidence, (0.0, 1.0))
