"""Proximal Newton steps: a smooth function, and a price on the size of each weight.

Lee, Sun, Saunders (2014). Proximal Newton-type methods for minimizing composite functions. SIAM
Journal on Optimization 24.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, function
from rankwise.native.sums import dot
from rankwise.rankers.optimizers.optimum import Optimum
from rankwise.rankers.optimizers.pair_objective import PairObjective, PairPoint
from rankwise.rankers.optimizers.prices import Prices
from rankwise.rankers.optimizers.truncated_newton import MAX_HALVINGS, SUFFICIENT_DECREASE
from rankwise.rankers.ranker import Round, Watch

Floats = NDArray[np.float64]

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
        direction = _direction(weights, point, prices, missed)
        moved = _step(objective, prices, weights, point, direction)
        if moved is None:
            break
        weights, point = moved
        value = point.value + prices.total(weights)
        number += 1
        if watch(Round(number, rounds, training=value)):
            break
    lower = max(lower, prices.lower_bound(weights, point))
    return Optimum(weights, value, value - lower, number)


def _direction(weights: Floats, point: PairPoint, prices: Prices, missed: Floats) -> Floats:
    """v − w, v the minimum of the model on the weights that matter."""
    free = _free(weights, missed)
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


def _free(weights: Floats, missed: Floats) -> NDArray[np.int64]:
    """Where weights are not 0, and where they most should not be."""
    used = weights != 0.0
    wanted = np.where(used, 0.0, missed)
    order = np.argsort(-wanted, kind="stable")[:_MOST_NEW]
    used[order[wanted[order] > 0.0]] = True
    return np.flatnonzero(used)


def _step(
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
