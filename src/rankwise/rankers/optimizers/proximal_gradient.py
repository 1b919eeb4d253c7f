"""Accelerated proximal gradient steps: a smooth function, and a price on the size of each weight.

Beck, Teboulle (2009). A fast iterative shrinkage-thresholding algorithm for linear inverse
problems. SIAM Journal on Imaging Sciences 2. O'Donoghue, Candès (2015). Adaptive restart for
accelerated gradient schemes. Foundations of Computational Mathematics 15.

For methods that end before the minimum, as their papers do; `proximal_newton` reaches it sooner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.native.sums import dot
from rankwise.rankers.optimizers.optimum import Optimum
from rankwise.rankers.optimizers.prices import Prices, SmoothPoint
from rankwise.rankers.ranker import Round, Watch

Floats = NDArray[np.float64]
Smooth = Callable[[Floats], SmoothPoint]

# Small enough for any data; it is doubled until steps pay.
_FIRST_STEEPNESS = 1e-3
_MOST_DOUBLINGS = 200
# What rounding may add to a value that has not risen.
_ROUNDING = 1e-14


def proximal_gradient(
    smooth: Smooth,
    prices: Prices,
    start: Floats,
    *,
    gap: float,
    rounds: int,
    watch: Watch,
    tolerance: float = 0.0,
) -> Optimum:
    """Go towards the minimum of F = f + Ω, f a `PairObjective`.

        w_t = shrink(z_t − ∇f(z_t) / L, 1 / L),   m_{t+1} = (1 + √(1 + 4 m_t²)) / 2,
        z_{t+1} = w_t + (m_t − 1) / m_{t+1} (w_t − w_{t−1})

    L is doubled until f(w_t) is at most its quadratic bound at z_t. Where F rises, momentum starts
    again from m = 1. Steps end once F is proven to be within `gap` of its minimum, or once
    F(w_{t−1}) − F(w_t) ≤ `tolerance` F(w_{t−1}).
    """
    state = _State.at(smooth, prices, start)
    lower, number = -np.inf, 0
    for number in range(1, rounds + 1):
        there = smooth(state.ahead)
        lower = max(lower, prices.lower_bound(state.ahead, there))
        step = _step(smooth, prices, state.ahead, there, state.steepness)
        following = state.after(step, prices)
        if following is None:
            break
        fall = state.objective - following.objective
        slow = following.momentum > 1.0 and fall <= tolerance * state.objective
        state = following
        if watch(Round(number, rounds, training=state.objective)):
            break
        if slow or state.objective - lower <= gap:
            break
    return Optimum(state.weights, state.objective, state.objective - lower, number)


@dataclass(frozen=True, eq=False)
class _Step:
    """Where one proximal step led, with the steepness L that it needed."""

    weights: Floats
    value: float
    steepness: float


@dataclass(frozen=True, eq=False)
class _State:
    """The best weights, the point z from which the next step is made, and the momentum m."""

    weights: Floats
    objective: float
    ahead: Floats
    momentum: float
    steepness: float

    @classmethod
    def at(cls, smooth: Smooth, prices: Prices, weights: Floats) -> _State:
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
    smooth: Smooth, prices: Prices, ahead: Floats, there: SmoothPoint, steepness: float
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
    return _Step(moved, value, steepness)
