"""RankCosine boosts features against the cosine between scores and goals of every query.

RankCosine's goals are the labels or their gains; Consistent RankCosine's loss is the one whose
minimum sorts by expected NDCG gains.

With g the goals and H the scores of the documents of a query as vectors, and h a feature,

    L(H) = 1/|Q| Σ_q ½ (1 − g · H / ‖H‖),   H ← H + α h.

The slope of L in α is −1/|Q| Σ_q ½ (A + α B) / ‖H + α h‖³ with A = (g·h) ‖H‖² − (g·H) (h·H) and
B = (g·h) (h·H) − (g·H) ‖h‖². As in the paper ‖H‖ stands for ‖H + α h‖, which gives

    α = −Σ_q A / ‖H‖³ / Σ_q B / ‖H‖³.

Qin, Zhang, Tsai, Wang, Liu, Li (2008). Query-level loss functions for information retrieval.
Information Processing and Management 44.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.losses.listwise import DiscountedGains, find_gain_measure, gains_of
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training, Watch
from rankwise.rankers.training.model_selection import Judge
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.relative_features import refuse_huge
from rankwise.rankers.training.training_measure import FollowedMeasure, TrainingMeasure


@dataclass(frozen=True)
class RankCosine(Ranker):
    """Minimise 1/|Q| Σ_q ½ (1 − g_q · H_q / (‖g_q‖ ‖H_q‖)), feature by feature.

    H_q are the scores w · x of the documents of query q, g_q what they should point to: the labels
    or their gains 2^y − 1. Each round adds the feature that lowers the loss most, by the length α
    that the paper derives (`cosine_boosting`). Q holds the queries with a relevant document. The
    round is chosen on validation, where equal scores count as what their order is expected to give.

    The paper leaves the weak rankers and g open: features as they are, and g chosen by validation,
    are guesses. Not `consistent-rankcosine`, whose g is divided by the ideal DCG.

    Qin, Zhang, Tsai, Wang, Liu, Li (2008). Query-level loss functions for information retrieval.
    Information Processing and Management 44.
    """

    name: ClassVar[str] = "rankcosine"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Qin et al. (2008), Information Processing and Management 44(2)"
    uses_measure: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("features are the weak rankers",)

    goal: str = parameter(
        "labels",
        "what scores should point to",
        grid=("labels", "gains"),
        choices=("labels", "gains"),
    )
    rounds: int = parameter(500, "features added at most", lowest=1)
    patience: int = parameter(100, "rounds without a better one before training ends", lowest=1)
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Linear]:
        train = training.train
        refuse_equal_labels(train, self.name)
        judged = training.judged
        measure = TrainingMeasure.of(judged, self.measure, self.tool, ties="expected")
        judge = Judge(judged, FollowedMeasure(measure))
        goals = self._goals(train)
        return boost_cosine(
            train, goals, judge, rounds=self.rounds, patience=self.patience, watch=training.watch
        )

    def _goals(self, train: Dataset) -> Floats:
        """g_q / ‖g_q‖ of every query, 0 where g_q is."""
        goals = train.labels
        if self.goal == "gains":
            goals = gains_of(train, find_gain_measure("definition"))
        squares = np.add.reduceat(goals * goals, train.query_offsets[:-1])
        norms = np.sqrt(np.repeat(squares, train.query_lengths))
        return goals / np.where(norms > 0.0, norms, 1.0)


@dataclass(frozen=True)
class ConsistentRankCosine(RankCosine):
    """Minimise 1/|Q| Σ_q ½ (1 − g_q · H_q / ‖H_q‖), g_q = (2^y − 1) / ideal DCG of the query.

    H_q are the scores w · x of the documents of query q. With labels that are random given x, the
    best H_q points to the expectation of g_q, and sorting by that is best for NDCG. Dividing by
    the norm ‖g_q‖ instead, as `rankcosine` does, lacks this. Trained feature by feature as
    `rankcosine` is.

    The transform g is from memory of the paper, so a guess, and so is boosting, since the paper
    does not hang on how the loss is minimised.

    Ravikumar, Tewari, Yang (2011). On NDCG consistency of listwise ranking methods. AISTATS.
    """

    name: ClassVar[str] = "consistent-rankcosine"
    paper: ClassVar[str] = "Ravikumar, Tewari and Yang (2011), AISTATS"
    guesses: ClassVar[tuple[str, ...]] = (
        "gains are divided by the ideal DCG",
        "boosting of features",
    )

    goal: str = parameter("gains", "what scores should point to", choices=("gains",))

    def _goals(self, train: Dataset) -> Floats:
        return DiscountedGains.of(train, find_gain_measure("definition")).gains


# A feature that lowers the loss by less than this is noise.
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class CosineStep:
    """The feature that joins next, its α, and the loss that is reached."""

    feature: int
    weight: float
    loss: float


@dataclass(frozen=True, eq=False)
class CosineLoss:
    """Sums over the documents of each query, for all features at once.

    Attributes:
        features: (documents, features), scaled to a mean square of 1.
        goals: g; all 0 in queries that have none.
        query_offsets: as in the data set.
        goal_sums: (queries, features): g · h.
        squares: (queries, features): ‖h‖².
        queries: |Q|, the queries with goals.
    """

    features: Floats
    goals: Floats
    query_offsets: Integers
    goal_sums: Floats
    squares: Floats
    queries: int

    @classmethod
    def of(cls, features: Floats, goals: Floats, query_offsets: Integers) -> CosineLoss:
        """The sums that stay the same from round to round."""
        starts = query_offsets[:-1]
        sized = np.add.reduceat(np.abs(goals), starts) > 0.0
        goal_sums = np.add.reduceat(features * goals[:, np.newaxis], starts, axis=0)
        squares = np.add.reduceat(features * features, starts, axis=0)
        used = max(1, int(np.count_nonzero(sized)))
        return cls(features, goals, query_offsets, goal_sums, squares, used)

    def first(self) -> CosineStep:
        """The best feature alone, with the sign that it needs."""
        cosines = _quotients(self.goal_sums, np.sqrt(self.squares)).sum(axis=0)
        best = int(np.argmax(np.abs(cosines)))
        sign = 1.0 if cosines[best] >= 0.0 else -1.0
        return CosineStep(best, sign, 0.5 * (1.0 - float(abs(cosines[best])) / self.queries))

    def next(self, scores: Floats) -> CosineStep:
        """The feature whose α lowers the loss most."""
        starts = self.query_offsets[:-1]
        goal = np.add.reduceat(self.goals * scores, starts)[:, np.newaxis]
        square = np.add.reduceat(scores * scores, starts)[:, np.newaxis]
        meeting = np.add.reduceat(self.features * scores[:, np.newaxis], starts, axis=0)
        weights = self._weights(goal, square, meeting)
        reached = goal + weights * self.goal_sums
        norms = square + 2.0 * weights * meeting + weights**2 * self.squares
        cosines = _quotients(reached, np.sqrt(np.maximum(norms, 0.0))).sum(axis=0)
        best = int(np.argmax(cosines))
        return CosineStep(
            best, float(weights[best]), 0.5 * (1.0 - float(cosines[best]) / self.queries)
        )

    def _weights(self, goal: Floats, square: Floats, meeting: Floats) -> Floats:
        """α of every feature; 0 where it is not a number."""
        cubes = square * np.sqrt(square)
        slopes = _quotients(self.goal_sums * square - goal * meeting, cubes).sum(axis=0)
        bends = _quotients(self.goal_sums * meeting - goal * self.squares, cubes).sum(axis=0)
        return -_quotients(slopes, bends)


def boost_cosine(
    train: Dataset, goals: Floats, judge: Judge, *, rounds: int, patience: int, watch: Watch
) -> Learned[Linear]:
    """The weights of the best round by `judge`, the first among equals, and facts.

    Ends where no feature lowers the loss, or after `patience` rounds without a better one.
    """
    scales = _scales(train)
    loss = CosineLoss.of(train.features / scales, goals, train.query_offsets)
    weights, scores, reached = np.zeros(train.n_features), np.zeros(train.n_documents), np.inf
    best, chosen, figure, number = Linear(weights), 0, -np.inf, 0
    while number < rounds and number - chosen < patience:
        step = loss.first() if number == 0 else loss.next(scores)
        if step.loss > reached - _NOTHING:
            break
        number, reached = number + 1, step.loss
        weights = weights.copy()
        weights[step.feature] += step.weight / scales[step.feature]
        scores = scores + step.weight * loss.features[:, step.feature]
        value = judge.value(Linear(weights))
        if value > figure:
            best, chosen, figure = Linear(weights), number, value
        if watch(Round(number, rounds, reached, value)):
            break
    return Learned(best, {"round": chosen, "rounds": number, "selection": float(figure)})


def _scales(train: Dataset) -> Floats:
    """The root mean square of every feature, 1 where it is 0."""
    with np.errstate(over="ignore"):
        scales = np.sqrt((train.features * train.features).mean(axis=0))
    refuse_huge(scales)
    return np.where(scales > 0.0, scales, 1.0)


def _quotients(above: Floats, below: Floats) -> Floats:
    """above / below, 0 where that is no finite number."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = above / below
    return np.where(np.isfinite(found), found, 0.0)
