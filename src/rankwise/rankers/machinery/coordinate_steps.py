"""A training measure along single coordinates: what Coordinate Ascent asks thousands of times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.measures.values import average
from rankwise.rankers.machinery.training_measure import TrainingMeasure

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StepMeasure:
    """The mean of a measure under the scores s + δ x, for many δ at once.

    Measures and tie rules that most people use go through one compiled pass, which sorts every
    step on from the one before; the rest (ties by document id, single precision, …) are
    evaluated score by score, with the same figures.
    """

    measure: TrainingMeasure

    def means(self, scores: Floats, column: Floats, steps: Floats) -> Floats:
        """One figure per step; steps of one sign should follow each other by rising size."""
        if self._compiled():
            values = self._along(scores, column, steps)
            return np.array([self._mean(row) for row in values])
        return np.array([self.measure.mean(scores + step * column) for step in steps])
