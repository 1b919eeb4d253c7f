"""RankBoost and FRank boost threshold functions against a loss on pairs.

    F_t = F_{t-1} + a_t h_t,   h_t(x) = [x_j > θ]

The loss (exponential in RankBoost, fidelity in FRank) weighs pairs of documents of a query with
different labels, and from that chooses h_t and a_t; the rounds, the data sets and the choice of the
round are the same.

Thresholds are tried for all features. Those of a feature are equally spaced; a document's value
becomes one byte, the number of thresholds below it, so that all thresholds of a feature are tried
in one pass over the documents.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.stumps import Stumps
from rankwise.native import (
    DOUBLE,
    DOUBLES,
    DOUBLES_OUT,
    INT64,
    INT64S,
    INT64S_OUT,
    UINT8S,
    function,
)
from rankwise.native.arrays import Floats
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import (
    Family,
    Learned,
    Ranker,
    Round,
    Training,
    looks_at_figures,
)
from rankwise.rankers.training.preferences import LabelLevels, refuse_equal_labels
from rankwise.rankers.training.training_measure import FollowedMeasure, TrainingMeasure

_best_threshold = function(
    "rankwise_best_threshold", UINT8S, INT64, INT64, DOUBLES, INT64, INT64S_OUT, returns=DOUBLE
)

Codes = NDArray[np.uint8]

# So many fit a byte, and so many LETOR's RankBoost had.
MOST_THRESHOLDS = 255


@dataclass(frozen=True)
class Stump:
    """h(x) = [x_j > θ].

    Attributes:
        column: j, from 0.
        place: of θ among the thresholds of the feature, from 1.
        edge: how much more weight of pairs it puts right than wrong.
    """

    column: int
    place: int
    edge: float


@dataclass(frozen=True, eq=False)
class Thresholds:
    """θ_k = (1 - k / (n + 1)) min + k / (n + 1) max, k = 1 … n, of every feature.

    NULL values exceed no threshold (h = 0, the paper's q_def), and are left out of min and max. A
    constant feature exceeds none either, so that none of its thresholds tells documents apart.

    Attributes:
        values: (features, n), ascending.
    """

    values: Floats

    @classmethod
    def of(cls, features: Floats, count: int = MOST_THRESHOLDS) -> Thresholds:
        """Thresholds between the least and the greatest value of every feature."""
        known = np.isfinite(features)
        lowest = np.min(features, axis=0, where=known, initial=np.inf)
        highest = np.max(features, axis=0, where=known, initial=-np.inf)
        empty = lowest > highest
        lowest, highest = np.where(empty, 0.0, lowest), np.where(empty, 0.0, highest)
        shares = np.arange(1, count + 1) / (count + 1)
        # Not lowest + share * (highest - lowest), which overflows where the two are huge.
        between = np.outer(lowest, 1.0 - shares) + np.outer(highest, shares)
        # Rounding must not put a threshold below a constant feature's only value.
        return cls(np.where((lowest == highest)[:, np.newaxis], highest[:, np.newaxis], between))

    def codes(self, features: Floats) -> Codes:
        """(features, documents): how many thresholds of its feature each value exceeds."""
        found = np.empty((features.shape[1], len(features)), dtype=np.uint8)
        for column, thresholds in enumerate(self.values):
            values = features[:, column]
            passed = np.searchsorted(thresholds, values, side="left")
            found[column] = np.where(np.isnan(values), 0, passed)
        return found


def best_stump(codes: Codes, potentials: Floats, count: int) -> Stump:
    """The stump with the greatest |Σ_i π_i h(x_i)|, the first among equals.

    One pass over documents and features, whatever the number of thresholds (`count`).
    """
    features, documents = codes.shape
    if len(potentials) != documents:
        raise ValueError(f"{documents} potentials are needed, found {len(potentials)}")
    found = np.empty(2, dtype=np.int64)
    edge = _best_threshold(codes, features, documents, potentials, count, found)
    column, place = found.tolist()
    return Stump(column, place, edge)


@dataclass(frozen=True)
class Step:
    """What a loss says of the scores so far: its value, the next stump and its weight a_t."""

    loss: float
    stump: Stump
    weight: float


class PairLoss(Protocol):
    """A loss over the pairs of documents of a query with different labels, 1 or less at first."""

    def arrange(self, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The codes in the order in which `next_stump` walks them."""

    def next_stump(self, codes: NDArray[np.uint8], scores: Floats, count: int) -> Step:
        """The next stump for these scores and arranged codes, with `count` thresholds a feature."""


@dataclass(frozen=True)
class StumpRules:
    """How many rounds and thresholds, and the measure that chooses the round."""

    rounds: int
    thresholds: int
    measure: str
    tool: str


@dataclass(frozen=True)
class StumpBoostingRanker(Ranker):
    """A ranker that differs from others of its kind only in the loss."""

    handles_null: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True

    rounds: int = parameter(500, "rounds at most; the best one is chosen on validation", lowest=1)
    thresholds: int = parameter(
        MOST_THRESHOLDS, "equally spaced thresholds a feature", lowest=1, highest=MOST_THRESHOLDS
    )
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Stumps]:
        refuse_equal_labels(training.train, self.name)
        rules = StumpRules(self.rounds, self.thresholds, self.measure, self.tool)
        return boost_stumps(training, self._loss(LabelLevels.of(training.train)), rules)

    @abstractmethod
    def _loss(self, preferences: LabelLevels) -> PairLoss:
        """The loss on the pairs of documents with different labels."""


def boost_stumps(training: Training, loss: PairLoss, rules: StumpRules) -> Learned[Stumps]:
    """The sum of stumps of the best round on validation, or of the last one without validation.

    Ends early where every pair is settled, or no stump puts more weight of pairs right than wrong.
    """
    train, validation = training.train, training.validation
    thresholds = Thresholds.of(train.features, rules.thresholds)
    run = _Growth.of(train, thresholds, rules)
    check = None if validation is None else _Growth.of(validation, thresholds, rules)
    shown = looks_at_figures(training.watch)
    arranged = loss.arrange(run.codes)
    steps: list[Step] = []
    values: list[float] = []
    while len(steps) < rules.rounds:
        step = loss.next_stump(arranged, run.scores, rules.thresholds)
        if abs(step.stump.edge) <= _NOTHING or step.loss <= _NOTHING:
            break
        steps.append(step)
        run.grow(step)
        reached = run.figure() if shown else None
        if check is not None:
            check.grow(step)
        checked = None if check is None else check.figure()
        values.append(float(len(steps)) if checked is None else checked)
        if training.watch(Round(len(steps), rules.rounds, reached, checked)):
            break
    if not steps:
        raise RankwiseError(
            "some feature must tell documents of different labels of a training query apart, "
            f"found none among {train.n_features}"
        )
    kept = int(np.argmax(values)) + 1
    facts: dict[str, Any] = {"round": kept, "rounds": len(steps)}
    if check is not None:
        facts["selection"] = values[kept - 1]
    return Learned(_stumps(steps[:kept], thresholds, train.n_features), facts)


# Losses and edges are relative to all pairs; below this nothing is left to gain.
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class _Growth:
    """The scores of one data set, which grow in place, and the measure that judges them."""

    codes: NDArray[np.uint8]
    scores: Floats
    measure: FollowedMeasure

    @classmethod
    def of(cls, dataset: Dataset, thresholds: Thresholds, rules: StumpRules) -> _Growth:
        # A few stumps tie most documents. Where a file is sorted by a good score, as OHSUMED is,
        # the file's order among them would earn their figure, and the first rounds always win.
        measure = TrainingMeasure.of(dataset, rules.measure, rules.tool, ties="expected")
        codes, scores = thresholds.codes(dataset.features), np.zeros(dataset.n_documents)
        return cls(codes, scores, FollowedMeasure(measure))

    def grow(self, step: Step) -> None:
        """Add the stump."""
        raised = self.codes[step.stump.column] >= step.stump.place
        np.add(self.scores, step.weight, out=self.scores, where=raised)

    def figure(self) -> float:
        """What the measure says of the scores."""
        return self.measure.mean(self.scores)


def _stumps(kept: list[Step], thresholds: Thresholds, width: int) -> Stumps:
    places = [(step.stump.column, step.stump.place - 1) for step in kept]
    return Stumps.of(
        [column for column, _ in places],
        [float(thresholds.values[place]) for place in places],
        [step.weight for step in kept],
        width,
    )


@dataclass(frozen=True)
class RankBoost(StumpBoostingRanker):
    """F = Σ_t α_t h_t, h_t(x) = [x_j > θ], greedily lowering Σ exp(F(x0) − F(x1)).

    The sum runs over all pairs of documents of a query with y(x0) < y(x1), each with the same
    weight at first. In round t a pair has the weight D_t(x0, x1) ∝ exp(F_{t−1}(x0) − F_{t−1}(x1)),
    exactly, and

        r(h) = Σ D_t(x0, x1) (h(x1) − h(x0)),   h_t = argmax |r|,   α_t = ½ ln((1 + r) / (1 − r)),

    so α_t is negative where low values of a feature are good. r(h) = Σ_x π(x) h(x) with the
    potential π(x) = Σ_{x0} D_t(x0, x) − Σ_{x1} D_t(x, x1), which sums of exp(±F) per label give in
    time linear in the documents: no pair is ever listed. A NULL feature exceeds no threshold
    (q_def = 0 in the paper). Deviations: |r| is kept below 1 − 1e-9, where the paper's α has no
    bound; the round is chosen on validation.

    Freund, Iyer, Schapire, Singer (2003). An efficient boosting algorithm for combining
    preferences. Journal of Machine Learning Research 4.
    """

    name: ClassVar[str] = "rankboost"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Freund, Iyer, Schapire and Singer (2003), JMLR 4"

    def _loss(self, preferences: LabelLevels) -> ExponentialLoss:
        return ExponentialLoss(preferences)


_fidelity_sums = function(
    "rankwise_fidelity_sums", DOUBLES, DOUBLES, INT64S, INT64S, INT64S, INT64, DOUBLES,
    UINT8S, INT64, INT64, DOUBLES_OUT, returns=DOUBLE,
)  # fmt: skip


@dataclass(frozen=True)
class FRank(StumpBoostingRanker):
    """F = Σ_t α_t h_t, h_t(x) = [x_j > θ], greedily lowering the fidelity loss of pairs.

    A pair of documents of a query with y(x0) < y(x1) and o = F(x1) − F(x0) is ordered rightly with
    probability P = 1 / (1 + e^{−o}), and should be with probability 1, so its loss is

        1 − √P = 1 − (1 + e^{−o})^{−½},

    weighted by 1 / (pairs of the query), meaned over queries. Its derivative by o gives the pair
    the weight W = e^{−o} (1 + e^{−o})^{−3/2} / (pairs of the query), and with W₊ and W₋ the sums
    over the pairs that h puts right (h(x1) − h(x0) = 1) and wrong (−1)

        h_t = argmax (√W₊ − √W₋)²,
        α_t = ½ ln((W₊ + ε) / (W₋ + ε)),   ε = (W₊ + W₋) / (number of all pairs).

    With ε = 0, α_t lowers W₊ e^{−α} + W₋ e^{α} the most, namely by (√W₊ − √W₋)². Deviations: the
    paper computes the fidelity loss itself after the step for every h; it has no ε, by which a
    threshold without a mistake counts finitely; the round is chosen on validation. A NULL feature
    exceeds no threshold. Time per round grows with pairs times features, memory with documents
    times features.

    Tsai, Liu, Qin, Chen, Ma (2007). FRank: a ranking method with fidelity loss. SIGIR.
    """

    name: ClassVar[str] = "frank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Tsai, Liu, Qin, Chen and Ma (2007), SIGIR"

    rounds: int = parameter(100, "rounds at most; the best one is chosen on validation", lowest=1)

    def _loss(self, preferences: LabelLevels) -> FidelityLoss:
        return FidelityLoss(preferences)


@dataclass(frozen=True, eq=False)
class FidelityLoss:
    """Σ_q 1 / |pairs of q| Σ (1 − √P), divided by the number of queries that have pairs."""

    preferences: LabelLevels

    def arrange(self, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """By document: all features of a pair are looked at together."""
        return np.ascontiguousarray(codes.T)

    def next_stump(self, codes: NDArray[np.uint8], scores: Floats, count: int) -> Step:
        """The loss of the scores, and the threshold function that joins them next."""
        loss, right, wrong = self.weights(codes, scores, count)
        gains = (np.sqrt(right) - np.sqrt(wrong)) ** 2
        column, place = np.unravel_index(int(np.argmax(gains)), gains.shape)
        right_sum, wrong_sum = float(right[column, place]), float(wrong[column, place])
        mean = (right_sum + wrong_sum) / float(self.preferences.pairs.sum())
        stump = Stump(int(column), int(place) + 1, right_sum - wrong_sum)
        if stump.edge == 0.0:
            return Step(loss, stump, 0.0)
        return Step(loss, stump, 0.5 * float(np.log((right_sum + mean) / (wrong_sum + mean))))

    def weights(
        self, codes: NDArray[np.uint8], scores: Floats, count: int
    ) -> tuple[float, Floats, Floats]:
        """The loss, and W₊ and W₋ of every threshold of every feature: (features, thresholds)."""
        known = self.preferences
        pairs = known.pairs
        shares = 1.0 / (np.maximum(pairs, 1) * np.count_nonzero(pairs))
        n_features = codes.shape[1]
        sums = np.zeros((2, n_features, count + 2))
        loss = _fidelity_sums(
            *self._factors(scores),
            known.order,
            known.worse,
            known.query_offsets,
            len(shares),
            shares,
            codes,
            n_features,
            count + 2,
            sums,
        )
        # What enters and leaves again may leave a rounding error below 0.
        right, wrong = np.maximum(np.cumsum(sums, axis=2)[:, :, 1:-1], 0.0)
        return float(loss), right, wrong

    def _factors(self, scores: Floats) -> tuple[Floats, Floats]:
        """exp(F − m) and exp(m − F), m the middle of the query's scores."""
        offsets = self.preferences.query_offsets
        highest = np.maximum.reduceat(scores, offsets[:-1])
        middle = 0.5 * (highest + np.minimum.reduceat(scores, offsets[:-1]))
        centred = scores - np.repeat(middle, np.diff(offsets))
        return np.exp(centred), np.exp(-centred)


_HIGHEST_EDGE = 1.0 - 1e-9
_exponential_potentials = function(
    "rankwise_exponential_potentials",
    *(DOUBLES, INT64S, INT64S, INT64, INT64, INT64, DOUBLES_OUT, DOUBLES_OUT),
    returns=DOUBLE,
)


@dataclass(frozen=True, eq=False)
class ExponentialLoss:
    """Σ exp(F(x0) − F(x1)) over all pairs, divided by their number."""

    preferences: LabelLevels

    def arrange(self, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """By feature, as they are."""
        return codes

    def next_stump(self, codes: NDArray[np.uint8], scores: Floats, count: int) -> Step:
        """The loss of the scores, and the threshold function that joins them next."""
        loss, potentials = self.potentials(scores)
        stump = best_stump(codes, potentials, count)
        r = min(max(stump.edge, -_HIGHEST_EDGE), _HIGHEST_EDGE)
        return Step(loss, stump, 0.5 * float(np.log((1.0 + r) / (1.0 - r))))

    def potentials(self, scores: Floats) -> tuple[float, Floats]:
        """The loss, and π of every document."""
        known = self.preferences
        offsets = known.query_offsets
        found = np.empty(len(known.levels))
        if len(scores) != len(found):
            raise ValueError(f"{len(found)} scores are needed, found {len(scores)}")
        longest = int(np.diff(offsets).max())
        total = _exponential_potentials(
            scores,
            known.levels,
            offsets,
            len(offsets) - 1,
            len(scores),
            longest,
            np.empty(4 * longest + 2),
            found,
        )
        if total < 0.0:
            raise ValueError(
                "query offsets must rise, levels be fewer than the documents of a query"
            )
        return total / float(known.pairs.sum()), found / total
