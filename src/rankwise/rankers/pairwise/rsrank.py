"""RSRank: pairs weighted by what they matter to NDCG, followed by truncated gradient steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.gradient.truncated_gradient_ranker import TruncatedGradientRanker
from rankwise.rankers.losses.discounted_gains import refuse_short_queries
from rankwise.rankers.losses.listwise import Loss
from rankwise.rankers.losses.logistic_pairs import lambdas
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Watch
from rankwise.rankers.scorers.linear import Linear


@dataclass(frozen=True)
class RSRank(TruncatedGradientRanker):
    """w ← T(w − η ∇L, η g, θ), L = 1/|Q| Σ_q Σ_{(i,j)} |ΔNDCG_ij| log(1 + exp(s_j − s_i)).

    (i, j) are the pairs of a query with y_i > y_j, s_i = w · x_i, and ΔNDCG_ij is what swapping
    the two in the ranking of the present w would change, held fixed in the gradient: the measure
    is reduced to a classification of pairs, each of its own importance. T draws weights of at most
    θ towards 0, by K η g after every K steps. The round is chosen on validation.

    The reduction and the sparse truncated steps are the paper's; the logistic loss and the
    schedule are guesses. Not `lambdarank`, whose weights are the same and whose model keeps every
    feature, and not `tgrank`, whose pairs all weigh the same.

    Sun, Qin, Tao, Wang (2009). Robust sparse rank learning for non-smooth ranking measures. SIGIR.
    """

    name: ClassVar[str] = "rsrank"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Sun, Qin, Tao and Wang (2009), SIGIR"
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("the logistic loss", "batches and schedule")

    learning_rate: float = parameter(
        0.3, "η, the length of the steps", grid=(0.3, 1.0), lowest=1e-9, highest=1e3
    )
    weighting: str = parameter("NDCG", "the measure whose changes weight the pairs: NDCG or MAP")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        refuse_short_queries(train, find_tool(self.tool).measure(self.weighting), self.name)
        return super()._learn(train, validation, rng, watch)

    def _loss(self, dataset: Dataset) -> Loss:
        return lambdas(dataset, self.weighting, self.tool)
