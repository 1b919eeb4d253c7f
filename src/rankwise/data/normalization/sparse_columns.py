"""Figures of the features of sparse data over all rows, from the entries alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import RankwiseError

Floats = NDArray[np.float64]


def sparse_extremes(sparse: SparseFeatures) -> tuple[Floats, Floats]:
    """The smallest and the largest value of every feature; 0 where it has none but NULL."""
    if np.isinf(sparse.values).any():
        raise RankwiseError("features must be finite or NULL to be scaled, found infinite ones")
    least, greatest = np.full(sparse.width, np.inf), np.full(sparse.width, -np.inf)
    present = ~np.isnan(sparse.values)
    columns, values = sparse.columns[present], sparse.values[present]
    np.minimum.at(least, columns, values)
    np.maximum.at(greatest, columns, values)
    # A row without an entry has a 0.
    zeros = np.bincount(sparse.columns, minlength=sparse.width) < len(sparse)
    least[zeros], greatest[zeros] = np.minimum(least[zeros], 0.0), np.maximum(greatest[zeros], 0.0)
    none = least > greatest
    return np.where(none, 0.0, least), np.where(none, 0.0, greatest)


def sparse_moments(sparse: SparseFeatures, unit: Floats, least: Floats) -> tuple[Floats, Floats]:
    """Mean and deviation of every feature, as `fit_scaling` has them; `least` is in its unit."""
    columns, width = sparse.columns, sparse.width
    absent = np.isnan(sparse.values)
    values = np.where(absent, 0.0, sparse.values / unit[columns] - least[columns])
    n = np.maximum(len(sparse) - np.bincount(columns[absent], minlength=width), 1.0)
    zeros = len(sparse) - np.bincount(columns, minlength=width)
    mean = (np.bincount(columns, values, width) - zeros * least) / n
    squares = np.where(absent, 0.0, np.square(values - mean[columns]))
    total = np.bincount(columns, squares, width) + zeros * np.square(least + mean)
    return (least + mean) * unit, np.sqrt(total / n) * unit
