"""Minimising a sum of losses of which each knows its own data only: consensus ADMM.

Boyd, Parikh, Chu, Peleato, Eckstein (2011). Distributed optimization and statistical learning via
the alternating direction method of multipliers. Foundations and Trends in Machine Learning 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.native.sums import dot
from rankwise.rankers.optimizers.optimum import Optimum
from rankwise.rankers.optimizers.truncated_newton import NewtonPoint, truncated_newton
from rankwise.rankers.ranker import Round, Watch, never_stop

Floats = NDArray[np.float64]
Loss = Callable[[Floats], NewtonPoint]

# Boyd et al., section 3.4.1: ρ doubles or halves where one residual is so much larger.
_UNBALANCED = 10.0
# The same, section 3.4.3: w_k goes so much of the way from the old z.
_RELAXATION = 1.6
_INNER_ROUNDS = 50
# The part of an inner problem's gap that a round leaves.
_INNER_PART = 1e-4


@dataclass(frozen=True, eq=False)
class _State:
    """z, on which all agree in the end, and for each loss its own w and the scaled price u."""

    shared: Floats
    own: Floats
    prices: Floats
    penalty: float


def minimise_by_consensus(
    losses: Sequence[Loss],
    width: int,
    regularization: float,
    *,
    penalty: float,
    gap: float,
    rounds: int,
    watch: Watch,
) -> Optimum:
    """Minimise Σ_k L_k(w) + λ/2 ‖w‖² for smooth convex losses L_k of `width` weights, λ > 0.

    As Σ_k L_k(w_k) + λ/2 ‖z‖² with w_k = z, a round is

        w_k ← argmin L_k(w) + ρ/2 ‖w − z + u_k‖²          (each from its own data, by Newton steps)
        z ← ρ Σ_k (w_k + u_k) / (λ + K ρ)                  (the only thing that is told to all)
        u_k ← u_k + w_k − z

    where z and u_k see 1.6 w_k − 0.6 z in place of w_k, which needs fewer rounds. ρ begins at
    `penalty` and is doubled or halved, u with it, where the w_k are much further from z than z has
    moved, or the other way round. As in `truncated_newton`, ‖∇‖² / (2 λ) at z bounds
    how far the objective is from its minimum; rounds end once that is at most `gap`.
    """
    nothing = np.zeros((len(losses), width))
    state = _State(np.zeros(width), nothing, nothing, penalty)
    value, bound = _judge(losses, state.shared, regularization)
    best = Optimum(state.shared, value, bound, 0)
    for number in range(1, rounds + 1):
        if best.gap <= gap:
            break
        state = _next(losses, state, regularization)
        value, bound = _judge(losses, state.shared, regularization)
        if bound < best.gap:
            best = Optimum(state.shared, value, bound, number)
        best = Optimum(best.weights, best.objective, best.gap, number)
        if watch(Round(number, rounds, training=value)):
            break
    return best


def _next(losses: Sequence[Loss], state: _State, regularization: float) -> _State:
    """One round."""
    rho, count = state.penalty, len(losses)
    own = np.array(
        [
            _own_weights(loss, start, state.shared - price, rho)
            for loss, start, price in zip(losses, state.own, state.prices, strict=True)
        ]
    )
    beyond = _RELAXATION * own + (1.0 - _RELAXATION) * state.shared
    shared = rho * (beyond + state.prices).sum(axis=0) / (regularization + count * rho)
    prices = state.prices + beyond - shared
    apart = float(np.sqrt(np.square(own - shared).sum()))
    moved = rho * float(np.sqrt(count * np.square(shared - state.shared).sum()))
    change = 1.0
    if apart > _UNBALANCED * moved:
        change = 2.0
    elif moved > _UNBALANCED * apart:
        change = 0.5
    return _State(shared, own, prices / change, rho * change)


def _own_weights(loss: Loss, start: Floats, goal: Floats, rho: float) -> Floats:
    """argmin L(w) + ρ/2 ‖w − goal‖², so near that it is much nearer than the round before was."""

    def objective(weights: Floats) -> _Pulled:
        return _Pulled.at(loss(weights), weights - goal, rho)

    slopes = objective(start).gradient
    near = _INNER_PART * dot(slopes, slopes) / (2.0 * rho)
    found = truncated_newton(
        objective, start, rho, gap=near, rounds=_INNER_ROUNDS, watch=never_stop
    )
    return found.weights


def _judge(losses: Sequence[Loss], shared: Floats, regularization: float) -> tuple[float, float]:
    """The objective at z, and a bound on its distance from the minimum."""
    points = [loss(shared) for loss in losses]
    value = sum(point.value for point in points) + regularization / 2.0 * dot(shared, shared)
    gradient = np.sum([point.gradient for point in points], axis=0) + regularization * shared
    return float(value), dot(gradient, gradient) / (2.0 * regularization)


@dataclass(frozen=True, eq=False)
class _Pulled:
    """L(w) + ρ/2 ‖w − goal‖² at one w."""

    point: NewtonPoint
    rho: float
    value: float
    gradient: Floats

    @classmethod
    def at(cls, point: NewtonPoint, away: Floats, rho: float) -> _Pulled:
        value = point.value + rho / 2.0 * dot(away, away)
        return cls(point, rho, value, point.gradient + rho * away)

    def curvature(self, direction: Floats) -> Floats:
        return self.point.curvature(direction) + self.rho * direction
