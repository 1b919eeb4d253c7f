"""Coordinate Ascent: one weight after the other, straight towards the measure.

It asks thousands of times for the training measure along single coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.measures.document_order import raise_if_failed
from rankwise.measures.prepared import PreparedMeasure
from rankwise.models.scorers.linear import Linear
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S_OUT, function
from rankwise.native.arrays import Floats
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training
from rankwise.rankers.round_measures import SAME
from rankwise.rankers.training.model_selection import Judge
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.training_measure import TrainingMeasure


@dataclass(frozen=True)
class CoordinateAscent(Ranker):
    """Maximise M(w · x) over w with Σ |w_j| = 1, M any measure, by steps along single weights.

    For one feature j after the other, in random order, w_j is replaced by the best among w_j, 0
    and w_j ± step · 2^k for k = 0, 1, …; the weights are then divided by Σ |w_j|, which changes no
    order. A sweep over all features that gains less than `tolerance` ends the climb. The first
    climb starts from equal weights, each restart from a random point of the simplex; of all
    climbs the end of the sweep with the best M, or another `selection`, on validation is taken (on
    training data where there is none).

    Deviations: the paper leaves the line search open; this is the one of its best-known
    implementation, RankLib. Features that are constant within every query stay at 0, and those
    whose spread within queries is above 1 are divided by it during the search.

    Metzler, Croft (2007). Linear feature-based models for information retrieval. Information
    Retrieval 10.
    """

    name: ClassVar[str] = "coordinate-ascent"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Metzler and Croft (2007), Information Retrieval 10(3)"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    random: ClassVar[bool] = True

    restarts: int = parameter(5, "climbs, the first from equal weights", lowest=1)
    rounds: int = parameter(25, "sweeps over all features in a climb at most", lowest=1)
    first_step: float = parameter(
        0.001, "the shortest step, in parts of Σ |w|", lowest=1e-9, highest=1.0
    )
    doublings: int = parameter(12, "how often the step is doubled", lowest=0, highest=60)
    tolerance: float = parameter(0.001, "a sweep that gains less ends the climb", lowest=0.0)
    measure: str = parameter("MAP", "the measure M")
    selection: str = parameter(SAME, "the measure that chooses among sweeps; same: M")
    tool: str = convention("measures")

    def _learn(self, training: Training) -> Learned[Linear]:
        refuse_equal_labels(training.train, self.name)
        selection = self.measure if self.selection == SAME else self.selection
        search = _Search(self, training, Judge.of(training, selection, self.tool))
        for restart in range(self.restarts):
            if search.climb(restart, training.rng):
                break
        return Learned(search.best, search.facts)


class _Search:
    """All climbs, and the best that they came across.

    Attributes:
        best: the best function so far.
        facts: how it came about.
    """

    def __init__(self, ranker: CoordinateAscent, training: Training, judge: Judge) -> None:
        train = training.train
        self._ranker = ranker
        self._judge = judge
        self._watch = training.watch
        self._features = RelativeFeatures.of(train, scale_large=True)
        self._columns = self._features.columns()
        self._useful = np.flatnonzero(self._columns.any(axis=1))
        if len(self._useful) == 0:
            raise RankwiseError(
                f"{ranker.name}: some feature must tell documents of a training query apart, found "
                f"none among {train.n_features}: all are constant within every query"
            )
        measure = TrainingMeasure.of(train, ranker.measure, ranker.tool)
        self._measure = StepMeasure(measure)
        sizes = ranker.first_step * 2.0 ** np.arange(ranker.doublings + 1)
        self._steps = np.concatenate([sizes, -sizes])
        self._tries = 0
        self._sweeps = 0
        self._figure = -np.inf
        self.best = Linear(np.zeros(train.n_features))
        self.facts: dict[str, Any] = {}

    def climb(self, restart: int, rng: np.random.Generator) -> bool:
        """One climb; true where the watch wants training to end."""
        weights = self._start(restart, rng)
        reached = -np.inf
        for _ in range(self._ranker.rounds):
            before = reached
            weights, reached, stopped = self._sweep(weights, rng)
            self._sweeps += 1
            self._keep(weights, restart, reached)
            if stopped or reached - before < self._ranker.tolerance:
                return stopped
        return False

    def _start(self, restart: int, rng: np.random.Generator) -> Floats:
        """Equal weights at first, then exponential ones, which are uniform on the simplex."""
        size = len(self._useful)
        shares = np.ones(size) if restart == 0 else rng.exponential(size=size)
        weights = np.zeros(len(self._columns))
        weights[self._useful] = shares / shares.sum()
        return weights

    def _sweep(self, weights: Floats, rng: np.random.Generator) -> tuple[Floats, float, bool]:
        """Every useful feature once, in random order."""
        ranker = self._ranker
        total = ranker.restarts * ranker.rounds * len(self._useful)
        reached = -np.inf
        scores = self._features.scores(weights)
        for column in rng.permutation(self._useful).tolist():
            improved, reached = self._improve(weights, scores, column)
            if improved is not None:
                weights, scores = improved, self._features.scores(improved)
            self._tries += 1
            figure = None if self._sweeps == 0 else self._figure
            if self._watch(Round(self._tries, total, reached, figure)):
                return weights, reached, True
        return weights, reached, False

    def _improve(self, weights: Floats, scores: Floats, column: int) -> tuple[Floats | None, float]:
        """The best of the steps along one weight, the shortest among equals; None: to stay."""
        steps = np.concatenate([[0.0], self._steps, [-weights[column]]])
        figures = self._measure.means(scores, self._columns[column], steps)
        best = int(np.argmax(figures))
        moved = weights.copy()
        moved[column] = 0.0 if best == len(steps) - 1 else weights[column] + steps[best]
        size = float(np.abs(moved).sum())
        if best == 0 or size == 0.0:
            return None, float(figures[0])
        return moved / size, float(figures[best])

    def _keep(self, weights: Floats, restart: int, reached: float) -> None:
        scorer = Linear(self._features.plain_weights(weights))
        figure = self._judge.value(scorer)
        if figure > self._figure:
            self.best, self._figure = scorer, figure
            self.facts = {"restart": restart, "training": reached, "selection": figure}
        self.facts["sweeps"] = self._sweeps
        self.facts["evaluations"] = self._tries * (len(self._steps) + 2)


_values_along = function(
    "rankwise_values_along",
    *(ADDRESS, DOUBLES, DOUBLES, DOUBLES, INT64, INT64S_OUT, DOUBLES_OUT, DOUBLES_OUT),
    returns=INT64,
)


class StepMeasure:
    """The figure of a measure under the scores s + δ x, for many δ at once.

    One compiled pass sorts every step on from the one before, and looks at no query whose labels
    by rank stay as they are. Where the scores are not compared as they are (ties by document id,
    single precision, …), every step is evaluated by itself. Calls share what they remember:
    threads need a StepMeasure each.
    """

    def __init__(self, measure: TrainingMeasure) -> None:
        self._measure = measure
        self._prepared = measure.prepared() if measure.compares_scores_as_they_are else None
        self._order = np.arange(len(measure.judged.labels))

    def means(self, scores: Floats, column: Floats, steps: Floats) -> Floats:
        """One figure per step; steps of one sign should follow each other by rising size."""
        if self._prepared is None:
            values = self._measure.values(scores + steps[:, np.newaxis] * column)
        else:
            values = self._values(self._prepared, scores, column, steps)
        return self._measure.figures(values)

    def _values(
        self, measure: PreparedMeasure, scores: Floats, column: Floats, steps: Floats
    ) -> Floats:
        if len(scores) != measure.documents or len(column) != measure.documents:
            raise ValueError(f"one score and one value for each of {measure.documents} are needed")
        out = np.empty((len(steps), measure.queries))
        moved = np.empty(len(scores))
        raise_if_failed(
            _values_along(
                measure.address, scores, column, steps, len(steps), self._order, moved, out
            )
        )
        return self._measure.without_skipped(out)
