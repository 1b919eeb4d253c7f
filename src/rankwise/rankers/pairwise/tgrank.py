"""TGRank: the squared hinge on pairs, followed by truncated gradient steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.truncated_gradient_ranker import TruncatedGradientRanker
from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class TGRank(TruncatedGradientRanker):
    """w ← T(w − η ∇L, η g, θ), L = 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))².

    P holds the pairs with y_i > y_j of the queries of a batch. T draws weights of at most θ
    towards 0, by K η g after every K steps, so that some are exactly 0. The round is chosen on
    validation.

    TGRank is known only as a method that FenchelRank's paper compares with; that it is the
    truncated gradient of Langford, Li and Zhang on the loss of that paper is a guess from its
    name, and so are batches and schedule. Not `ranksvm-primal`, which minimises the same loss with
    ‖w‖² and keeps all features, and not `rsrank`, whose pairs are weighted by NDCG.

    Lai, Pan, Liu, Lin, Wu (2013). Sparse learning-to-rank via an efficient primal-dual algorithm.
    IEEE Transactions on Computers 62. Langford, Li, Zhang (2009). Sparse online learning via
    truncated gradient. JMLR 10.
    """

    name: ClassVar[str] = "tgrank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Lai, Pan, Liu, Lin and Wu (2013), IEEE Transactions on Computers 62(6)"
    guesses: ClassVar[tuple[str, ...]] = (
        "the name stands for the truncated gradient",
        "the squared hinge",
        "batches and schedule",
    )

    def _loss(self, dataset: Dataset) -> _MeanSquaredHinge:
        return _MeanSquaredHinge(PreferencePairs.of(dataset, self.name))


@dataclass(frozen=True, eq=False)
class _MeanSquaredHinge:
    pairs: PreferencePairs

    def at(self, scores: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        found = self.pairs.squared_hinge(scores)
        return found.value, found.slopes
