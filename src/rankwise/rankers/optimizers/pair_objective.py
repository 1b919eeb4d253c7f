"""The squared hinge on pairs as a function of weights, with or without a quadratic beside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankwise.native.sums import dot
from rankwise.rankers.losses.pairs import PreferencePairs, SquaredHinge
from rankwise.rankers.training.relative_features import RelativeFeatures

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairObjective:
    """f(w) = 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (z_i − z_j))² + ½ w · Qw.

    Attributes:
        features: z, one row per document.
        pairs: P, the pairs of documents of one query with y_i > y_j.
        quadratic: Q, symmetric and positive semidefinite; None is 0.
    """

    features: RelativeFeatures
    pairs: PreferencePairs
    quadratic: Floats | None = None

    def __call__(self, weights: Floats) -> PairPoint:
        """The function at w; its gradient is computed when it is asked for."""
        loss = self.pairs.squared_hinge(self.features.scores(weights))
        if self.quadratic is None:
            return PairPoint(self, loss, loss.value, None)
        # Row by row: a library's product may depend on the number of threads.
        bent = (self.quadratic * weights).sum(axis=1)
        return PairPoint(self, loss, loss.value + dot(weights, bent) / 2.0, bent)


@dataclass(frozen=True, eq=False)
class PairPoint:
    """The objective at one w."""

    objective: PairObjective
    loss: SquaredHinge
    value: float
    bent: Floats | None

    @cached_property
    def gradient(self) -> Floats:
        """Its gradient."""
        slopes = self.objective.features.combine(self.loss.slopes)
        return slopes if self.bent is None else slopes + self.bent

    def hessian(self, free: NDArray[np.int64]) -> Floats:
        """The second derivatives in the weights of these numbers: 2/|P| Σ over active pairs + Q."""
        features, quadratic = self.objective.features.take(free), self.objective.quadratic
        found = np.empty((len(free), len(free)))
        for row, alone in enumerate(np.eye(len(free))):
            found[row] = features.combine(self.loss.curvature(features.scores(alone)))
        return found if quadratic is None else found + quadratic[np.ix_(free, free)]
