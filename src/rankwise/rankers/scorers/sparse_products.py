"""Sparse rows times a vector, and a vector times sparse rows, summed in one fixed order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT32S, INT64, INT64S, function

Floats = NDArray[np.float64]

_ROWS = (DOUBLES, INT32S, INT64S, INT64, INT64)
_sparse_scores = function(
    "rankwise_sparse_scores", *_ROWS, DOUBLES, INT64, DOUBLE, DOUBLES_OUT, returns=INT64
)
_sparse_sums = function("rankwise_sparse_sums", *_ROWS, DOUBLES, DOUBLES_OUT, INT64, returns=INT64)


def multiply(sparse: SparseFeatures, weights: Floats, start: float = 0.0) -> Floats:
    """start + x_i · w for every row i; features of weight 0 may be NULL."""
    scores = np.empty(len(sparse))
    plain = np.ascontiguousarray(weights)
    _checked(_sparse_scores(*_rows(sparse), plain, len(plain), start, scores))
    return scores


def combine(sparse: SparseFeatures, slopes: Floats) -> Floats:
    """Σ_i g_i x_i, one sum per feature."""
    if len(slopes) != len(sparse):
        raise ValueError(f"{len(sparse)} slopes are needed, found {len(slopes)}")
    sums = np.empty(sparse.width)
    _checked(_sparse_sums(*_rows(sparse), np.ascontiguousarray(slopes), sums, len(sums)))
    return sums


def _rows(
    sparse: SparseFeatures,
) -> tuple[Floats, NDArray[np.int32], NDArray[np.int64], int, int]:
    entries = len(sparse.values)
    return sparse.values, sparse.columns, sparse.row_offsets, len(sparse), entries


def _checked(outcome: int) -> None:
    if outcome != 0:
        raise ValueError("row offsets must rise and end within the entries")
