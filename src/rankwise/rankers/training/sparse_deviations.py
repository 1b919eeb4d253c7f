"""How far the features of sparse data are spread around their means, from the entries alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.data.sparse_groups import EntryGroups

Floats = NDArray[np.float64]


def sparse_deviations(sparse: SparseFeatures, offsets: NDArray[np.int64]) -> Floats:
    """√(1/n Σ_i (x_ij − mean)²) of every feature j, each mean that of its query.

    `offsets` are those of the queries, or 0 and n where the mean is that of all n rows. In a query
    of m rows, Σ (x − mean)² = Σ (x − s)² − (Σ (x − s))² / m for any s: for 0 where rows are without
    an entry, else for the first of the values, so that a large offset costs no digits.
    """
    if len(sparse.values) == 0:
        return np.zeros(sparse.width)
    groups = EntryGroups.of(sparse, offsets)
    values = sparse.values[groups.order]
    with np.errstate(over="ignore", invalid="ignore"):
        shifts = np.where(groups.with_zeros, 0.0, values[groups.starts])
        away = values - np.repeat(shifts, groups.counts)
        plain = np.add.reduceat(away, groups.starts)
        spreads = np.add.reduceat(np.square(away), groups.starts)
        spreads = spreads - np.square(plain) / groups.lengths
        # Not `spreads > 0`: what is no number stays none, and is refused later.
        spreads = np.where(spreads < 0.0, 0.0, spreads)
        total = np.bincount(groups.columns, spreads, sparse.width)
        return np.asarray(np.sqrt(total / len(sparse)))
