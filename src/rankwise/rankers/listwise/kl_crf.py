"""KL-CRF: a random field over sampled rankings, fitted to a distribution made of a loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.gradient_ranker import GradientRanker
from rankwise.rankers.losses.discounted_gains import DiscountedGains, find_gain_measure
from rankwise.rankers.losses.sampled_rankings import (
    RankingDistribution,
    SampledRankings,
    logarithms_of_shares,
)
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class KLCRF(GradientRanker):
    """Minimise λ/2 ‖w‖² + 1/|Q| Σ_q Σ_R t(R) log(t(R) / p(R)), t(R) ∝ exp(−ℓ(R) / T).

    R runs over rankings of the query that were drawn once, ℓ(R) = 1 − NDCG(R), and p(R) ∝
    exp(−E(R)) with the energy of BoltzRank, −E(R) = Σ_i (1 − 2 r_i / (n − 1)) w · x_i for ranks r_i
    from 0 of n documents, which is linear in w: the objective is convex, and L-BFGS goes to its one
    minimum.

    This is the paper's loss-inspired divergence, the best of its five objectives. The energy and
    how rankings are drawn (`SampledRankings.draw`) are guesses. Not `boltzrank-single`, which also
    raises the expected NDCG and whose target is made of labels.

    Volkovs, Larochelle, Zemel (2011). Loss-sensitive training of probabilistic conditional random
    fields. arXiv:1107.1805.
    """

    name: ClassVar[str] = "kl-crf"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Volkovs, Larochelle and Zemel (2011), arXiv:1107.1805"
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = ("how rankings are drawn", "the energy is BoltzRank's")

    regularization: float = parameter(
        1e-1,
        "λ, the weight of ‖w‖²/2 beside the mean over queries",
        grid=(1e-2, 1e-1, 1.0),
        lowest=1e-9,
    )
    temperature: float = parameter(
        0.1, "T, how evenly the target is spread", grid=(0.03, 0.1, 0.3), lowest=1e-3
    )
    samples: int = parameter(100, "rankings drawn for every query", lowest=2, highest=100000)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> RankingDistribution:
        rankings = SampledRankings.draw(dataset, self.samples, rng)
        values = rankings.values(DiscountedGains.of(dataset, find_gain_measure(self.tool)))
        targets = logarithms_of_shares((values - 1.0) / self.temperature)
        return RankingDistribution(rankings, targets, values, 0.0)
