"""SoftRank: NDCG expected when scores are random, with the distribution of every rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.measure import Measure
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.gradient.best_step_ranker import ClimbingRanker
from rankwise.rankers.losses.discounted_gains import refuse_short_queries
from rankwise.rankers.losses.rank_distributions import ExpectedGain
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.network import Network


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

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear | Network, dict[str, Any]]:
        refuse_short_queries(train, self._expected(), self.name)
        return super()._learn(train, validation, rng, watch)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> ExpectedGain:
        return ExpectedGain.of(dataset, self._expected(), self.deviation)

    def _expected(self) -> Measure:
        return find_tool(self.tool).measure(f"NDCG@{self.cutoff}")
