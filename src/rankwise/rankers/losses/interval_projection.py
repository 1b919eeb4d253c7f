"""The nearest scores that keep labels apart by a margin, and the distance to them.

Kruskal (1964). Nonmetric multidimensional scaling: a numerical method. Psychometrika 29.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class IntervalDistance:
    """½ Σ_i (s_i − t_i)², t the nearest scores with t_i ≥ t_j + m (y_i − y_j) wherever y_i > y_j.

    Documents of a query and a label fill an interval; those of labels that differ by 1 lie at
    least the margin m apart, where they lie being found with the projection: u = t − m y must not
    fall from one label to the next. Within a label u keeps the order of s, so that sorting by label
    and then by s − m y leaves an isotonic regression, solved by pooling adjacent violators in
    linear time. The slope of the distance is s − t.

    Attributes:
        labels: as in the data set.
        queries: the number of the query of every document.
        margin: m.
    """

    labels: Floats
    queries: Integers
    margin: float

    @classmethod
    def of(cls, dataset: Dataset, margin: float) -> IntervalDistance:
        """The margins of a data set."""
        return cls(dataset.labels, dataset.query_of_rows, margin)

    def value(self, scores: Floats) -> float:
        """The cost."""
        away = scores - self.project(scores)
        return float(0.5 * (away * away).sum())

    def at(self, scores: Floats) -> tuple[Floats, Floats]:
        """The slope of the cost in every score, and 1, the second derivative of a square."""
        return scores - self.project(scores), np.ones(len(scores))

    def project(self, scores: Floats) -> Floats:
        """t of every document."""
        from scipy.optimize import isotonic_regression

        free = scores - self.margin * self.labels
        order = np.lexsort((free, self.labels, self.queries))
        # One regression for all queries: each is lifted above the one before, so that none meet.
        lift = (1.0 + np.ptp(free)) * self.queries[order]
        fitted = isotonic_regression(free[order] + lift).x - lift
        found = np.empty(len(scores))
        found[order] = fitted
        return found + self.margin * self.labels
