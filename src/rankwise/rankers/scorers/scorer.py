"""What every learned function offers: scores for features, and itself as plain JSON values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.file_features import FileFeatures
from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import RankwiseError


class Scorer(ABC):
    """A function from feature vectors to scores that can be written down and read back.

    `kind` names the form in model files; `from_json(as_json())` gives the same scores to the bit.

    Most see one row at a time. Those that see the other documents of a query, or its classes or
    relations, say so by `row_by_row` and override `score_dataset`; see `ListScorer`. Those that
    cannot do without relations say so by `needs_relations`.
    """

    kind: ClassVar[str]
    needs_relations: ClassVar[bool] = False

    @property
    @abstractmethod
    def n_features(self) -> int:
        """How many features a document must have."""

    @property
    def row_by_row(self) -> bool:
        """Whether a score depends on its own row alone, whatever stands beside it."""
        return True

    @abstractmethod
    def score(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """One score per row; where it is not `row_by_row`, the rows are the list of one query."""

    def score_dataset(self, dataset: Dataset) -> NDArray[np.float64]:
        """One score per row of a data set; here a score depends on its row alone."""
        if dataset.sparse is not None:
            return self.score_sparse(dataset.sparse)
        if dataset.in_file is not None:
            return self._score_file(dataset.in_file)
        return self.score(dataset.features)

    def _score_file(self, features: FileFeatures) -> NDArray[np.float64]:
        """One score per row in a file, some rows at a time."""
        scores = np.empty(len(features))
        for rows, values in features.blocks():
            scores[rows] = self.score(values)
        return scores

    def score_sparse(self, sparse: SparseFeatures) -> NDArray[np.float64]:
        """One score per sparse row, with the same bits; here some rows at a time as an array."""
        scores = np.empty(len(sparse))
        for rows, features in sparse.dense_blocks():
            scores[rows] = self.score(features)
        return scores

    @abstractmethod
    def importance(self) -> NDArray[np.float64]:
        """How much each feature counts (weights for linear functions): for charts."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """Plain values: numbers, texts, lists."""

    @classmethod
    @abstractmethod
    def from_json(cls, values: dict[str, Any]) -> Scorer:
        """The inverse of `as_json`; a RankwiseError where the values do not fit."""


def matrix_of(features: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """The features row by row in memory, at least `width` of them: what compiled code may read."""
    matrix = np.ascontiguousarray(features, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < width:
        raise RankwiseError(
            f"the features must be a matrix of {width} columns, found shape {matrix.shape}"
        )
    return matrix
