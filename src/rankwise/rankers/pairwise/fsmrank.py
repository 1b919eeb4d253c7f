"""FSMRank: the squared hinge on pairs; features cost by what they tell alone and by likeness."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.proximal_ranker import ProximalRanker
from rankwise.rankers.optimizers.optimum import Optimum
from rankwise.rankers.optimizers.pair_objective import PairObjective
from rankwise.rankers.optimizers.prices import Prices
from rankwise.rankers.optimizers.proximal_gradient import proximal_gradient
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Watch
from rankwise.rankers.training.training_measure import TrainingMeasure

Floats = NDArray[np.float64]

# A feature that is worth less costs as if it were worth this much.
_LEAST_IMPORTANCE = 1e-3


@dataclass(frozen=True)
class FSMRank(ProximalRanker):
    """Minimise λ₁/2 w·Aw + λ₂ Σ_k w_k / s_k + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))².

    Every feature x stands beside its negative −x, and w ≥ 0. P holds all pairs of documents of one
    query with y_i > y_j. A_kl is the correlation of features k and l over the training documents,
    which makes it expensive to keep like features; s_k is the mean `measure` of ranking the
    training queries by feature k alone, ties counted as in the mean of their orders. As A of x and
    −x has the opposite sign, and no minimum keeps both, this is solved with one weight of either
    sign for the two, by the paper's accelerated proximal steps. As in the paper these end where
    the objective changes little, before all weights that a minimum has not are 0: how far from the
    minimum that can be is told as the gap, and `tolerance` 0 goes on to the minimum.

    The paper's framework takes any measures of importance and similarity; those of its experiments
    are not known to us, nor is its tolerance. Not `sparserank`, in which all features cost the
    same.

    Lai, Pan, Tang, Yu (2013). FSMRank: feature selection algorithm for learning to rank. IEEE
    Transactions on Neural Networks and Learning Systems 24.
    """

    name: ClassVar[str] = "fsmrank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = (
        "Lai, Pan, Tang and Yu (2013), IEEE Transactions on Neural Networks and Learning Systems "
        "24(6)"
    )
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "importance is a feature's measure alone",
        "similarity is the correlation with its sign",
        "the tolerance",
    )
    sparsity: ClassVar[str | None] = "regularization"

    rounds: int = parameter(1000, "T, proximal steps at most", lowest=1)
    similarity: float = parameter(
        1e-2,
        "λ₁, the weight of likeness",
        grid=(1e-4, 1e-3, 1e-2, 1e-1),
        lowest=0.0,
        highest=1e9,
    )
    regularization: float = parameter(
        1e-3,
        "λ₂, the weight of what features cost by their importance",
        grid=(1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2),
        lowest=1e-9,
        highest=1e9,
    )
    tolerance: float = parameter(
        1e-5,
        "training also ends where a step lowers the objective by no more than this part of it",
        lowest=0.0,
        highest=1.0,
    )
    measure: str = parameter("MAP", "the measure that tells the importance of a feature")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _minimise(self, train: Dataset, objective: PairObjective, watch: Watch) -> Optimum:
        alike = correlations(train.features)
        rising, falling = self._importance(train)
        return proximal_gradient(
            replace(objective, quadratic=self.similarity * alike),
            Prices(self.regularization / rising, self.regularization / falling),
            np.zeros(train.n_features),
            gap=self.gap,
            rounds=self.rounds,
            watch=watch,
            tolerance=self.tolerance,
        )

    def _importance(self, train: Dataset) -> tuple[Floats, Floats]:
        """The measure of ranking by each feature, and by its negative."""
        measure = TrainingMeasure.of(train, self.measure, self.tool, ties="expected")
        columns = np.ascontiguousarray(train.features.T)
        above, below = (measure.figures(measure.values(scores)) for scores in (columns, -columns))
        return np.maximum(above, _LEAST_IMPORTANCE), np.maximum(below, _LEAST_IMPORTANCE)


def correlations(features: Floats) -> Floats:
    """(features, features) Pearson's correlations; those of a constant feature are 0."""
    centred = features - features.mean(axis=0)
    lengths = np.sqrt(np.square(centred).sum(axis=0))
    units = centred / np.where(lengths > 0.0, lengths, 1.0)
    # Not a product of matrices: its order of summation may depend on the number of threads.
    products: Floats = np.einsum("ik,il->kl", units, units)
    return products
