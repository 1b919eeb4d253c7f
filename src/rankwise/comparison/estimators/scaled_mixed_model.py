"""The mixed model of values that have the same scale in every cell."""

from __future__ import annotations

import numpy as np

from rankwise.comparison.cells import Cells
from rankwise.comparison.estimators.estimate import Estimates, Floats, ResultSample
from rankwise.comparison.estimators.mixed_model import fit_mixed_model

PRIOR_FREEDOM = 4.0
"""How many results the scale of all cells together counts for beside those of one cell."""


def estimate_scaled_mixed_model(sample: ResultSample) -> Estimates:
    """`estimate_mixed_model` of values in standard deviations of their cell.

    On some data sets methods differ by .01 and on others by .2: a model of plain values hears the
    latter only, and takes its one σ for all. With n_c results in cell c, SS_c their squared
    distances from their mean, s² = Σ SS_c / Σ (n_c - 1) and ν = 4, a value is divided by

        s_c = √((ν s² + SS_c) / (ν + n_c - 1)),

    so that a cell of two results, which says little of its own scale, is given that of the others.
    """
    cells = sample.cells
    _, cell = np.unique(cells.cell, return_inverse=True)
    size = np.bincount(cell)
    distance = cells.value - (np.bincount(cell, cells.value) / size)[cell]
    return fit_mixed_model(sample, distance / find_scales(cells, distance)[cell])


def find_scales(cells: Cells, distance: Floats) -> Floats:
    """s_c of each cell, from the distances of values from the mean of their cell."""
    _, cell = np.unique(cells.cell, return_inverse=True)
    squares = np.bincount(cell, distance**2)
    free = np.bincount(cell) - 1.0
    pooled = squares.sum() / free.sum()
    scales = np.sqrt((PRIOR_FREEDOM * pooled + squares) / (PRIOR_FREEDOM + free))
    return np.where(scales > 0, scales, 1.0)
