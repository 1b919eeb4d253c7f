"""The pseudo-likelihood of a ranking: how probable it is beside those with two places swapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.discounted_gains import DiscountedGains
from rankwise.rankers.losses.query_blocks import QueryBlock, differences, query_blocks
from rankwise.rankers.training.label_levels import LabelLevels

Floats = NDArray[np.float64]


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
