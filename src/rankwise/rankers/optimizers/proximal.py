"""Proximal steps minimise a smooth function and a price on the size of each weight.

Prices are a weighted ℓ1 norm, with a price of its own for each sign.

Proximal Newton steps: Lee, Sun, Saunders (2014). Proximal Newton-type methods for minimizing
composite functions. SIAM Journal on Optimization 24.

Accelerated proximal gradient steps are for methods that end before the minimum, as their papers do;
`proximal_newton` reaches it sooner. Beck, Teboulle (2009). A fast iterative shrinkage-thresholding
algorithm for linear inverse problems. SIAM Journal on Imaging Sciences 2. O'Donoghue, Candès
(2015). Adaptive restart for accelerated gradient schemes. Foundations of Computational Mathematics
15.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, function
from rankwise.native.arrays import Floats, Integers
from rankwise.native.sums import dot
from rankwise.rankers.losses.pairs import PairObjective, PairPoint
from rankwise.rankers.optimizers.lbfgs import Optimum
from rankwise.rankers.optimizers.newton import MAX_HALVINGS, SUFFICIENT_DECREASE
from rankwise.rankers.ranker import Round, Watch


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
    state = _GradientState.at(smooth, prices, start)
    lower, number = -np.inf, 0
    for number in range(1, rounds + 1):
        there = smooth(state.ahead)
        lower = max(lower, prices.lower_bound(state.ahead, there))
        step = _gradient_step(smooth, prices, state.ahead, there, state.steepness)
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
class _GradientStep:
    """Where one proximal step led, with the steepness L that it needed."""

    weights: Floats
    value: float
    steepness: float


@dataclass(frozen=True, eq=False)
class _GradientState:
    """The best weights, the point z from which the next step is made, and the momentum m."""

    weights: Floats
    objective: float
    ahead: Floats
    momentum: float
    steepness: float

    @classmethod
    def at(cls, smooth: Smooth, prices: Prices, weights: Floats) -> _GradientState:
        objective = smooth(weights).value + prices.total(weights)
        return cls(weights, objective, weights, 1.0, _FIRST_STEEPNESS)

    def after(self, step: _GradientStep, prices: Prices) -> _GradientState | None:
        """The next state; None where even a step without momentum does not fall any more."""
        objective = step.value + prices.total(step.weights)
        if objective > self.objective:
            if self.momentum == 1.0:
                return None
            return _GradientState(self.weights, self.objective, self.weights, 1.0, step.steepness)
        momentum = (1.0 + np.sqrt(1.0 + 4.0 * self.momentum**2)) / 2.0
        share = (self.momentum - 1.0) / momentum
        ahead = step.weights + share * (step.weights - self.weights)
        return _GradientState(step.weights, objective, ahead, float(momentum), step.steepness)


def _gradient_step(
    smooth: Smooth, prices: Prices, ahead: Floats, there: SmoothPoint, steepness: float
) -> _GradientStep:
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
    return _GradientStep(moved, value, steepness)


_minimise_model = function(
    "rankwise_minimise_model", DOUBLES, INT64, DOUBLES, DOUBLES, DOUBLE, INT64,
    DOUBLES_OUT, DOUBLES_OUT,
)  # fmt: skip

# A step gives a weight to so many new features at most: its model takes their number squared.
_MOST_NEW = 50
_SWEEPS = 10_000
# How much of what is missed now the model of a step may still miss.
_PART = 1e-4
# Features that repeat others leave the model flat; this part of its steepest bend is added.
_DAMPING = 1e-9


def proximal_newton(
    objective: PairObjective,
    prices: Prices,
    start: Floats,
    *,
    gap: float,
    rounds: int,
    watch: Watch,
    slope: float = 0.0,
) -> Optimum:
    """Minimise f + Ω, f a `PairObjective`.

        v = argmin_v ∇f(w) · (v − w) + ½ (v − w) · ∇²f(w) (v − w) + Ω(v),   w ← w + t (v − w)

    over the weights that are not 0 or should not be; t is 1, 1/2, 1/4, … until f + Ω falls enough.
    f is made of parabolas, so that few steps are needed. Steps end once the objective is proven
    to be within `gap` of the minimum, or once no condition of a minimum is missed by more than
    `slope`: where some price is 0 nothing can be proven.
    """
    weights, point = start, objective(start)
    value, lower, number = point.value + prices.total(start), -np.inf, 0
    while number < rounds:
        lower = max(lower, prices.lower_bound(weights, point))
        missed = prices.missed(weights, point.gradient)
        if value - lower <= gap or missed.max() <= slope:
            break
        direction = _newton_direction(weights, point, prices, missed)
        moved = _newton_step(objective, prices, weights, point, direction)
        if moved is None:
            break
        weights, point = moved
        value = point.value + prices.total(weights)
        number += 1
        if watch(Round(number, rounds, training=value)):
            break
    lower = max(lower, prices.lower_bound(weights, point))
    return Optimum(weights, value, value - lower, number)


def _newton_direction(weights: Floats, point: PairPoint, prices: Prices, missed: Floats) -> Floats:
    """v − w, v the minimum of the model on the weights that matter."""
    free = _free_weights(weights, missed)
    hessian = point.hessian(free)
    hessian[np.diag_indices(len(free))] += _DAMPING * np.diag(hessian).max(initial=0.0)
    found = minimise_model(
        hessian,
        point.gradient[free],
        prices.rising[free],
        prices.falling[free],
        weights[free],
        _PART * float(missed.max()),
        _SWEEPS,
    )
    direction = np.zeros_like(weights)
    direction[free] = found - weights[free]
    return direction


def _free_weights(weights: Floats, missed: Floats) -> Integers:
    """Where weights are not 0, and where they most should not be."""
    used = weights != 0.0
    wanted = np.where(used, 0.0, missed)
    order = np.argsort(-wanted, kind="stable")[:_MOST_NEW]
    used[order[wanted[order] > 0.0]] = True
    return np.flatnonzero(used)


def _newton_step(
    objective: PairObjective,
    prices: Prices,
    weights: Floats,
    point: PairPoint,
    direction: Floats,
) -> tuple[Floats, PairPoint] | None:
    """The longest of the steps 1, 1/2, 1/4, … that pays; None where rounding hides any fall."""
    price = prices.total(weights)
    foreseen = dot(point.gradient, direction) + prices.total(weights + direction) - price
    length = 1.0
    for _ in range(MAX_HALVINGS):
        there = weights + length * direction
        reached = objective(there)
        change = reached.value + prices.total(there) - point.value - price
        if change <= SUFFICIENT_DECREASE * length * foreseen and change < 0.0:
            return there, reached
        length /= 2.0
    return None


def minimise_model(
    hessian: Floats,
    gradient: Floats,
    rising: Floats,
    falling: Floats,
    weights: Floats,
    slope: float,
    sweeps: int,
) -> Floats:
    """The v of least g · (v − w) + ½ (v − w) · H(v − w) + Σ_j (a_j max(0, v_j) + b_j max(0, −v_j)).

    Each weight in turn takes the value that is best while the others stay; sweeps end where no
    weight would change the gradient by more than `slope`.
    """
    found = weights.copy()
    _minimise_model(hessian, len(found), rising, falling, slope, sweeps, gradient.copy(), found)
    return found
