"""What weights cost: a weighted ℓ1 norm, with a price of its own for each sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.native.sums import dot

Floats = NDArray[np.float64]


class SmoothPoint(Protocol):
    """A convex function with a gradient, at one point."""

    @property
    def value(self) -> float:
        """The function."""

    @property
    def gradient(self) -> Floats:
        """Its gradient."""


@dataclass(frozen=True, eq=False)
class Prices:
    """Ω(w) = Σ_j (a_j max(0, w_j) + b_j max(0, −w_j)), a weighted ℓ1 norm where a = b.

    Prices of their own for negative weights are the same as a second feature −x_j beside every
    x_j, and weights that may not be negative.

    Attributes:
        rising: a, one price per feature.
        falling: b.
    """

    rising: Floats
    falling: Floats

    @classmethod
    def equal(cls, prices: Floats) -> Prices:
        """The same for both signs."""
        return cls(prices, prices)

    def total(self, weights: Floats) -> float:
        """Ω(w)."""
        above, below = np.maximum(weights, 0.0), np.minimum(weights, 0.0)
        return dot(self.rising, above) - dot(self.falling, below)

    def shrink(self, weights: Floats, length: float) -> Floats:
        """The v of least ½ ‖v − w‖² + length · Ω(v): weights drawn to 0, not beyond it."""
        above = np.maximum(weights - length * self.rising, 0.0)
        return above + np.minimum(weights + length * self.falling, 0.0)

    def missed(self, weights: Floats, gradient: Floats) -> Floats:
        """How far −∇f(w) is from the slopes of Ω at w, weight by weight; 0 at a minimum."""
        slopes = -gradient
        highest = np.where(weights < 0.0, -self.falling, self.rising)
        lowest = np.where(weights > 0.0, self.rising, -self.falling)
        return np.maximum(slopes - highest, 0.0) + np.maximum(lowest - slopes, 0.0)

    def lower_bound(self, weights: Floats, point: SmoothPoint) -> float:
        """A value that f + Ω takes nowhere less than, for the f of `PairObjective`.

        With h the hinges at w, the dual vector −2θh/|P| and −θQw is feasible while −θ∇f(w) is a
        slope of Ω at 0, and its dual value is 2θ (f(w) − ½ w · ∇f(w)) − θ² f(w).
        """
        value, gradient = point.value, point.gradient
        if value <= 0.0:
            return 0.0
        linear = value - dot(weights, gradient) / 2.0
        prices = np.where(gradient > 0.0, self.falling, self.rising)
        steep = gradient != 0.0
        most = np.min(prices[steep] / np.abs(gradient[steep]), initial=np.inf)
        scale = min(float(most), linear / value)
        return 2.0 * scale * linear - scale * scale * value
