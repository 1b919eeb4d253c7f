"""RankBoost: boosting threshold functions against the exponential loss on pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.boosting.stump_boosting import Step, StumpBoostingRanker
from rankwise.rankers.boosting.thresholds import best_stump
from rankwise.rankers.ranker import Family
from rankwise.rankers.training.label_levels import LabelLevels

Floats = NDArray[np.float64]


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


_HIGHEST_EDGE = 1.0 - 1e-9
_exponential_potentials = function(
    "rankwise_exponential_potentials",
    *(DOUBLES, INT64S, INT64S, INT64, INT64, INT64, DOUBLES_OUT, DOUBLES_OUT),
    returns=DOUBLE,
)


@dataclass(frozen=True, eq=False)
class ExponentialLoss:
    """Σ exp(F(x0) − F(x1)) over all pairs, divided by their number."""

    preferences: LabelLevels

    def next_stump(self, codes: NDArray[np.uint8], scores: Floats, count: int) -> Step:
        """The loss of the scores, and the threshold function that joins them next."""
        loss, potentials = self.potentials(scores)
        stump = best_stump(codes, potentials, count)
        r = min(max(stump.edge, -_HIGHEST_EDGE), _HIGHEST_EDGE)
        return Step(loss, stump, 0.5 * float(np.log((1.0 + r) / (1.0 - r))))

    def potentials(self, scores: Floats) -> tuple[float, Floats]:
        """The loss, and π of every document."""
        known = self.preferences
        offsets = known.query_offsets
        found = np.empty(len(known.levels))
        if len(scores) != len(found):
            raise ValueError(f"{len(found)} scores are needed, found {len(scores)}")
        longest = int(np.diff(offsets).max())
        total = _exponential_potentials(
            scores,
            known.levels,
            offsets,
            len(offsets) - 1,
            len(scores),
            longest,
            np.empty(4 * longest + 2),
            found,
        )
        if total < 0.0:
            raise ValueError(
                "query offsets must rise, levels be fewer than the documents of a query"
            )
        return total / float(known.pairs.sum()), found / total
