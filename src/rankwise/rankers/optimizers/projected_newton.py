"""Projected Newton: the minimum of a smooth convex function of weights that may not be negative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers.optimizers.optimum import Optimum
from rankwise.rankers.ranker import Round, Watch

Floats = NDArray[np.float64]

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
        left = _bound(weights, here.gradient, convexity)
        if watch(Round(number, rounds, training=here.value)) or left <= gap:
            break
        held = (weights <= _AT_ZERO) & (here.gradient > 0)
        step = _newton_step(here, ~held)
        moved = _search(function, weights, here, step)
        if moved is None:
            break
        weights, here = moved
    return Optimum(weights, here.value, left, number)


def _bound(weights: Floats, gradient: Floats, convexity: float) -> float:
    """How far the function can fall at most."""
    move = np.maximum(weights - gradient / convexity, 0.0) - weights
    return float(-(gradient * move + convexity / 2 * move**2).sum())


def _newton_step(here: ConvexPoint, free: NDArray[np.bool_]) -> Floats:
    """−H^-1 g on the free weights, 0 on the others."""
    step = np.zeros(len(here.gradient))
    hessian = here.hessian()[np.ix_(free, free)]
    # Features that say the same leave the Hessian singular; any of the steps will do.
    hessian[np.diag_indices_from(hessian)] += _RIDGE * max(float(np.trace(hessian)), _RIDGE)
    step[free] = np.linalg.solve(hessian, -here.gradient[free])
    step[~free] = -here.gradient[~free]
    return step


def _search(
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
