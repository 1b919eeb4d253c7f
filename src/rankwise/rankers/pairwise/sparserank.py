"""SparseRank: the squared hinge on pairs with the ℓ1 norm of the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.proximal_ranker import ProximalRanker
from rankwise.rankers.optimizers.optimum import Optimum
from rankwise.rankers.optimizers.pair_objective import PairObjective
from rankwise.rankers.optimizers.prices import Prices
from rankwise.rankers.optimizers.proximal_newton import proximal_newton
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Watch


@dataclass(frozen=True)
class SparseRank(ProximalRanker):
    """Minimise λ ‖w‖₁ + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))².

    P holds all pairs of documents of one query with y_i > y_j. The larger λ, the fewer features
    have a weight. How near to the minimum training ends is proven.

    Deviation: the paper goes by gradient steps of its own, here proximal Newton steps find the
    minimum of the same problem. Not `fenchelrank`, which bounds ‖w‖₁ instead of pricing it and
    stops early, and not `ranksvm-primal`, whose ‖w‖² keeps every feature.

    Lai, Pan, Tang, Liu (2013). Efficient gradient descent algorithm for sparse models with
    application in learning-to-rank. Knowledge-Based Systems 49.
    """

    name: ClassVar[str] = "sparserank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Lai, Pan, Tang and Liu (2013), Knowledge-Based Systems 49"
    takes_sparse: ClassVar[bool] = True
    sparsity: ClassVar[str | None] = "regularization"

    regularization: float = parameter(
        1e-3,
        "λ, the weight of ‖w‖₁ beside the mean over pairs",
        grid=(3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1),
        lowest=1e-9,
        highest=1e9,
    )

    def _minimise(self, train: Dataset, objective: PairObjective, watch: Watch) -> Optimum:
        prices = Prices.equal(np.full(train.n_features, self.regularization))
        start = np.zeros(train.n_features)
        return proximal_newton(
            objective, prices, start, gap=self.gap, rounds=self.rounds, watch=watch
        )
