"""Boosting threshold functions against a loss on pairs: what RankBoost and FRank share.

    F_t = F_{t-1} + a_t h_t,   h_t(x) = [x_j > θ]

The loss weighs pairs of documents of a query with different labels, and from that chooses h_t and
a_t; the rounds, the data sets and the choice of the round are here.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.boosting.thresholds import MOST_THRESHOLDS, Stump, Thresholds
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Ranker, Round, Watch, looks_at_figures
from rankwise.rankers.scorers.stumps import Stumps
from rankwise.rankers.training.followed_measure import FollowedMeasure
from rankwise.rankers.training.label_levels import LabelLevels, refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """What a loss says of the scores so far: its value, the next stump and its weight a_t."""

    loss: float
    stump: Stump
    weight: float


class PairLoss(Protocol):
    """A loss over the pairs of documents of a query with different labels, 1 or less at first."""

    def next_stump(self, codes: NDArray[np.uint8], scores: Floats, count: int) -> Step:
        """The next stump for these scores, with `count` thresholds a feature."""


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
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Stumps, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        rules = StumpRules(self.rounds, self.thresholds, self.measure, self.tool)
        return boost_stumps(train, validation, self._loss(LabelLevels.of(train)), rules, watch)

    @abstractmethod
    def _loss(self, preferences: LabelLevels) -> PairLoss:
        """The loss on the pairs of documents with different labels."""


def boost_stumps(
    train: Dataset,
    validation: Dataset | None,
    loss: PairLoss,
    rules: StumpRules,
    watch: Watch,
) -> tuple[Stumps, dict[str, Any]]:
    """The sum of stumps of the best round on validation, or of the last one without validation.

    Ends early where every pair is settled, or no stump puts more weight of pairs right than wrong.
    """
    thresholds = Thresholds.of(train.features, rules.thresholds)
    run = _Growth.of(train, thresholds, rules)
    check = None if validation is None else _Growth.of(validation, thresholds, rules)
    shown = looks_at_figures(watch)
    steps: list[Step] = []
    values: list[float] = []
    while len(steps) < rules.rounds:
        step = loss.next_stump(run.codes, run.scores, rules.thresholds)
        if abs(step.stump.edge) <= _NOTHING or step.loss <= _NOTHING:
            break
        steps.append(step)
        run.grow(step)
        training = run.figure() if shown else None
        if check is not None:
            check.grow(step)
        checked = None if check is None else check.figure()
        values.append(float(len(steps)) if checked is None else checked)
        if watch(Round(len(steps), rules.rounds, training, checked)):
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
    return _stumps(steps[:kept], thresholds, train.n_features), facts


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
