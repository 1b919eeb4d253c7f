"""The hinge between perfect rankings and others of a query, over sets of rankings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RankingHinge:
    """1/|Q| Σ_q max over π*, π of (E(π*) − E(π)) max(0, 1 − S(π*) + S(π)).

    S(π) = 1/(n (n − 1)) Σ_{i above j in π} (s_i − s_j) = 1/n Σ_i (1 − 2 r_i / (n − 1)) s_i, r_i the
    rank of i in π from 0. π* runs over `perfect`, π over `others`; all perfect rankings have the
    same E. The hinge falls with S(π*) and rises with S(π), so that the lowest S(π*) of a query
    serves all its π. Q are the queries in which E tells rankings apart.

    Attributes:
        dataset: the documents.
        measure: E.
        perfect: (rankings, documents): 1/n (1 − 2 r_i / (n − 1)) in each.
        others: the same of other rankings.
        losses: (others, queries): E(π*) − E(π), at least 0.
        queries: |Q|.
    """

    dataset: Dataset
    measure: TrainingMeasure
    perfect: Floats
    others: Floats
    losses: Floats
    queries: int

    @classmethod
    def begin(
        cls, dataset: Dataset, measure: TrainingMeasure, rng: np.random.Generator
    ) -> RankingHinge:
        """One perfect ranking and one other of every query, drawn at random."""
        noise = rng.random((2, dataset.n_documents))
        best = _values(measure, _ranks(dataset, dataset.labels, noise[0]))
        worst = _values(measure, _ranks(dataset, -dataset.labels, noise[0]))
        queries = max(1, int(np.count_nonzero(best > worst)))
        empty = np.zeros((0, dataset.n_documents))
        losses = np.zeros((0, dataset.n_queries))
        first = cls(dataset, measure, empty, empty, losses, queries)
        return first._joined(noise[0], noise[1])

    def grown(self, scores: Floats) -> RankingHinge:
        """With the ranking by falling scores, and the perfect one with the lowest S."""
        return self._joined(-scores, scores)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and one of its slopes in every score."""
        dataset, starts = self.dataset, self.dataset.query_offsets[:-1]
        good = np.add.reduceat(self.perfect * scores, starts, axis=1)
        bad = np.add.reduceat(self.others * scores, starts, axis=1)
        hinges = self.losses * np.maximum(0.0, 1.0 - good.min(axis=0) + bad)
        worst = np.argmax(hinges, axis=0)
        costs = np.take_along_axis(hinges, worst[np.newaxis], axis=0)[0]
        losses = np.take_along_axis(self.losses, worst[np.newaxis], axis=0)[0]
        shares = np.where(costs > 0.0, losses, 0.0) / self.queries
        rows = np.arange(dataset.n_documents)
        queries = dataset.query_of_rows
        moved = self.others[worst[queries], rows]
        moved -= self.perfect[np.argmin(good, axis=0)[queries], rows]
        return float(costs.sum()) / self.queries, shares[queries] * moved

    def _joined(self, within_labels: Floats, others: Floats) -> RankingHinge:
        """One more perfect ranking, equal labels by the first key, and one other, by the second."""
        perfect = _ranks(self.dataset, self.dataset.labels, within_labels)
        other = _ranks(self.dataset, others, np.zeros(self.dataset.n_documents))
        lost = _values(self.measure, perfect) - _values(self.measure, other)
        return RankingHinge(
            self.dataset,
            self.measure,
            np.vstack([self.perfect, _places(self.dataset, perfect)]),
            np.vstack([self.others, _places(self.dataset, other)]),
            np.vstack([self.losses, np.maximum(lost, 0.0)]),
            self.queries,
        )


def _ranks(dataset: Dataset, first: Floats, second: Floats) -> Integers:
    """Ranks from 0 within each query by falling keys."""
    order = np.lexsort((-second, -first, dataset.query_of_rows))
    ranks = np.empty(dataset.n_documents, dtype=np.int64)
    starts = np.repeat(dataset.query_offsets[:-1], dataset.query_lengths)
    ranks[order] = np.arange(dataset.n_documents) - starts
    return ranks


def _places(dataset: Dataset, ranks: Integers) -> Floats:
    lengths = np.repeat(dataset.query_lengths, dataset.query_lengths)
    places = (1.0 - 2.0 * ranks / np.maximum(lengths - 1, 1)) / lengths
    return np.where(lengths > 1, places, 0.0)


def _values(measure: TrainingMeasure, ranks: Integers) -> Floats:
    return measure.per_query(-ranks.astype(np.float64))
