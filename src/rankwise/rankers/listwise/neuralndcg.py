"""NeuralNDCG: NDCG of a relaxed sort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.best_step_ranker import ClimbingRanker
from rankwise.rankers.losses.discounted_gains import find_gain_measure
from rankwise.rankers.losses.neural_sort import RelaxedGain
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class NeuralNDCG(ClimbingRanker):
    """Maximise 1/|Q| Σ_q Σ_r d_r Σ_i P_ri g_i − λ/2 ‖w‖², the NDCG of a relaxed sort.

    P_ri, the share of document i in rank r of n, is exp(((n + 1 − 2r) s_i − Σ_k |s_i − s_k|) / τ)
    over its sum in the rank, its columns and rows then scaled in turns to sums of 1; g_i is the
    gain over the ideal DCG, d_r the discount, s_i = w · x_i. As τ falls the sum becomes NDCG.

    Deviations: the paper trains self-attention, which is `self-attention` with loss=neuralndcg;
    here the function is linear or a network of `hidden_layers`. A linear one climbs from the minima
    of convex losses (see `ClimbingRanker`), as the sum has many maxima. Not the stochastic variant,
    whose scores are perturbed, and not `approxndcg`, which smooths the ranks themselves.

    Pobrotyn, Białobrzeski (2021). NeuralNDCG: direct optimisation of a ranking metric via
    differentiable relaxation of sorting. arXiv:2102.07831.
    """

    name: ClassVar[str] = "neuralndcg"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Pobrotyn and Białobrzeski (2021), arXiv:2102.07831"
    follows_tool: ClassVar[bool] = True

    temperature: float = parameter(
        1.0, "τ, how much ranks are shared", grid=(0.1, 1.0), lowest=1e-6, highest=1e6
    )
    scalings: int = parameter(
        50, "turns of scaling columns and rows at most", lowest=0, highest=10000
    )
    starts: int = parameter(
        1, "starts: least squares, then ListNet's, then RankNet's minimum", lowest=1, highest=3
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> RelaxedGain:
        measure = find_gain_measure(self.tool)
        return RelaxedGain.of(dataset, measure, self.temperature, self.scalings)
