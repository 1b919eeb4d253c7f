"""Linear functions that minimise a smooth loss, by limited-memory BFGS.

Not scipy's: that one calls BLAS, whose threads cost many times what a problem of fifty weights
does, and whose order of summation is its own. Here every sum has one order.

All solvers of convex problems return an Optimum: the point, and how far from the optimum it can be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankwise.native.arrays import Floats
from rankwise.native.sums import dot
from rankwise.rankers.losses.listwise import Loss
from rankwise.rankers.ranker import Round, Watch
from rankwise.rankers.training.relative_features import RelativeFeatures

# How many past steps shape the next one.
_MEMORY = 20
_SUFFICIENT_DECREASE = 1e-4
_FLATTER = 0.9
_MOST_TRIES = 40


def quasi_newton(
    loss: Loss,
    features: RelativeFeatures,
    regularization: float,
    *,
    gap: float,
    rounds: int,
    watch: Watch,
    start: Floats | None = None,
) -> Optimum:
    """Minimise λ/2 ‖w‖² + loss(scores of w), starting from 0 unless another start is given.

    For a convex loss ‖gradient‖² / (2λ) bounds the distance from the minimum; steps end once it
    is at most `gap`.
    """
    objective = _Objective(loss, features, regularization)
    number = 0

    def after(weights: Floats, value: float) -> bool:
        nonlocal number
        number += 1
        return watch(Round(number, rounds, value))

    begin, slope = objective.zeros() if start is None else start, objective.slope(gap)
    found = minimise(objective, begin, rounds=rounds, slope=slope, after=after)
    return objective.optimum(found, number)


def best_step(
    loss: Loss,
    features: RelativeFeatures,
    regularization: float,
    figure: Callable[[Floats], float],
    *,
    gap: float,
    rounds: int,
    patience: int,
    watch: Watch,
    start: Floats | None = None,
) -> tuple[Floats, dict[str, Any]]:
    """As `quasi_newton`, but of all steps' weights those with the best figure, and facts.

    Steps also end after `patience` of them without a better figure. The start does not count: the
    figure of zeros is that of the order of the file, and that of others is not this loss's doing.
    """
    objective = _Objective(loss, features, regularization)
    best, chosen, reached, number = objective.zeros() if start is None else start, 0, -np.inf, 0

    def after(weights: Floats, value: float) -> bool:
        nonlocal best, chosen, reached, number
        number += 1
        judged = figure(weights)
        if judged > reached:
            best, chosen, reached = weights, number, judged
        stopped = watch(Round(number, rounds, value, judged))
        return stopped or number - chosen >= patience

    minimise(objective, best, rounds=rounds, slope=objective.slope(gap), after=after)
    facts = {"round": chosen, "rounds": number, "objective": objective(best)[0]}
    return best, {**facts, "selection": float(reached) if chosen else None}


def minimise(
    objective: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    *,
    rounds: int,
    slope: float = 0.0,
    after: Callable[[Floats, float], bool] | None = None,
) -> Floats:
    """At most `rounds` steps of limited-memory BFGS on an objective with its gradient.

    Steps end where no entry of the gradient is above `slope`, where rounding hides any fall, or
    where `after`, told point and value after every step, returns true.
    Nocedal and Wright (2006), Numerical Optimization, algorithms 7.4 and 7.5.
    """
    point = _Point(start, *objective(start))
    memory: deque[tuple[Floats, Floats]] = deque(maxlen=_MEMORY)
    for _ in range(rounds):
        if np.abs(point.gradient).max() <= slope:
            break
        there = _search(objective, point, _direction(point.gradient, memory))
        if there is None:
            break
        memory.append((there.weights - point.weights, there.gradient - point.gradient))
        point = there
        if after is not None and after(point.weights, point.value):
            break
    return point.weights


class _Point(NamedTuple):
    weights: Floats
    value: float
    gradient: Floats


def _direction(gradient: Floats, memory: Sequence[tuple[Floats, Floats]]) -> Floats:
    """−H ∇f, with H the inverse Hessian that the past moves and changes of the gradient show."""
    if not memory:
        return gradient * float(-1.0 / np.sqrt(dot(gradient, gradient)))
    direction: Floats = -gradient
    shares = []
    for move, change in reversed(memory):
        share = dot(move, direction) / dot(move, change)
        direction = direction - share * change
        shares.append(share)
    move, change = memory[-1]
    direction = direction * (dot(move, change) / dot(change, change))
    for (move, change), share in zip(memory, reversed(shares), strict=True):
        direction = direction + (share - dot(change, direction) / dot(move, change)) * move
    return direction


def _search(
    objective: Callable[[Floats], tuple[float, Floats]], point: _Point, direction: Floats
) -> _Point | None:
    """A step that falls enough and leaves the slope flatter (Wolfe's conditions), by bisection.

    Flatter slopes keep H positive definite. None where no such step is found.
    """
    slope = dot(point.gradient, direction)
    shortest, longest, length = 0.0, np.inf, 1.0
    for _ in range(_MOST_TRIES):
        weights = point.weights + length * direction
        there = _Point(weights, *objective(weights))
        # Written so that a value that is no number counts as too high.
        if not there.value < point.value + _SUFFICIENT_DECREASE * length * slope:
            longest = length
        elif dot(there.gradient, direction) < _FLATTER * slope:
            shortest = length
        else:
            return there
        length = 2.0 * shortest if longest == np.inf else (shortest + longest) / 2.0
    return None


@dataclass(frozen=True, eq=False)
class _Objective:
    """λ/2 ‖w‖² + loss(scores of w) and its gradient."""

    loss: Loss
    features: RelativeFeatures
    regularization: float

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        value, slopes = self.loss.at(self.features.scores(weights))
        gradient = self.regularization * weights + self.features.combine(slopes)
        return value + self.regularization / 2.0 * dot(weights, weights), gradient

    def zeros(self) -> Floats:
        return np.zeros(len(self.features.scales))

    def slope(self, gap: float) -> float:
        """No entry of the gradient above √(2λ gap / n): then ‖gradient‖² / (2λ) ≤ gap."""
        return float(np.sqrt(2.0 * self.regularization * gap / len(self.features.scales)))

    def optimum(self, weights: Floats, rounds: int) -> Optimum:
        value, gradient = self(weights)
        bound = dot(gradient, gradient) / (2.0 * self.regularization)
        return Optimum(weights, value, bound, rounds)


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best point found.

    Attributes:
        weights: the point.
        objective: its value.
        gap: a proven bound on objective − minimum; infinite where nothing is proven.
        rounds: how many rounds it took.
    """

    weights: Floats
    objective: float
    gap: float
    rounds: int

    def facts(self) -> dict[str, Any]:
        """As JSON values, for the model."""
        gap = self.gap if np.isfinite(self.gap) else None
        return {"objective": self.objective, "gap": gap, "rounds": self.rounds}
