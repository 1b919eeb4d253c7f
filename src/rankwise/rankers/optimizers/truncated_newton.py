"""Newton's method with steps by conjugate gradients, for smooth strongly convex objectives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.native.sums import dot
from rankwise.rankers.optimizers.optimum import Optimum
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
    def gradient(self) -> NDArray[np.float64]:
        """Its gradient."""

    def curvature(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Its (generalised) Hessian times a direction."""


def truncated_newton(
    objective: Callable[[NDArray[np.float64]], NewtonPoint],
    start: NDArray[np.float64],
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
    while number < rounds and _bound(point, convexity) > gap:
        direction = _conjugate_gradients(point)
        moved = _step(objective, weights, point, direction)
        if moved is None:
            break
        weights, point = moved
        number += 1
        if watch(Round(number, rounds, training=point.value)):
            break
    return Optimum(weights, point.value, _bound(point, convexity), number)


def _bound(point: NewtonPoint, convexity: float) -> float:
    return dot(point.gradient, point.gradient) / (2.0 * convexity)


def _conjugate_gradients(point: NewtonPoint) -> NDArray[np.float64]:
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


def _step(
    objective: Callable[[NDArray[np.float64]], NewtonPoint],
    weights: NDArray[np.float64],
    point: NewtonPoint,
    direction: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NewtonPoint] | None:
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
