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
    """1/|Q| Σ_q mean or maximum over π*, π of (E(π*) − E(π)) max(0, 1 − S(π*) + S(π)).

    S(π) = 1/(n (n − 1)) Σ_{i above j in π} (s_i − s_j) = 1/n Σ_i (1 − 2 r_i / (n − 1)) s_i, r_i the
    rank of i in π from 0. π* runs over `perfect`, π over `others`; all perfect rankings have the
    same E. Q are the queries in which E tells rankings apart.

    Attributes:
        dataset: the documents.
        measure: E.
        perfect: (rankings, documents): 1/n (1 − 2 r_i / (n − 1)) in each.
        others: the same of other rankings.
        losses: (others, queries): E(π*) − E(π), at least 0.
        queries: |Q|.
        worst_only: whether the maximum is taken rather than the mean.
    """

    dataset: Dataset
    measure: TrainingMeasure
    perfect: Floats
    others: Floats
    losses: Floats
    queries: int
    worst_only: bool

    @classmethod
    def begin(
        cls,
        dataset: Dataset,
        measure: TrainingMeasure,
        worst_only: bool,
        rng: np.random.Generator,
    ) -> RankingHinge:
        """One perfect ranking and one other of every query, drawn at random."""
        noise = rng.random((2, dataset.n_documents))
        best = _values(measure, _ranks(dataset, dataset.labels, noise[0]))
        worst = _values(measure, _ranks(dataset, -dataset.labels, noise[0]))
        queries = max(1, int(np.count_nonzero(best > worst)))
        empty = np.zeros((0, dataset.n_documents))
        losses = np.zeros((0, dataset.n_queries))
        first = cls(dataset, measure, empty, empty, losses, queries, worst_only)
        return first._joined(noise[0], noise[1])

    def grown(self, scores: Floats) -> RankingHinge:
        """With the ranking by falling scores, and the perfect one with the lowest S.

        The same object where both are known for every query.
        """
        grown = self._joined(-scores, scores)
        known = _is_known(grown.perfect) and _is_known(grown.others)
        return self if known else grown

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and one of its slopes in every score."""
        starts = self.dataset.query_offsets[:-1]
        good = np.add.reduceat(self.perfect * scores, starts, axis=1)
        bad = np.add.reduceat(self.others * scores, starts, axis=1)
        hinges = np.maximum(0.0, 1.0 - good[:, np.newaxis] + bad[np.newaxis]) * self.losses
        shares = self._shares(hinges)
        slopes = np.where(hinges > 0.0, shares * self.losses, 0.0)
        queries = self.dataset.query_of_rows
        moved = np.einsum("kd,kd->d", slopes.sum(axis=0)[:, queries], self.others)
        moved -= np.einsum("kd,kd->d", slopes.sum(axis=1)[:, queries], self.perfect)
        return float((shares * hinges).sum()), moved

    def _shares(self, hinges: Floats) -> Floats:
        """What each hinge (perfect, others, queries) counts."""
        if not self.worst_only:
            return np.full(
                hinges.shape, 1.0 / (len(self.perfect) * len(self.losses) * self.queries)
            )
        pairs = hinges.reshape(-1, hinges.shape[2])
        shares = np.zeros_like(pairs)
        shares[np.argmax(pairs, axis=0), np.arange(pairs.shape[1])] = 1.0 / self.queries
        return shares.reshape(hinges.shape)

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
            self.worst_only,
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


def _is_known(rankings: Floats) -> bool:
    """Whether the last of some rankings is one of those before it."""
    return bool((rankings[:-1] == rankings[-1]).all(axis=1).any())


def _values(measure: TrainingMeasure, ranks: Integers) -> Floats:
    return measure.per_query(-ranks.astype(np.float64))
