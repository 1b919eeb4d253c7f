"""A weighted sum of features: f(x) = w · x + b.

Sparse rows times a vector, and a vector times sparse rows, are summed in one fixed order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.models.scorers.scorer import Scorer, matrix_of, numbers
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT32S, INT64, INT64S, function

_linear_scores = function(
    "rankwise_linear_scores",
    *(DOUBLES, INT64, INT64, INT64S, DOUBLES, INT64, DOUBLE, DOUBLES_OUT),
)


@dataclass(frozen=True, eq=False)
class Linear(Scorer):
    """f(x) = w · x + b; the intercept moves no document but keeps scores comparable to labels."""

    kind: ClassVar[str] = "linear"
    weights: NDArray[np.float64]
    intercept: float = 0.0

    @property
    def n_features(self) -> int:
        """One weight per feature."""
        return len(self.weights)

    def score(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weighted sums; features of weight 0 are left out, so that they may be NULL."""
        matrix = matrix_of(features, self.n_features)
        used = np.flatnonzero(self.weights)
        weights = self.weights[used]
        scores = np.empty(len(matrix))
        _linear_scores(matrix, *matrix.shape, used, weights, len(used), self.intercept, scores)
        return scores

    def score_sparse(self, sparse: SparseFeatures) -> NDArray[np.float64]:
        """The weighted sums of what is not 0: adding 0 would change no bit."""
        return multiply(sparse, self.weights, self.intercept)

    def importance(self) -> NDArray[np.float64]:
        """The weights."""
        return self.weights

    def as_json(self) -> dict[str, Any]:
        """`weights` and `intercept`."""
        return {"weights": self.weights.tolist(), "intercept": self.intercept}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Linear:
        """From `weights` and `intercept`."""
        intercept = numbers({"intercept": [values.get("intercept", 0.0)]}, "intercept")
        return cls(numbers(values, "weights"), float(intercept[0]))


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
