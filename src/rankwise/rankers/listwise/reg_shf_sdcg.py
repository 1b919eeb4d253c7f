"""REG-SHF-SDCG: boosted trees under squared errors and a smoothed hinge on pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.smoothed_hinge import RegressionWithSmoothedHinge
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family
from rankwise.rankers.trees.lightgbm_training import Gradients
from rankwise.rankers.trees.own_gradient_ranker import OwnGradientRanker


@dataclass(frozen=True)
class RegSHFSDCG(OwnGradientRanker):
    """Minimise Σ_i ½ (s_i − y_i)² + λ Σ_{y_i > y_j} c_q (g_i − g_j) h(s_i − s_j) by trees.

    g = 2^y − 1 is the gain in DCG, h a hinge whose corner is rounded over a width τ: 0 from 1 on,
    (1 − z)² / (2τ) between 1 − τ and 1, 1 − z − τ/2 below. c_q = n_q / Σ (g_i − g_j) over the pairs
    of the query. s is a sum of trees, grown as `OwnGradientRanker` says, with a bound in place of
    the second derivative of h.

    Smoothed hinges that turn DCG into a loss of pairs, regression beside it and functional
    gradient boosting are the paper's, a short one. The rounding, that pairs are weighted by gains
    and not by ranks, c_q, and the size of the trees are guesses. Not `intervalrank`, whose goals
    move with the scores.

    Wu, Chang, Zheng, Zha (2009). Smoothing DCG for learning to rank: a novel approach using
    smoothed hinge functions. CIKM.
    """

    name: ClassVar[str] = "reg-shf-sdcg"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Wu, Chang, Zheng and Zha (2009), CIKM"
    guesses: ClassVar[tuple[str, ...]] = (
        "how the hinge is rounded",
        "pairs are weighted by gains, not by ranks",
        "the weight of queries",
        "the size of the trees",
    )

    leaves: int = parameter(
        4, "leaves of a tree at most", grid=(2, 4, 10), lowest=2, highest=131072
    )
    pair_weight: float = parameter(
        1.0,
        "λ, what the hinge on pairs counts beside squared errors",
        grid=(1.0, 3.0, 10.0),
        lowest=0.0,
        highest=1e6,
    )
    width: float = parameter(
        0.5, "τ, over how much of the hinge its corner is rounded", lowest=0.01, highest=0.99
    )

    def _gradients(self, train: Dataset) -> Gradients:
        return RegressionWithSmoothedHinge.of(train, self.width, self.pair_weight).at
