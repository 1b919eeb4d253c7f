"""Linear functions that minimise a smooth loss, by scipy's L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers.machinery.listwise_losses import Loss
from rankwise.rankers.machinery.optimum import Optimum
from rankwise.rankers.machinery.relative_features import RelativeFeatures
from rankwise.rankers.machinery.truncated_newton import dot
from rankwise.rankers.ranker import Round, Watch

Floats = NDArray[np.float64]

# How many past steps shape the next one.
_MEMORY = 20


def quasi_newton(
    loss: Loss,
    features: RelativeFeatures,
    regularization: float,
    *,
    gap: float,
    rounds: int,
    watch: Watch,
) -> Optimum:
    """Minimise λ/2 ‖w‖² + loss(scores of w), starting from 0.

    For a convex loss ‖gradient‖² / (2λ) bounds the distance from the minimum; steps end once it
    is at most `gap`.
    """
    objective = _Objective(loss, features, regularization)
    last, number = objective.zeros(), 0

    def after(intermediate_result: Any) -> None:
        nonlocal last, number
        last, number = np.array(intermediate_result.x), number + 1
        if watch(Round(number, rounds, float(intermediate_result.fun))):
            raise StopIteration

    minimise(objective, last, rounds=rounds, gradient=objective.slope(gap), after=after)
    return objective.optimum(last, number)


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
) -> tuple[Floats, dict[str, Any]]:
    """As `quasi_newton`, but of all steps' weights those with the best figure, and facts.

    Steps also end after `patience` of them without a better figure. The zeros at the start do not
    count: the order of the file, not they, would earn their figure.
    """
    objective = _Objective(loss, features, regularization)
    best, chosen, reached, number = objective.zeros(), 0, -np.inf, 0

    def after(intermediate_result: Any) -> None:
        nonlocal best, chosen, reached, number
        number += 1
        weights = np.array(intermediate_result.x)
        value = figure(weights)
        if value > reached:
            best, chosen, reached = weights, number, value
        stopped = watch(Round(number, rounds, float(intermediate_result.fun), value))
        if stopped or number - chosen >= patience:
            raise StopIteration

    minimise(objective, best, rounds=rounds, gradient=objective.slope(gap), after=after)
    facts = {"round": chosen, "rounds": number, "objective": objective(best)[0]}
    return best, {**facts, "selection": float(reached) if chosen else None}


def minimise(
    objective: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    *,
    rounds: int,
    gradient: float = 0.0,
    after: Callable[[Any], None] | None = None,
) -> Floats:
    """At most `rounds` steps of L-BFGS, until no entry of the gradient is above `gradient`.

    `after` sees scipy's intermediate result after every step; a StopIteration of its ends it. Its
    argument must have scipy's name for it, `intermediate_result`.
    """
    from scipy import optimize

    # The stubs know no callback that may be None beside a jac that is true.
    minimize: Any = optimize.minimize
    options = {
        "maxiter": rounds,
        "maxfun": 20 * rounds + 20,
        "maxcor": _MEMORY,
        "gtol": gradient,
        "ftol": 0.0,
    }
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options=options, callback=after)
    return np.asarray(found.x, dtype=np.float64)


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
