"""RankBoost: boosting threshold functions against the exponential loss on pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.machinery.label_levels import LabelLevels, refuse_equal_labels
from rankwise.rankers.machinery.stump_boosting import Step, StumpRules, boost_stumps
from rankwise.rankers.machinery.thresholds import MOST_THRESHOLDS, best_stump
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.stumps import Stumps

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RankBoost(Ranker):
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
    handles_null: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True

    rounds: int = parameter(500, "rounds at most; the best one is chosen on validation", lowest=1)
    thresholds: int = parameter(
        MOST_THRESHOLDS, "equally spaced thresholds a feature", lowest=1, highest=MOST_THRESHOLDS
    )
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Stumps, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        rules = StumpRules(self.rounds, self.thresholds, self.measure, self.tool)
        loss = ExponentialLoss(LabelLevels.of(train))
        return boost_stumps(train, validation, loss, rules, watch)


_HIGHEST_EDGE = 1.0 - 1e-9


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
        from rankwise.rankers.pairwise.rankboost_kernel import exponential_potentials

        found = np.empty(len(scores))
        known = self.preferences
        total = exponential_potentials(scores, known.levels, known.query_offsets, found)
        return total / float(known.pairs.sum()), found / total
