"""RankBoost: boosting threshold functions against the exponential loss on pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.rankers.boosting.exponential_loss import ExponentialLoss
from rankwise.rankers.boosting.stump_boosting import StumpBoostingRanker
from rankwise.rankers.ranker import Family
from rankwise.rankers.training.label_levels import LabelLevels


@dataclass(frozen=True)
class RankBoost(StumpBoostingRanker):
    """F = Σ_t α_t h_t, h_t(x) = [x_j > θ], greedily lowering Σ exp(F(x0) − F(x1)).

    The sum runs over all pairs of documents of a query with y(x0) < y(x1), each with the same
    weight at first. In round t a pair has the weight D_t(x0, x1) ∝ exp(F_{t−1}(x0) − F_{t−1}(x1)),
    exactly, and

        r(h) = Σ D_t(x0, x1) (h(x1) − h(x0)),   h_t = argmax |r|,   α_t = ½ ln((1 + r) / (1 − r)),

    so α_t is negative where low values of a feature are good. r(h) = Σ_x π(x) h(x) with the
    potential π(x) = Σ_{x0} D_t(x0, x) − Σ_{x1} D_t(x, x1), which sums of exp(±F) per label give in
    time linear in the documents: no pair is ever listed. A NULL feature exceeds no threshold
    (q_def = 0 in the paper). Deviations: |r| is kept below 1 − 1e-9, where the paper's α has no
    bound; the round is chosen on validation.

    Freund, Iyer, Schapire, Singer (2003). An efficient boosting algorithm for combining
    preferences. Journal of Machine Learning Research 4.
    """

    name: ClassVar[str] = "rankboost"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Freund, Iyer, Schapire and Singer (2003), JMLR 4"

    def _loss(self, preferences: LabelLevels) -> ExponentialLoss:
        return ExponentialLoss(preferences)
