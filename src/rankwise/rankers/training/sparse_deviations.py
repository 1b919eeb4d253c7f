"""How far the features of sparse data are spread around their means, from the entries alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.data.sparse_groups import EntryGroups

Floats = NDArray[np.float64]


def sparse_deviations(
    sparse: SparseFeatures, offsets: NDArray[np.int64], weights: Floats | None = None
) -> Floats:
    """√(1/n Σ_i (x_ij − mean)²) of every feature j, each mean that of its query.

    With `weights` v it is √(Σ_i v_i (x_ij − mean)² / Σ_i v_i), the means weighted too.

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
        counted = _counted(sparse, offsets, groups, weights)
        plain = np.add.reduceat(counted.of_entries * away, groups.starts)
        spreads = np.add.reduceat(counted.of_entries * np.square(away), groups.starts)
        spreads = spreads - np.square(plain) / counted.of_groups
        # Not `spreads > 0`: what is no number stays none, and is refused later.
        spreads = np.where(spreads < 0.0, 0.0, spreads)
        total = np.bincount(groups.columns, spreads, sparse.width)
        return np.asarray(np.sqrt(total / counted.total))


class _Counted(NamedTuple):
    """What entries, the rows of their groups, and all rows weigh; 1 a row without weights."""

    of_entries: Floats | float
    of_groups: Floats | NDArray[np.int64]
    total: float


def _counted(
    sparse: SparseFeatures,
    offsets: NDArray[np.int64],
    groups: EntryGroups,
    weights: Floats | None,
) -> _Counted:
    if weights is None:
        return _Counted(1.0, groups.lengths, float(len(sparse)))
    of_groups = np.add.reduceat(weights, offsets[:-1])[groups.queries]
    # A group that weighs nothing adds nothing, whatever it is divided by.
    shares = np.where(of_groups > 0.0, of_groups, 1.0)
    rows = sparse.row_of_entries[groups.order]
    return _Counted(weights[rows], shares, float(weights.sum()))
