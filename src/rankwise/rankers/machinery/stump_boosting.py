"""Boosting threshold functions against a loss on pairs: what RankBoost and FRank share.

    F_t = F_{t-1} + a_t h_t,   h_t(x) = [x_j > θ]

A loss says how strongly each document wants to rise (its potential, the negative derivative of the
loss by its score); the stump that gathers the most potential joins with the loss's own weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.machinery.thresholds import Stump, Thresholds
from rankwise.rankers.machinery.training_measure import TrainingMeasure
from rankwise.rankers.ranker import Round, Watch
from rankwise.rankers.scorers.stumps import Stumps

Floats = NDArray[np.float64]


class PairLoss(Protocol):
    """A loss over the pairs of documents of a query with different labels."""

    def potentials(self, scores: Floats) -> tuple[float, Floats]:
        """The loss, and the potential of every document."""

    def weight(self, scores: Floats, raised: NDArray[np.bool_], edge: float) -> float:
        """The weight of the stump that raises these documents and gathers `edge` of potential."""


@dataclass(frozen=True)
class StumpRules:
    """How many rounds and thresholds, and the measure that chooses the round."""

    rounds: int
    thresholds: int
    measure: str
    tool: str


def boost_stumps(
    train: Dataset,
    validation: Dataset | None,
    loss: PairLoss,
    rules: StumpRules,
    watch: Watch,
) -> tuple[Stumps, dict[str, Any]]:
    """The sum of stumps of the best round on validation, or of the last one without validation.

    Ends early where no stump gathers potential: every pair is settled, or no feature tells the
    documents of a pair apart.
    """
    thresholds = Thresholds.of(train.features, rules.thresholds)
    run = _Growth.of(train, thresholds, rules)
    check = None if validation is None else _Growth.of(validation, thresholds, rules)
    stumps: list[tuple[Stump, float]] = []
    values: list[float] = []
    while len(stumps) < rules.rounds:
        remaining, potentials = loss.potentials(run.scores)
        stump = thresholds.best(run.codes, potentials)
        if abs(stump.edge) <= _NOTHING or remaining <= _NOTHING:
            break
        weight = loss.weight(run.scores, run.codes[stump.column] >= stump.place, stump.edge)
        stumps.append((stump, weight))
        training = run.grow(stump, weight)
        values.append(training if check is None else check.grow(stump, weight))
        shown = None if check is None else values[-1]
        if watch(Round(len(stumps), rules.rounds, training, shown)):
            break
    kept = len(stumps) if check is None or not values else int(np.argmax(values)) + 1
    facts = {"round": kept, "rounds": len(stumps), "training_loss": loss.potentials(run.scores)[0]}
    if check is not None and values:
        facts["selection"] = values[kept - 1]
    return _stumps(stumps[:kept], thresholds, train.n_features), facts


# Losses and potentials are relative to all pairs; below this nothing is left to gain.
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class _Growth:
    """The scores of one data set, which grow in place, and the measure that judges them."""

    codes: NDArray[np.uint8]
    scores: Floats
    measure: TrainingMeasure

    @classmethod
    def of(cls, dataset: Dataset, thresholds: Thresholds, rules: StumpRules) -> _Growth:
        # A few stumps tie most documents. Where a file is sorted by a good score, as OHSUMED is,
        # the file's order among them would earn their figure, and the first rounds always win.
        measure = TrainingMeasure.of(dataset, rules.measure, rules.tool, ties="expected")
        return cls(thresholds.codes(dataset.features), np.zeros(dataset.n_documents), measure)

    def grow(self, stump: Stump, weight: float) -> float:
        """Add the stump, and return what the measure says."""
        self.scores[self.codes[stump.column] >= stump.place] += weight
        return self.measure.mean(self.scores)


def _stumps(kept: list[tuple[Stump, float]], thresholds: Thresholds, width: int) -> Stumps:
    return Stumps.of(
        [stump.column for stump, _ in kept],
        [float(thresholds.values[stump.column, stump.place - 1]) for stump, _ in kept],
        [weight for _, weight in kept],
        width,
    )
