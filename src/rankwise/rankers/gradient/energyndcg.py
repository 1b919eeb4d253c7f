"""EnergyNDCG: rankings follow a Boltzmann distribution whose energy is a DCG of the scores.

Its loss is the pseudo-likelihood of a ranking: how probable it is beside those with two places
swapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.native.arrays import Floats
from rankwise.rankers.gradient.gradient_ranker import GradientRanker
from rankwise.rankers.losses.listwise import DiscountedGains, find_gain_measure
from rankwise.rankers.losses.padded import QueryBlock, differences, query_blocks
from rankwise.rankers.parameters import parameter, regularization
from rankwise.rankers.ranker import Family
from rankwise.rankers.training.preferences import LabelLevels


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

    regularization: float = regularization(
        1e-2, "the mean over queries", grid=(1e-3, 1e-2, 1e-1, 1.0), highest=None
    )
    steepness: float = parameter(10.0, "β, what the energy counts", lowest=1e-6)
    gap: float = parameter(
        1e-6, "without hidden layers, training ends this near to the minimum", lowest=1e-14
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> SwapLikelihood:
        gains = DiscountedGains.of(dataset, find_gain_measure(self.tool))
        return SwapLikelihood.of(dataset, gains, self.steepness)


@dataclass(frozen=True, eq=False)
class SwapLikelihood:
    """1/|Q| Σ_q 1/|P_q| Σ_{(i,j) ∈ P_q} log(1 + exp(−β (D_i − D_j) (s_i − s_j))).

    A ranking has the energy −β Σ_i D(r_i) s_i: less the DCG that it would have were the scores the
    gains. Swapping i and j, ranked by labels, raises the energy by β (D_i − D_j) (s_i − s_j); the
    term is minus the logarithm of the chance of the one order against the other. P_q holds the
    pairs with y_i > y_j, Q the queries that have some. Documents of one label share the places
    that their label fills: D_i is the mean discount of these.

    Attributes:
        discounts: β D_i of every document.
        weights: 1 / (|Q| |P_q|) of the query of every document, 0 without pairs.
        labels: as in the data set.
        blocks: the queries as tables.
    """

    discounts: Floats
    weights: Floats
    labels: Floats
    blocks: list[QueryBlock]

    @classmethod
    def of(cls, dataset: Dataset, gains: DiscountedGains, steepness: float) -> SwapLikelihood:
        """All pairs of a data set, with the discounts of an NDCG; `steepness` is β."""
        levels = LabelLevels.of(dataset)
        pairs = levels.pairs
        used = max(1, int(np.count_nonzero(pairs)))
        weights = np.where(pairs > 0, 1.0 / (np.maximum(pairs, 1) * used), 0.0)
        return cls(
            steepness * _shared_discounts(dataset, levels, gains.discounts),
            np.repeat(weights, dataset.query_lengths),
            dataset.labels,
            query_blocks(dataset.query_offsets),
        )

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        total, slopes = 0.0, np.zeros(len(scores))
        for block in self.blocks:
            labels, weights = block.gather(self.labels, np.nan), block.gather(self.weights)
            better = labels[:, :, np.newaxis] > labels[:, np.newaxis, :]
            factors = differences(block.gather(self.discounts)) * better
            margins = factors * differences(block.gather(scores))
            costs, chances = _logistic_costs(margins)
            total += float((weights * (costs * better).sum(axis=2)).sum())
            pulls = factors * chances
            moved = pulls.sum(axis=1) - pulls.sum(axis=2)
            block.scatter(weights * moved, slopes)
        return total, slopes


def _logistic_costs(margins: Floats) -> tuple[Floats, Floats]:
    """log(1 + exp(−m)) and 1 / (1 + exp(m)), from one exponential."""
    masses = np.exp(-np.abs(margins))
    chances = np.where(margins > 0.0, masses, 1.0) / (1.0 + masses)
    return np.log1p(masses) + np.maximum(-margins, 0.0), chances


def _shared_discounts(dataset: Dataset, levels: LabelLevels, discounts: Floats) -> Floats:
    """The mean discount of the places that a document's label fills, best labels first."""
    lengths = dataset.query_lengths
    starts = np.repeat(dataset.query_offsets[:-1], lengths)
    ranks = np.repeat(lengths, lengths) - 1 - (np.arange(dataset.n_documents) - starts)
    begins = np.flatnonzero(np.diff(starts + levels.worse, prepend=-1))
    sizes = np.diff(np.append(begins, dataset.n_documents))
    means = np.add.reduceat(discounts[ranks], begins) / sizes
    found = np.empty(dataset.n_documents)
    found[levels.order] = np.repeat(means, sizes)
    return found
