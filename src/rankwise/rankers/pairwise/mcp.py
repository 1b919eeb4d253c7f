"""MCP: the squared hinge on pairs with the minimax concave penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.proximal_ranker import ProximalRanker
from rankwise.rankers.optimizers.optimum import Optimum
from rankwise.rankers.optimizers.pair_objective import PairObjective
from rankwise.rankers.optimizers.prices import Prices
from rankwise.rankers.optimizers.proximal_newton import proximal_newton
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Round, Watch, never_stop

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MCP(ProximalRanker):
    """Minimise Σ_k p(|w_k|) + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))².

    p(u) = λu − u² / (2γ) for u ≤ γλ and γλ² / 2 beyond: a large weight costs no more than one of
    size γλ, so that fewer features do the work than under `sparserank`, whose price grows for
    ever. The problem is not convex. As in the paper, a row of convex ones is solved, in each of
    which weight k costs p'(|w_k|) = max(0, λ − |w_k| / γ) times its size, w being the solution
    before; the first is that of `sparserank`. The objective falls from one to the next; where it
    ends is a local minimum, of which no gap is proven.

    Laporte, Flamary, Canu, Déjean, Mothe (2014). Nonconvex regularizations for feature selection
    in ranking with sparse SVM. IEEE Transactions on Neural Networks and Learning Systems 25.
    """

    name: ClassVar[str] = "mcp"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = (
        "Laporte, Flamary, Canu, Déjean and Mothe (2014), IEEE Transactions on Neural Networks and "
        "Learning Systems 25(6)"
    )
    takes_sparse: ClassVar[bool] = True
    sparsity: ClassVar[str | None] = "regularization"

    regularization: float = parameter(
        1e-2,
        "λ, the price of a small weight beside the mean over pairs",
        grid=(3e-3, 1e-2, 3e-2, 1e-1),
        lowest=1e-9,
        highest=1e9,
    )
    concavity: float = parameter(
        30.0,
        "γ, weights above γλ cost no more than one of γλ",
        grid=(1.0, 3.0, 30.0, 300.0),
        lowest=1e-6,
        highest=1e9,
    )
    reweightings: int = parameter(10, "convex problems at most", lowest=1)
    slope: float = parameter(
        1e-7,
        "a convex problem also ends where the conditions of a minimum are missed by no more",
        lowest=1e-12,
    )

    def _minimise(self, train: Dataset, objective: PairObjective, watch: Watch) -> Optimum:
        weights = np.zeros(train.n_features)
        value, steps = np.inf, 0
        for number in range(1, self.reweightings + 1):
            found = proximal_newton(
                objective,
                Prices.equal(self._prices(weights)),
                weights,
                gap=self.gap,
                rounds=self.rounds,
                watch=never_stop,
                slope=self.slope,
            )
            steps += found.rounds
            reached = objective(found.weights).value + self.penalty(found.weights)
            if reached >= value:
                break
            weights, before, value = found.weights, value, reached
            if (
                watch(Round(number, self.reweightings, training=value))
                or before - value <= self.gap
            ):
                break
        return Optimum(weights, float(value), np.inf, steps)

    def penalty(self, weights: Floats) -> float:
        """Σ_k p(|w_k|)."""
        sizes = np.minimum(np.abs(weights), self.concavity * self.regularization)
        return float((self.regularization * sizes - sizes**2 / (2.0 * self.concavity)).sum())

    def _prices(self, weights: Floats) -> Floats:
        """p'(|w_k|)."""
        return np.maximum(0.0, self.regularization - np.abs(weights) / self.concavity)
