"""BoltzRank with single-document potentials: a Boltzmann distribution over sampled rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.best_step_ranker import BestStepRanker
from rankwise.rankers.losses.discounted_gains import find_gain_measure
from rankwise.rankers.losses.sampled_rankings import RankingDistribution
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class BoltzRankSingle(BestStepRanker):
    """Maximise 1/|Q| Σ_q [μ Σ_R p(R) NDCG(R) − (1 − μ) Σ_R t(R) log(t(R) / p(R))] − λ/2 ‖w‖².

    R runs over rankings of the query that were drawn once, p(R) ∝ exp(−E(R|s)), and

        E(R|s) = 2 / (n (n − 1)) Σ_{j<k} (k − j) (s_{R_k} − s_{R_j}),

    R_j the document at rank j of n, s_i = w · x_i. The target t(R) ∝ exp(−τ E(R|y)) has the labels
    in place of the scores. The best step of L-BFGS is chosen on validation.

    The form is the paper's; that rankings are drawn from Plackett-Luce models of ever stronger
    labels (`SampledRankings.draw`), τ, and μ by validation are guesses, as the paper's figures
    hang on such details; the slope α_q of the energy is 1, which w absorbs. The paper's network is
    one choice of `hidden_layers`. Not `boltzrank-pair`, in which the score of a document also
    depends on the other documents of its query, and not `kl-crf`, whose target is a loss.

    Volkovs, Zemel (2009). BoltzRank: learning to maximize expected ranking gain. ICML.
    """

    name: ClassVar[str] = "boltzrank-single"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Volkovs and Zemel (2009), ICML"
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "how rankings are drawn",
        "the sharpness of the target",
        "a linear function instead of a network",
    )

    regularization: float = parameter(
        1e-2,
        "λ, the weight of ‖w‖²/2 beside the mean over queries",
        grid=(1e-3, 1e-2, 1e-1),
        lowest=1e-9,
    )
    share: float = parameter(
        0.5, "μ, what the expected NDCG counts", grid=(0.5, 1.0), lowest=0.0, highest=1.0
    )
    sharpness: float = parameter(
        1.0, "τ, how sharply the target prefers the order of the labels", lowest=0.0
    )
    samples: int = parameter(100, "rankings drawn for every query", lowest=2, highest=100000)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> RankingDistribution:
        measure = find_gain_measure(self.tool)
        return RankingDistribution.towards_labels(
            dataset, measure, self.samples, self.sharpness, self.share, rng
        )
