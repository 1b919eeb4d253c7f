"""Linear functions that minimise a smooth loss, by scipy's L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
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
    judge: Callable[[Floats], float] | None = None,
) -> Optimum:
    """Minimise λ/2 ‖w‖² + loss(scores of w), starting from 0.

    For a convex loss ‖gradient‖² / (2λ) bounds the distance from the minimum; steps end once it
    is at most `gap`. With a `judge` of weights, the best of all steps' weights are returned
    instead of the last.
    """
    run = _Run(loss, features, regularization, rounds, watch, judge)
    # The largest of n entries is at most √(2λ gap / n): then the bound holds.
    smallest = np.sqrt(2.0 * regularization * gap / features.features.shape[1])
    minimise(run.objective, run.best, rounds=rounds, gradient=float(smallest), after=run.after)
    return run.optimum()


def minimise(
    objective: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    *,
    rounds: int,
    gradient: float = 0.0,
    after: Callable[[Any], None] | None = None,
) -> Floats:
    """At most `rounds` steps of L-BFGS, until no entry of the gradient is above `gradient`.

    `after` sees scipy's intermediate result after every step; a StopIteration of its ends it.
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


class _Run:
    """The state of one minimisation: where it stands, and the best point so far."""

    def __init__(
        self,
        loss: Loss,
        features: RelativeFeatures,
        regularization: float,
        rounds: int,
        watch: Watch,
        judge: Callable[[Floats], float] | None,
    ) -> None:
        self.loss = loss
        self.features = features
        self.regularization = regularization
        self.rounds = rounds
        self.watch = watch
        self.judge = judge
        self.round = 0
        self.best_round = 0
        self.best = np.zeros(features.features.shape[1])
        # Not the figure of the zeros: the order of the file, not they, would earn it.
        self.figure = -np.inf

    def objective(self, weights: Floats) -> tuple[float, Floats]:
        value, slopes = self.loss.at(self.features.scores(weights))
        gradient = self.regularization * weights + self.features.combine(slopes)
        return value + self.regularization / 2.0 * dot(weights, weights), gradient

    def after(self, intermediate_result: Any) -> None:
        """The name of the argument is scipy's: by it, it knows which kind of callback this is."""
        self.round += 1
        weights = np.array(intermediate_result.x)
        figure = None if self.judge is None else self.judge(weights)
        if figure is None or figure > self.figure:
            self.best, self.best_round = weights, self.round
            self.figure = self.figure if figure is None else figure
        if self.watch(Round(self.round, self.rounds, float(intermediate_result.fun), figure)):
            raise StopIteration

    def optimum(self) -> Optimum:
        value, gradient = self.objective(self.best)
        bound = dot(gradient, gradient) / (2.0 * self.regularization)
        return Optimum(self.best, value, bound, self.best_round)
