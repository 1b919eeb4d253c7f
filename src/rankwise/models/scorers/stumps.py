"""A sum of threshold functions: f(x) = Σ_k a_k [x_{j(k)} > θ_k]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import RankwiseError
from rankwise.models.scorers.scorer import Scorer, integers, matrix_of, numbers
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, function

_MOST_FEATURES = 2**31

_add_stumps = function(
    "rankwise_add_stumps",
    *(DOUBLES, INT64, INT64, INT64S, INT64, INT64S, DOUBLES, DOUBLES, DOUBLES_OUT),
)


@dataclass(frozen=True, eq=False)
class Stumps(Scorer):
    """f(x) = Σ_k a_k [x_{j(k)} > θ_k]; a NULL feature exceeds no threshold.

    Attributes:
        columns: j(k), ascending.
        thresholds: θ_k, ascending among those of one feature, each once.
        weights: a_k.
        width: how many features a document must have.
    """

    kind: ClassVar[str] = "stumps"
    columns: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    weights: NDArray[np.float64]
    width: int

    @classmethod
    def of(
        cls,
        columns: Sequence[int] | NDArray[np.int64],
        thresholds: Sequence[float] | NDArray[np.float64],
        weights: Sequence[float] | NDArray[np.float64],
        width: int,
    ) -> Stumps:
        """From stumps in any order; the weights of equal ones are added in the order given."""
        places = sorted(set(zip(map(int, columns), map(float, thresholds), strict=True)))
        totals = dict.fromkeys(places, 0.0)
        for column, threshold, weight in zip(columns, thresholds, weights, strict=True):
            totals[int(column), float(threshold)] += float(weight)
        return cls(
            np.array([column for column, _ in places], dtype=np.int64),
            np.array([threshold for _, threshold in places], dtype=np.float64),
            np.array([totals[place] for place in places], dtype=np.float64),
            width,
        )

    @property
    def n_features(self) -> int:
        """The width of the data that it was learned from."""
        return self.width

    def score(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Feature by feature: the stumps of one are a staircase, whose step is looked up."""
        matrix = matrix_of(features, self.width)
        used, counts = np.unique(self.columns, return_counts=True)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])
        order = np.argsort(self.columns, kind="stable")
        weights = np.split(self.weights[order], starts[1:-1])
        steps = [step for own in weights for step in (np.zeros(1), np.cumsum(own))]
        scores = np.zeros(len(matrix))
        _add_stumps(
            matrix,
            *matrix.shape,
            used,
            len(used),
            starts,
            self.thresholds[order],
            np.concatenate([*steps, np.zeros(0)]),
            scores,
        )
        return scores

    def score_sparse(self, sparse: SparseFeatures) -> NDArray[np.float64]:
        """As `score`, of the features that are asked for alone."""
        used, places = np.unique(self.columns, return_inverse=True)
        narrow = replace(self, columns=places.astype(np.int64), width=max(1, len(used)))
        chosen = sparse.take_columns(used).widened(narrow.width)
        return Scorer.score_sparse(narrow, chosen)

    def importance(self) -> NDArray[np.float64]:
        """Σ |a_k| over the stumps of each feature."""
        total = np.zeros(self.width)
        np.add.at(total, self.columns, np.abs(self.weights))
        return total

    def as_json(self) -> dict[str, Any]:
        """`columns` (from 0), `thresholds`, `weights` and `features`, their number."""
        return {
            "features": self.width,
            "columns": self.columns.tolist(),
            "thresholds": self.thresholds.tolist(),
            "weights": self.weights.tolist(),
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Stumps:
        """From the values of `as_json`, in any order."""
        width = int(integers({"features": [values.get("features")]}, "features")[0])
        columns = integers(values, "columns")
        thresholds, weights = numbers(values, "thresholds"), numbers(values, "weights")
        if not 1 <= width < _MOST_FEATURES:
            raise RankwiseError(f"a model file must have at least one feature, found {width}")
        if not len(columns) == len(thresholds) == len(weights):
            raise RankwiseError(
                "a model file must have as many columns, thresholds and weights, found "
                f"{len(columns)}, {len(thresholds)} and {len(weights)}"
            )
        if len(columns) and not (columns.min() >= 0 and columns.max() < width):
            raise RankwiseError(
                f"the columns in a model file must lie between 0 and {width - 1}, found "
                f"{columns.min()} to {columns.max()}"
            )
        return cls.of(columns, thresholds, weights, width)
