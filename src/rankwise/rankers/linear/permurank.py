"""PermuRank: perfect rankings before the others, by a margin, in a growing set of rankings.

Its loss is the hinge between perfect rankings and others of a query, over sets of rankings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.optimizers.cutting_plane import cutting_plane
from rankwise.rankers.parameters import convention, parameter, scale_large
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training, never_stop
from rankwise.rankers.training.model_selection import Judge
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.training_measure import FollowedMeasure, TrainingMeasure


@dataclass(frozen=True)
class PermuRank(Ranker):
    """Minimise ‖w‖² / (2C) + 1/|Q| Σ_q mean (E(π*) − E(π)) [1 − (S(π*) − S(π))]₊ over π*, π.

    π* runs over perfect rankings of query q, π over others, both out of sets that grow. E is the
    measure, and S(π) = 1/(n (n − 1)) Σ w · (x_i − x_j) over the pairs with i above j in π: higher
    where higher scores come first. Each round finds w for the sets as they are, by cutting planes,
    and adds for each query the rankings that violate most: the one by falling scores, which has
    the highest S, and the perfect one with the lowest S. Training ends where none of
    them is new, and the round is chosen on validation.

    The sets begin with one ranking of each kind, drawn at random. `combination` takes the worst
    pair of rankings instead of the mean: with it, labels as noisy as OHSUMED's make w = 0 the best
    answer once the sets are large. Deviation: the paper ends with the last round, but what the
    most violated rankings teach swings from round to round. Not `svm-map`, which bounds AP by
    rescaled margins over all rankings at once.

    Xu, Liu, Lu, Li, Ma (2008). Directly optimizing evaluation measures in learning to rank. SIGIR.
    """

    name: ClassVar[str] = "permurank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Xu, Liu, Lu, Li and Ma (2008), SIGIR"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "which rankings the sets begin with",
        "the mean over the rankings of a query",
    )

    C: float = parameter(
        100.0,
        "what the mean hinge weighs beside ‖w‖²/2",
        grid=(10.0, 100.0, 1000.0),
        lowest=1e-9,
        highest=1e9,
    )
    combination: str = parameter(
        "mean", "over the rankings of a query: mean or worst", choices=("mean", "worst")
    )
    rounds: int = parameter(20, "how often rankings are added at most", lowest=1)
    gap: float = parameter(
        1e-3, "a round ends this near to the minimum of its objective", lowest=1e-10
    )
    scale_large: bool = scale_large()
    measure: str = parameter("MAP", "the measure E, which also chooses the round")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        measure = TrainingMeasure.of(train, self.measure, self.tool)
        judge = self._judge(training)
        features = RelativeFeatures.of(train, self.scale_large)
        hinge = RankingHinge.begin(train, measure, self.combination == "worst", training.rng)
        best, chosen, figure, number = Linear(np.zeros(train.n_features)), 0, -np.inf, 0
        while number < self.rounds:
            number += 1
            weights = self._minimum(features, hinge)
            scorer = Linear(features.plain_weights(weights))
            value = judge.value(scorer)
            if value > figure:
                best, chosen, figure = scorer, number, value
            scores = features.scores(weights)
            if training.watch(Round(number, self.rounds, hinge.at(scores)[0], value)):
                break
            before, hinge = hinge, hinge.grown(scores)
            if hinge is before:
                break
        return Learned(best, {"round": chosen, "rounds": number, "selection": float(figure)})

    def _judge(self, training: Training) -> Judge:
        """Equal scores count as what their order is expected to give: w = 0 earns nothing."""
        judged = training.judged
        measure = TrainingMeasure.of(judged, self.measure, self.tool, ties="expected")
        return Judge(judged, FollowedMeasure(measure))

    def _minimum(self, features: RelativeFeatures, hinge: RankingHinge) -> Floats:
        found = cutting_plane(
            features,
            hinge.at,
            1.0 / self.C,
            gap=self.gap,
            rounds=2000,
            search=True,
            watch=never_stop,
        )
        return found.weights


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
