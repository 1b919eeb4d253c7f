"""RCP: a perceptron on pairs whose best functions on the way form a committee.

Preferences are drawn at random: every query with some is as likely, then each of its pairs.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.linear import Linear
from rankwise.native import DOUBLES, INT64, INT64S, function
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.parameters import convention, parameter, scale_large
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.training.model_selection import Judge, best_round
from rankwise.rankers.training.preferences import LabelLevels, refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures

_first_mistake = function(
    "rankwise_first_mistake", DOUBLES, INT64, DOUBLES, INT64S, INT64S, INT64, INT64, returns=INT64
)


@dataclass(frozen=True)
class RCP(Ranker):
    """w ← w + (x_i − x_j) wherever y_i > y_j and w · x_i ≤ w · x_j; f(x) = Σ_k v_k w_k · x.

    w begins at 0 and meets pairs of one query drawn at random. Every w on the way has a value v,
    its `measure` on validation (on training data where there is none); the committee are the
    `committee` best of them, of equals the earlier. One is the pocket perceptron, all the averaged
    one. The round, so many pairs, is the one whose committee is best on validation.

    A committee of the best functions of an online perceptron, valued by the measure that counts,
    is the paper's. In which order pairs come and that the value is also the weight are guesses.

    Elsas, Carvalho, Carbonell (2008). Fast learning of document ranking functions with the
    committee perceptron. WSDM.
    """

    name: ClassVar[str] = "rcp"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Elsas, Carvalho and Carbonell (2008), WSDM"
    uses_measure: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "in which order pairs come",
        "the value of a member is its weight",
    )

    committee: int = parameter(
        20, "members of the committee at most", grid=(5, 20, 100), lowest=1, highest=100000
    )
    rounds: int = parameter(30, "rounds at most; the best is chosen on validation", lowest=1)
    patience: int = parameter(15, "rounds without a better one before training ends", lowest=1)
    pairs_per_round: int = parameter(1000, "pairs that are met in a round", lowest=1)
    scale_large: bool = scale_large()
    measure: str = parameter("MAP", "the measure that values members and chooses the round")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Linear]:
        refuse_equal_labels(training.train, self.name)
        judge = Judge.of(training, self.measure, self.tool)
        steps = CommitteePerceptron(
            training.train,
            judge,
            self.committee,
            self.pairs_per_round,
            training.rng,
            scale_large=self.scale_large,
        )
        found, facts = best_round(
            steps, judge, rounds=self.rounds, patience=self.patience, watch=training.watch
        )
        return Learned(found, {**facts, "mistakes": steps.mistakes})


class CommitteePerceptron:
    """The perceptron with its committee; a round is a number of pairs."""

    def __init__(
        self,
        train: Dataset,
        judge: Judge,
        size: int,
        pairs: int,
        rng: np.random.Generator,
        *,
        scale_large: bool,
    ) -> None:
        self._features = np.ascontiguousarray(train.features)
        self._scales = RelativeFeatures.of(train, scale_large).scales
        self._levels = LabelLevels.of(train)
        self._judge = judge
        self._size = size
        self._pairs = pairs
        self._rng = rng
        self._weights = np.zeros(train.n_features)
        self._is_valued = False
        self._members: list[tuple[float, int, Floats]] = []
        self.mistakes = 0

    def step(self) -> float:
        """Meet the pairs of one round; the share of them that was ordered wrongly."""
        better, worse = draw_pairs(self._levels, self._pairs, self._rng)
        before, place = self.mistakes, 0
        while True:
            weights = self._weights / self._scales
            place = _first_mistake(
                self._features, len(weights), weights, better, worse, len(better), place
            )
            if place == len(better):
                break
            self._value_member(weights)
            apart = self._features[better[place]] - self._features[worse[place]]
            self._weights = self._weights + apart / self._scales
            self._is_valued = False
            self.mistakes += 1
            place += 1
        self._value_member(weights)
        return (self.mistakes - before) / self._pairs

    def scorer(self) -> Linear:
        """The members added up, each times its value; equally where all values are 0."""
        values = np.array([value for value, _, _ in self._members])
        shares = values if values.sum() > 0.0 else np.ones(len(values))
        weights = np.zeros(len(self._scales))
        for share, (_, _, member) in zip(shares, self._members, strict=True):
            weights += share * member
        return Linear(weights / self._scales)

    def _value_member(self, weights: Floats) -> None:
        """Offer the function as it stands to the committee, once; 0 orders nothing."""
        if self._is_valued or not self._weights.any():
            return
        self._is_valued = True
        value = self._judge.value(Linear(weights))
        # Of equal values the earlier stays: it made fewer mistakes.
        heapq.heappush(self._members, (value, -self.mistakes, self._weights))
        if len(self._members) > self._size:
            heapq.heappop(self._members)


def draw_pairs(
    levels: LabelLevels, count: int, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """The rows of the better and of the worse document of `count` pairs, with replacement.

    Some query must have documents of different labels.
    """
    lengths = np.diff(levels.query_offsets)
    shares = levels.worse / np.repeat(np.maximum(levels.pairs, 1), lengths)
    bounds = np.cumsum(shares)
    # A number below the last bound falls on a place that some document is worse than.
    places = np.searchsorted(bounds, rng.random(count) * bounds[-1], side="right")
    partners = (rng.random(count) * levels.worse[places]).astype(np.int64)
    starts = np.repeat(levels.query_offsets[:-1], lengths)[places]
    return levels.order[places], levels.order[starts + partners]
