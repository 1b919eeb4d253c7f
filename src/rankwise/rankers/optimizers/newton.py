"""Newton's method for smooth convex objectives.

Truncated Newton takes steps by conjugate gradients and needs strong convexity. Projected Newton
finds the minimum of a smooth convex function of weights that may not be negative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.native.arrays import Floats
from rankwise.native.sums import dot
from rankwise.rankers.optimizers.lbfgs import Optimum
from rankwise.rankers.ranker import Round, Watch

MAX_HALVINGS = 40
# Part of the slope that a step must realise (Armijo's rule).
SUFFICIENT_DECREASE = 1e-4


class NewtonPoint(Protocol):
    """An objective at one point."""

    @property
    def value(self) -> float:
        """The objective."""

    @property
    def gradient(self) -> Floats:
        """Its gradient."""

    def curvature(self, direction: Floats) -> Floats:
        """Its (generalised) Hessian times a direction."""


def truncated_newton(
    objective: Callable[[Floats], NewtonPoint],
    start: Floats,
    convexity: float,
    *,
    gap: float,
    rounds: int,
    watch: Watch,
) -> Optimum:
    """Minimise f, where f − convexity/2 ‖w‖² is convex.

    Then f(w) − min f ≤ ‖∇f(w)‖² / (2 · convexity): training ends once this is at most `gap`, and
    the bound is the optimum's gap. Steps solve ∇²f d = −∇f by conjugate gradients to a part
    min(1/10, √‖∇f‖) of the gradient, and are halved until f falls enough.
    Keerthi and DeCoste (2005), JMLR 6.
    """
    weights, point = start, objective(start)
    number = 0
    while number < rounds and _convexity_bound(point, convexity) > gap:
        direction = _conjugate_gradients(point)
        moved = _halved_step(objective, weights, point, direction)
        if moved is None:
            break
        weights, point = moved
        number += 1
        if watch(Round(number, rounds, training=point.value)):
            break
    return Optimum(weights, point.value, _convexity_bound(point, convexity), number)


def _convexity_bound(point: NewtonPoint, convexity: float) -> float:
    return dot(point.gradient, point.gradient) / (2.0 * convexity)


def _conjugate_gradients(point: NewtonPoint) -> Floats:
    """An approximate Newton direction: always one of descent."""
    residual = -point.gradient
    square = dot(residual, residual)
    enough = min(0.1, square**0.25) ** 2 * square
    solution = np.zeros_like(residual)
    direction = residual
    for _ in range(2 * len(residual) + 10):
        product = point.curvature(direction)
        length = square / dot(direction, product)
        solution = solution + length * direction
        residual = residual - length * product
        previous, square = square, dot(residual, residual)
        if square <= enough:
            break
        direction = residual + (square / previous) * direction
    return solution


def _halved_step(
    objective: Callable[[Floats], NewtonPoint],
    weights: Floats,
    point: NewtonPoint,
    direction: Floats,
) -> tuple[Floats, NewtonPoint] | None:
    """The longest of the steps 1, 1/2, 1/4, … that pays; None where rounding hides any fall."""
    slope = dot(point.gradient, direction)
    length = 1.0
    for _ in range(MAX_HALVINGS):
        there = weights + length * direction
        reached = objective(there)
        if reached.value <= point.value + SUFFICIENT_DECREASE * length * slope:
            return there, reached
        length /= 2.0
    return None


_HALVINGS, _DECREASE, _RIDGE, _AT_ZERO = 60, 1e-4, 1e-12, 1e-8


class ConvexPoint(Protocol):
    """A function at one place; its value is infinite outside of its domain."""

    value: float
    gradient: Floats

    def hessian(self) -> Floats:
        """The second derivatives."""


def projected_newton(
    function: Callable[[Floats], ConvexPoint],
    start: Floats,
    convexity: float,
    *,
    gap: float,
    rounds: int,
    watch: Watch,
) -> Optimum:
    """The place θ ≥ 0 whose value is within `gap` of the minimum.

    `convexity` is a λ for which the function less λ/2 ‖θ‖² is still convex, so that it is nowhere
    below its tangent plus λ/2 ‖v − θ‖², whose minimum over v ≥ 0 bounds it. Weights at 0 whose
    gradient holds them there stay; the others take Newton's step, shortened until the function
    falls enough (Bertsekas 1982, SIAM J. Control and Optimization 20).
    """
    weights, here = start, function(start)
    number, left = 0, np.inf
    for number in range(1, rounds + 1):
        left = _projected_bound(weights, here.gradient, convexity)
        if watch(Round(number, rounds, training=here.value)) or left <= gap:
            break
        held = (weights <= _AT_ZERO) & (here.gradient > 0)
        step = _projected_step(here, ~held)
        moved = _projected_search(function, weights, here, step)
        if moved is None:
            break
        weights, here = moved
    return Optimum(weights, here.value, left, number)


def _projected_bound(weights: Floats, gradient: Floats, convexity: float) -> float:
    """How far the function can fall at most."""
    move = np.maximum(weights - gradient / convexity, 0.0) - weights
    return float(-(gradient * move + convexity / 2 * move**2).sum())


def _projected_step(here: ConvexPoint, free: NDArray[np.bool_]) -> Floats:
    """−H^-1 g on the free weights, 0 on the others."""
    step = np.zeros(len(here.gradient))
    hessian = here.hessian()[np.ix_(free, free)]
    # Features that say the same leave the Hessian singular; any of the steps will do.
    hessian[np.diag_indices_from(hessian)] += _RIDGE * max(float(np.trace(hessian)), _RIDGE)
    step[free] = np.linalg.solve(hessian, -here.gradient[free])
    step[~free] = -here.gradient[~free]
    return step


def _projected_search(
    function: Callable[[Floats], ConvexPoint], weights: Floats, here: ConvexPoint, step: Floats
) -> tuple[Floats, ConvexPoint] | None:
    """The first of ever shorter steps after which the function is low enough; None if none is."""
    length = 1.0
    for _ in range(_HALVINGS):
        place = np.maximum(weights + length * step, 0.0)
        there = function(place)
        if there.value < here.value + _DECREASE * float(here.gradient @ (place - weights)):
            return place, there
        length /= 2.0
    return None
