"""Accelerated proximal gradient steps: a smooth function, and a price on the size of each weight.

Beck, Teboulle (2009). A fast iterative shrinkage-thresholding algorithm for linear inverse
problems. SIAM Journal on Imaging Sciences 2. O'Donoghue, Candès (2015). Adaptive restart for
accelerated gradient schemes. Foundations of Computational Mathematics 15.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers.optimizers.optimum import Optimum
from rankwise.rankers.optimizers.truncated_newton import dot
from rankwise.rankers.ranker import Round, Watch

Floats = NDArray[np.float64]

# Small enough for any data; it is doubled until steps pay.
_FIRST_STEEPNESS = 1e-3
_MOST_DOUBLINGS = 200
# What rounding may add to a value that has not risen.
_ROUNDING = 1e-14


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
        return dot(self.rising, np.maximum(weights, 0.0)) - dot(
            self.falling, np.minimum(weights, 0.0)
        )

    def shrink(self, weights: Floats, length: float) -> Floats:
        """The v of least ½ ‖v − w‖² + length · Ω(v): weights drawn to 0, not beyond it."""
        above = np.maximum(weights - length * self.rising, 0.0)
        return above + np.minimum(weights + length * self.falling, 0.0)

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


def proximal_gradient(
    smooth: Callable[[Floats], SmoothPoint],
    prices: Prices,
    start: Floats,
    *,
    gap: float,
    rounds: int,
    watch: Watch,
    slope: float = 0.0,
) -> Optimum:
    """Minimise f + Ω for the f of `PairObjective`.

        w_t = shrink(z_t − ∇f(z_t) / L, 1 / L),   m_{t+1} = (1 + √(1 + 4 m_t²)) / 2,
        z_{t+1} = w_t + (m_t − 1) / m_{t+1} (w_t − w_{t−1})

    L is doubled until f(w_t) is at most its quadratic bound at z_t. Where f + Ω rises, momentum
    starts again from m = 1. Steps end once the objective is proven to be within `gap` of the
    minimum, or once L ‖w_t − z_t‖∞, by which the conditions of a minimum are missed, is at most
    `slope`: where some price is 0 nothing can be proven.
    """
    state = _State.at(smooth, prices, start)
    lower = -np.inf
    number = 0
    for number in range(1, rounds + 1):
        there = smooth(state.ahead)
        lower = max(lower, prices.lower_bound(state.ahead, there))
        step = _step(smooth, prices, state.ahead, there, state.steepness)
        settled = step.missed <= slope
        following = state.after(step, prices)
        if following is None:
            break
        state = following
        if watch(Round(number, rounds, training=state.objective)):
            break
        if settled or state.objective - lower <= gap:
            break
    return Optimum(state.weights, state.objective, state.objective - lower, number)


@dataclass(frozen=True, eq=False)
class _Step:
    """Where one proximal step led, with the steepness L that it needed."""

    weights: Floats
    value: float
    steepness: float
    missed: float


@dataclass(frozen=True, eq=False)
class _State:
    """The best weights, the point z from which the next step is made, and the momentum m."""

    weights: Floats
    objective: float
    ahead: Floats
    momentum: float
    steepness: float

    @classmethod
    def at(
        cls, smooth: Callable[[Floats], SmoothPoint], prices: Prices, weights: Floats
    ) -> _State:
        objective = smooth(weights).value + prices.total(weights)
        return cls(weights, objective, weights, 1.0, _FIRST_STEEPNESS)

    def after(self, step: _Step, prices: Prices) -> _State | None:
        """The next state; None where even a step without momentum does not fall any more."""
        objective = step.value + prices.total(step.weights)
        if objective > self.objective:
            if self.momentum == 1.0:
                return None
            return _State(self.weights, self.objective, self.weights, 1.0, step.steepness)
        momentum = (1.0 + np.sqrt(1.0 + 4.0 * self.momentum**2)) / 2.0
        share = (self.momentum - 1.0) / momentum
        ahead = step.weights + share * (step.weights - self.weights)
        return _State(step.weights, objective, ahead, float(momentum), step.steepness)


def _step(
    smooth: Callable[[Floats], SmoothPoint],
    prices: Prices,
    ahead: Floats,
    there: SmoothPoint,
    steepness: float,
) -> _Step:
    """One step from `ahead` with the least steepness, from the given one on, that bounds f."""
    gradient = there.gradient
    for _ in range(_MOST_DOUBLINGS):
        moved = prices.shrink(ahead - gradient / steepness, 1.0 / steepness)
        change = moved - ahead
        value = smooth(moved).value
        bound = there.value + dot(gradient, change) + steepness / 2.0 * dot(change, change)
        if value <= bound + _ROUNDING * abs(there.value):
            break
        steepness *= 2.0
    return _Step(moved, value, steepness, steepness * float(np.abs(change).max(initial=0.0)))
