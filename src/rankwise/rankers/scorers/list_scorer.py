"""Scorers that see the documents of a query together: a score depends on the whole list."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.sparse_features import SparseFeatures, refuse_dense
from rankwise.rankers.scorers.scorer import Scorer, matrix_of

Floats = NDArray[np.float64]

_FEWEST_PROBES = 256
_PROBES_A_FEATURE = 4


class ListScorer(Scorer):
    """A function of all documents of a query, whose order in the data tells it nothing.

    A list is sorted by its values before it is scored, and equal documents share one score, so that
    no order of the same documents changes a bit, although sums over them round.
    """

    @property
    def row_by_row(self) -> bool:
        """A score depends on the other documents of the query."""
        return False

    def score(self, features: Floats) -> Floats:
        """One score per row; the rows are the list of one query."""
        # Adding 0 makes one zero of 0 and −0, whose bytes differ.
        rows = np.ascontiguousarray(
            matrix_of(features, self.n_features)[:, : self.n_features] + 0.0
        )
        if not len(rows):
            return np.zeros(0)
        texts = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
        _, number = np.unique(texts, return_inverse=True)
        order = np.argsort(number, kind="stable")
        first = np.searchsorted(number[order], number)
        with np.errstate(over="ignore", invalid="ignore"):
            found: Floats = self._score_list(rows[order])[first]
        return found

    def score_dataset(self, dataset: Dataset) -> Floats:
        """One score per row of a data set, query by query."""
        lists = [self.score(query.features) for query in dataset.queries()]
        return np.concatenate([np.zeros(0), *lists])

    def score_sparse(self, sparse: SparseFeatures) -> Floats:
        """One score per sparse row; the rows are the list of one query."""
        refuse_dense(sparse)
        return self.score(sparse.to_dense())

    @abstractmethod
    def _score_list(self, rows: Floats) -> Floats:
        """One score per row of a list in a fixed order, at least one row."""


def find_slopes(scorer: ListScorer, means: Floats, scales: Floats) -> Floats:
    """How far the score rises with each feature, within one made-up list: Σ z_ij s_i / Σ z_ij².

    The list has random documents x_ij = mean_j + scale_j z_ij, z_ij normal and independent, the
    same for every model of as many features. What rises and falls again may count as nothing.
    """
    count = max(_FEWEST_PROBES, _PROBES_A_FEATURE * len(means))
    drawn = np.random.default_rng(0).normal(size=(count, len(means)))
    drawn -= drawn.mean(axis=0)
    scores = scorer.score(means + scales * drawn)
    slopes: Floats = (scores - scores.mean()) @ drawn / np.square(drawn).sum(axis=0)
    return slopes
