"""The squared hinge on pairs as a function of linear weights: value, gradient, curvature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.native.sums import dot
from rankwise.rankers.losses.pairs import PreferencePairs, SquaredHinge
from rankwise.rankers.training.relative_features import RelativeFeatures


@dataclass(frozen=True, eq=False)
class SquaredHingePoint:
    """λ/2 ‖w‖² + Σ_ij v_ij max(0, 1 − w · (x_i − x_j))² at one w; v as the pairs have it."""

    features: RelativeFeatures
    loss: SquaredHinge
    regularization: float
    value: float
    gradient: NDArray[np.float64]

    @classmethod
    def at(
        cls,
        weights: NDArray[np.float64],
        features: RelativeFeatures,
        pairs: PreferencePairs,
        regularization: float,
        reached: NDArray[np.float64] | None = None,
    ) -> SquaredHingePoint:
        """The point w; `reached` are scores that those of w are added to."""
        scores = features.scores(weights)
        loss = pairs.squared_hinge(scores if reached is None else reached + scores)
        value = regularization / 2.0 * dot(weights, weights) + loss.value
        gradient = regularization * weights + features.combine(loss.slopes)
        return cls(features, loss, regularization, value, gradient)

    def curvature(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """The second derivative times a direction."""
        curved = self.loss.curvature(self.features.scores(direction))
        return self.regularization * direction + self.features.combine(curved)
