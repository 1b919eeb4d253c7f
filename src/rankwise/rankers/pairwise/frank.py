"""FRank: boosting threshold functions against the fidelity loss on pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.machinery.boosting import refuse_equal_labels
from rankwise.rankers.machinery.label_levels import LabelLevels
from rankwise.rankers.machinery.stump_boosting import StumpRules, boost_stumps
from rankwise.rankers.machinery.thresholds import MOST_THRESHOLDS
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.stumps import Stumps

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FRank(Ranker):
    """F = Σ_t α_t h_t, h_t(x) = [x_j > θ], greedily lowering the fidelity loss of pairs.

    A pair of documents of a query with y(x0) < y(x1) and o = F(x1) − F(x0) is ordered rightly with
    probability P = 1 / (1 + e^{−o}), and should be with probability 1, so its loss is

        1 − √P = 1 − (1 + e^{−o})^{−½},

    weighted by 1 / (pairs of the query), meaned over queries. Its derivative by o gives the pair
    the weight W = e^{−o} (1 + e^{−o})^{−3/2} / (pairs of the query), and with h(x1) − h(x0) = ±1

        α_t = ½ ln(Σ_{+1} W / Σ_{−1} W).

    h_t has the greatest |Σ W (h(x1) − h(x0))|, the steepest descent, which one pass over documents
    finds for all thresholds; the paper computes the loss after the step for every h instead.
    Further deviations: both sums of α_t are raised by the mean weight of a pair, so that a stump
    without a mistake counts finitely; the round is chosen on validation. A NULL feature exceeds no
    threshold. Time per round grows with the pairs, memory with the documents.

    Tsai, Liu, Qin, Chen, Ma (2007). FRank: a ranking method with fidelity loss. SIGIR.
    """

    name: ClassVar[str] = "frank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Tsai, Liu, Qin, Chen and Ma (2007), SIGIR"
    handles_null: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True

    rounds: int = parameter(300, "rounds at most; the best one is chosen on validation", lowest=1)
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
        loss = FidelityLoss(LabelLevels.of(train))
        return boost_stumps(train, validation, loss, rules, watch)


@dataclass(frozen=True, eq=False)
class FidelityLoss:
    """Σ_q 1 / |pairs of q| Σ (1 − √P), divided by the number of queries that have pairs."""

    preferences: LabelLevels

    def potentials(self, scores: Floats) -> tuple[float, Floats]:
        """The loss, and Σ W of every document over its worse less over its better partners."""
        from rankwise.rankers.pairwise.frank_kernel import fidelity_potentials

        found = np.empty(len(scores))
        loss = fidelity_potentials(*self._factors(scores), *self._pairs(), found)
        return float(loss), found

    def weight(self, scores: Floats, raised: NDArray[np.bool_], edge: float) -> float:
        """α of the stump that raises these documents."""
        from rankwise.rankers.pairwise.frank_kernel import agreement

        right, wrong = agreement(*self._factors(scores), *self._pairs(), raised)
        smoothing = (right + wrong) / float(self.preferences.pairs.sum())
        return 0.5 * float(np.log((right + smoothing) / (wrong + smoothing)))

    def _factors(self, scores: Floats) -> tuple[Floats, Floats]:
        """exp(F − m) and exp(m − F), m the middle of the query's scores."""
        starts, lengths = (
            self.preferences.query_offsets[:-1],
            np.diff(self.preferences.query_offsets),
        )
        highest = np.maximum.reduceat(scores, starts)
        middle = 0.5 * (highest + np.minimum.reduceat(scores, starts))
        centred = scores - np.repeat(middle, lengths)
        return np.exp(centred), np.exp(-centred)

    def _pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Floats]:
        pairs = self.preferences.pairs
        shares = 1.0 / (np.maximum(pairs, 1) * np.count_nonzero(pairs))
        return (
            self.preferences.order,
            self.preferences.worse,
            self.preferences.query_offsets,
            shares,
        )
