"""A training measure along single coordinates: what Coordinate Ascent asks thousands of times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.measures.values import average
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]


class StepMeasure:
    """The figure of a measure under the scores s + δ x, for many δ at once."""

    def __init__(self, measure: TrainingMeasure) -> None:
        self._measure = measure

    def means(self, scores: Floats, column: Floats, steps: Floats) -> Floats:
        """One figure per step."""
        return self._averages(self._measure.values(scores + steps[:, np.newaxis] * column))

    def _averages(self, values: Floats) -> Floats:
        """As `average` has them; all at once where they are plain means of all queries."""
        measure, judged = self._measure.measure, self._measure.judged
        if measure.average == "mean" and np.isfinite(values).all():
            means: Floats = np.cumsum(values, axis=1)[:, -1] / values.shape[1]
            return means
        figures = np.array([average(row, measure, judged) for row in values])
        # Where no query has a figure, no step is better than another.
        return np.where(np.isnan(figures), 0.0, figures)
