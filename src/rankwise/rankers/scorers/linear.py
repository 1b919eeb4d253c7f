"""A weighted sum of features: f(x) = w · x + b."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.scorers.json_values import numbers
from rankwise.rankers.scorers.scorer import Scorer, matrix_of
from rankwise.rankers.scorers.sparse_products import multiply

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
