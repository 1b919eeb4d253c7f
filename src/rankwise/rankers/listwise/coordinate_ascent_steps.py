"""A training measure along single coordinates: what Coordinate Ascent asks thousands of times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.measures.ranking import raise_if_failed
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S_OUT, function
from rankwise.rankers.training.prepared_measure import PreparedMeasure
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]

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
