"""SoftRank: NDCG expected when scores are random; every document has a distribution over the ranks.

Taylor, Guiver, Robertson, Minka (2008). SoftRank: optimizing non-smooth rank metrics. WSDM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.measure import Measure
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import Network
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.gradient.gradient_ranker import ClimbingRanker
from rankwise.rankers.losses.listwise import DiscountedGains, refuse_short_queries
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Learned, Training


@dataclass(frozen=True)
class SoftRank(ClimbingRanker):
    """Maximise 1/|Q| Σ_q Σ_i g(y_i) Σ_{r ≤ k} d(r) p_i(r) / ideal_q − λ/2 ‖w‖².

    Scores are drawn from N(s_i, σ²), s_i = w · x_i; p_i(r) is the chance that document i then has
    rank r. Document j is above i with the chance π_ji = Φ((s_j − s_i) / (√2 σ)), and the paper's
    recursion adds the others one by one: p_i(r) ← p_i(r − 1) π_ji + p_i(r) (1 − π_ji). Gains g,
    discounts d and the ideal are those of NDCG@k of the tool that is named.

    Deviations: only the first k ranks are followed, n² k steps for n documents rather than n³; the
    paper's network is one choice of `hidden_layers`, L-BFGS on w · x the default, from starts as in
    `ClimbingRanker`; the best step is chosen on validation. Not `smoothrank`, which has no random
    scores, and not `approxndcg`, which smooths the expected rank alone.

    Taylor, Guiver, Robertson, Minka (2008). SoftRank: optimizing non-smooth rank metrics. WSDM.
    """

    name: ClassVar[str] = "softrank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Taylor, Guiver, Robertson and Minka (2008), WSDM"
    follows_tool: ClassVar[bool] = True

    deviation: float = parameter(
        0.3,
        "σ, the deviation of the random scores",
        grid=(0.03, 0.1, 0.3),
        lowest=1e-3,
        highest=1e3,
    )
    cutoff: int = parameter(10, "k: how many ranks of NDCG are expected", lowest=1)

    def _learn(self, training: Training) -> Learned[Linear | Network]:
        refuse_short_queries(training.train, self._expected(), self.name)
        return super()._learn(training)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> ExpectedGain:
        return ExpectedGain.of(dataset, self._expected(), self.deviation)

    def _expected(self) -> Measure:
        return find_tool(self.tool).measure(f"NDCG@{self.cutoff}")


_expected_gains = function(
    "rankwise_expected_gains",
    *(DOUBLES, INT64S, INT64, DOUBLES, DOUBLES, INT64, DOUBLE),
    *(DOUBLES_OUT, DOUBLES_OUT, DOUBLES_OUT, DOUBLES_OUT),
    returns=DOUBLE,
)


@dataclass(frozen=True, eq=False)
class ExpectedGain:
    """−1/|Q| Σ_q Σ_j g_j Σ_r d(r) p_j(r), p_j(r) the chance that document j has rank r.

    Scores are drawn from N(s_j, σ²), so that i is above j with the chance π_ij = Φ((s_i − s_j) /
    (√2 σ)). The other documents join one by one: p_j(r) ← p_j(r − 1) π_ij + p_j(r) (1 − π_ij),
    starting with rank 0 for sure. Ranks beyond the cut-off have no discount and are left out of
    the recursion, which never looks at them: n² k steps for a query of n documents.

    Attributes:
        gains: g_j and the discounts d(r) of NDCG@k.
        query_offsets: as in the data set.
        deviation: σ.
    """

    gains: DiscountedGains
    query_offsets: Integers
    deviation: float

    @classmethod
    def of(cls, dataset: Dataset, measure: Measure, deviation: float) -> ExpectedGain:
        """NDCG as `measure` has it, over all queries."""
        return cls(DiscountedGains.of(dataset, measure), dataset.query_offsets, deviation)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        longest = int(np.diff(self.query_offsets).max())
        cutoff = min(self.gains.cutoff, longest)
        queries = len(self.query_offsets) - 1
        slopes = np.zeros(len(scores))
        total = _expected_gains(
            np.ascontiguousarray(scores, dtype=np.float64),
            self.query_offsets,
            queries,
            self.gains.gains,
            self.gains.discounts,
            cutoff,
            float(np.sqrt(2.0) * self.deviation),
            np.empty(longest * longest),
            np.empty((longest + 1) * cutoff),
            np.empty(cutoff),
            slopes,
        )
        return -total / queries, slopes / -queries
