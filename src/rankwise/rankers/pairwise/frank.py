"""FRank: boosting threshold functions against the fidelity loss on pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, UINT8S, function
from rankwise.rankers.boosting.stump_boosting import Step, StumpBoostingRanker
from rankwise.rankers.boosting.thresholds import Stump
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family
from rankwise.rankers.training.label_levels import LabelLevels

Floats = NDArray[np.float64]

_fidelity_sums = function(
    "rankwise_fidelity_sums", DOUBLES, DOUBLES, INT64S, INT64S, INT64S, INT64, DOUBLES,
    UINT8S, INT64, INT64, DOUBLES_OUT, returns=DOUBLE,
)  # fmt: skip


@dataclass(frozen=True)
class FRank(StumpBoostingRanker):
    """F = Σ_t α_t h_t, h_t(x) = [x_j > θ], greedily lowering the fidelity loss of pairs.

    A pair of documents of a query with y(x0) < y(x1) and o = F(x1) − F(x0) is ordered rightly with
    probability P = 1 / (1 + e^{−o}), and should be with probability 1, so its loss is

        1 − √P = 1 − (1 + e^{−o})^{−½},

    weighted by 1 / (pairs of the query), meaned over queries. Its derivative by o gives the pair
    the weight W = e^{−o} (1 + e^{−o})^{−3/2} / (pairs of the query), and with W₊ and W₋ the sums
    over the pairs that h puts right (h(x1) − h(x0) = 1) and wrong (−1)

        h_t = argmax (√W₊ − √W₋)²,
        α_t = ½ ln((W₊ + ε) / (W₋ + ε)),   ε = (W₊ + W₋) / (number of all pairs).

    With ε = 0, α_t lowers W₊ e^{−α} + W₋ e^{α} the most, namely by (√W₊ − √W₋)². Deviations: the
    paper computes the fidelity loss itself after the step for every h; it has no ε, by which a
    threshold without a mistake counts finitely; the round is chosen on validation. A NULL feature
    exceeds no threshold. Time per round grows with pairs times features, memory with documents
    times features.

    Tsai, Liu, Qin, Chen, Ma (2007). FRank: a ranking method with fidelity loss. SIGIR.
    """

    name: ClassVar[str] = "frank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Tsai, Liu, Qin, Chen and Ma (2007), SIGIR"

    rounds: int = parameter(100, "rounds at most; the best one is chosen on validation", lowest=1)

    def _loss(self, preferences: LabelLevels) -> FidelityLoss:
        return FidelityLoss(preferences)


@dataclass(frozen=True, eq=False)
class FidelityLoss:
    """Σ_q 1 / |pairs of q| Σ (1 − √P), divided by the number of queries that have pairs."""

    preferences: LabelLevels

    def next_stump(self, codes: NDArray[np.uint8], scores: Floats, count: int) -> Step:
        """The loss of the scores, and the threshold function that joins them next."""
        loss, right, wrong = self.weights(codes, scores, count)
        gains = (np.sqrt(right) - np.sqrt(wrong)) ** 2
        column, place = np.unravel_index(int(np.argmax(gains)), gains.shape)
        right_sum, wrong_sum = float(right[column, place]), float(wrong[column, place])
        mean = (right_sum + wrong_sum) / float(self.preferences.pairs.sum())
        stump = Stump(int(column), int(place) + 1, right_sum - wrong_sum)
        if stump.edge == 0.0:
            return Step(loss, stump, 0.0)
        return Step(loss, stump, 0.5 * float(np.log((right_sum + mean) / (wrong_sum + mean))))

    def weights(
        self, codes: NDArray[np.uint8], scores: Floats, count: int
    ) -> tuple[float, Floats, Floats]:
        """The loss, and W₊ and W₋ of every threshold of every feature: (features, thresholds)."""
        known = self.preferences
        pairs = known.pairs
        shares = 1.0 / (np.maximum(pairs, 1) * np.count_nonzero(pairs))
        sums = np.zeros((2, codes.shape[0], count + 2))
        loss = _fidelity_sums(
            *self._factors(scores),
            known.order,
            known.worse,
            known.query_offsets,
            len(shares),
            shares,
            np.ascontiguousarray(codes.T),
            codes.shape[0],
            count + 2,
            sums,
        )
        # What enters and leaves again may leave a rounding error below 0.
        right, wrong = np.maximum(np.cumsum(sums, axis=2)[:, :, 1:-1], 0.0)
        return float(loss), right, wrong

    def _factors(self, scores: Floats) -> tuple[Floats, Floats]:
        """exp(F − m) and exp(m − F), m the middle of the query's scores."""
        offsets = self.preferences.query_offsets
        highest = np.maximum.reduceat(scores, offsets[:-1])
        middle = 0.5 * (highest + np.minimum.reduceat(scores, offsets[:-1]))
        centred = scores - np.repeat(middle, np.diff(offsets))
        return np.exp(centred), np.exp(-centred)
