"""EnergyNDCG: rankings follow a Boltzmann distribution whose energy is a DCG of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.gradient_ranker import GradientRanker
from rankwise.rankers.losses.discounted_gains import DiscountedGains, find_gain_measure
from rankwise.rankers.losses.swap_likelihood import SwapLikelihood
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class EnergyNDCG(GradientRanker):
    """Minimise λ/2 ‖w‖² + 1/|Q| Σ_q 1/|P_q| Σ_{(i,j) ∈ P_q} log(1 + exp(−β ΔD_ij Δs_ij)).

    ΔD_ij = D_i − D_j and Δs_ij = s_i − s_j.

    Rankings have probabilities ∝ exp(−E), with the energy E = −β Σ_i D(r_i) s_i of the ranks r_i
    and scores s_i = w · x_i. The sum over all rankings is out of reach, so that the
    pseudo-likelihood takes its place: the ranking by labels is compared with those that differ
    from it by a swap of i and j. P_q holds the pairs with y_i > y_j; D_i is the mean discount of
    the places that the label of i fills.

    The Boltzmann distribution, an energy that comes from the target measure, and training by
    pseudo-likelihood are the paper's abstract; the energy as DCG of the scores, the swaps as
    neighbours, and the linear function (the paper's is a network, one choice of `hidden_layers`)
    are guesses. The objective is convex. Not `boltzrank-single`, which samples rankings and raises
    an expected measure.

    Freno, Papini, Diligenti (2011). Learning to rank using Markov random fields. ICMLA.
    """

    name: ClassVar[str] = "energyndcg"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Freno, Papini and Diligenti (2011), ICMLA"
    follows_tool: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "the energy is the DCG of the scores",
        "neighbours are swaps of two documents",
        "a linear function instead of a network",
    )

    regularization: float = parameter(
        1e-2,
        "λ, the weight of ‖w‖²/2 beside the mean over queries",
        grid=(1e-3, 1e-2, 1e-1, 1.0),
        lowest=1e-9,
    )
    steepness: float = parameter(10.0, "β, what the energy counts", lowest=1e-6)
    gap: float = parameter(
        1e-6, "without hidden layers, training ends this near to the minimum", lowest=1e-14
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> SwapLikelihood:
        gains = DiscountedGains.of(dataset, find_gain_measure(self.tool))
        return SwapLikelihood.of(dataset, gains, self.steepness)
