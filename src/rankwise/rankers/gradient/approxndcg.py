"""ApproxNDCG and ApproxAP climb NDCG and average precision of smoothed ranks.

Such measures change with the scores without jumps. The rank of document i is 1 and one more for
each document above it; with the logistic function σ(x) = 1 / (1 + exp(−x)) in place of "above",

    π_i = 1 + Σ_{j ≠ i} σ(α (s_j − s_i)),

which becomes the rank as α grows.

Qin, Liu, Li (2010). A general approximation framework for direct optimization of information
retrieval measures. Information Retrieval 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.tools.registry import find_tool
from rankwise.native.arrays import Floats
from rankwise.rankers.gradient.gradient_ranker import ClimbingRanker
from rankwise.rankers.losses.listwise import DiscountedGains
from rankwise.rankers.losses.padded import Booleans, QueryBlock, differences, logistic, query_blocks
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class ApproxNDCG(ClimbingRanker):
    """Maximise 1/|Q| Σ_q Σ_i (2^y_i − 1) / log2(1 + π_i) / ideal_q − λ/2 ‖w‖².

    π_i = 1 + Σ_{j ≠ i} σ(α (s_j − s_i)), σ(x) = 1 / (1 + exp(−x)), is the rank of document i
    smoothed, s_i = w · x_i. As α grows the sum becomes NDCG over all ranks.

    Deviations: the paper climbs by gradient steps of a falling rate from random starts; here
    L-BFGS starts at the minima of convex losses (see `ClimbingRanker`), and the best step is
    chosen on validation. The discount is the paper's, log2(1 + rank), whichever tool judges. Not
    `smoothrank`, which smooths who holds a rank rather than the rank that a document has, and not
    `softrank`, whose ranks are random.

    Qin, Liu, Li (2010). A general approximation framework for direct optimization of information
    retrieval measures. Information Retrieval 13.
    """

    name: ClassVar[str] = "approxndcg"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Qin, Liu and Li (2010), Information Retrieval 13(4)"

    steepness: float = parameter(
        10.0, "α, how sharply ranks are smoothed", grid=(3.0, 10.0, 30.0), lowest=1e-3, highest=1e4
    )

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> SmoothedGain:
        return SmoothedGain.of(dataset, self.steepness)


@dataclass(frozen=True)
class ApproxAP(ClimbingRanker):
    """Maximise 1/|Q| Σ_q 1/|R_q| Σ_{i ∈ R_q} c_i / π_i − λ/2 ‖w‖².

    R_q are the relevant documents of query q, π_i = 1 + Σ_{j ≠ i} σ(α (s_j − s_i)) the smoothed
    rank of document i, σ(x) = 1 / (1 + exp(−x)), s_i = w · x_i, and

        c_i = 1 + Σ_{k ∈ R_q, k ≠ i} σ(β (π_i − π_k))

    the smoothed number of relevant documents at or above i. As α and β grow this becomes MAP.
    Deviations as in `approxndcg`: starts, L-BFGS, the best step on validation. Not `svm-map`,
    which bounds AP from outside.

    Qin, Liu, Li (2010). A general approximation framework for direct optimization of information
    retrieval measures. Information Retrieval 13.
    """

    name: ClassVar[str] = "approxap"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Qin, Liu and Li (2010), Information Retrieval 13(4)"

    steepness: float = parameter(
        10.0, "α, how sharply ranks are smoothed", grid=(10.0, 30.0), lowest=1e-3, highest=1e4
    )
    sharpness: float = parameter(
        1.0, "β, how sharply being above is smoothed", lowest=1e-3, highest=1e4
    )
    relevant_from: float = parameter(1.0, "the lowest label that counts as relevant", lowest=0.0)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> SmoothedPrecision:
        return SmoothedPrecision.of(dataset, self.relevant_from, self.steepness, self.sharpness)


@dataclass(frozen=True, eq=False)
class SmoothedRanks:
    """π of the documents of one block, and how it changes with their scores.

    Attributes:
        ranks: (queries, places): π; 1 where there is no document.
        slopes: (queries, places, places): α σ′(α (s_j − s_i)), the slope of π_i in s_j, 0 on the
            diagonal; the same for i and j exchanged.
    """

    ranks: Floats
    slopes: Floats

    @classmethod
    def of(cls, scores: Floats, pairs: Booleans, steepness: float) -> SmoothedRanks:
        """The smoothed ranks of scores (queries, places); `pairs` as in `QueryBlock`."""
        chances = logistic(-steepness * differences(scores))
        np.multiply(chances, pairs, out=chances)
        ranks = 1.0 + chances.sum(axis=2)
        slopes = steepness * chances * (1.0 - chances)
        return cls(ranks, slopes)

    def back(self, in_ranks: Floats) -> Floats:
        """Slopes in the scores from slopes u in the ranks: Σ_i (u_i − u_j) ∂π_i/∂s_j."""
        gained = np.einsum("bij,bi->bj", self.slopes, in_ranks)
        moved: Floats = gained - in_ranks * self.slopes.sum(axis=2)
        return moved


@dataclass(frozen=True, eq=False)
class SmoothedGain:
    """−1/|Q| Σ_q Σ_i g_i / log2(1 + π_i), g_i = (2^y_i − 1) / ideal DCG of the query."""

    gains: Floats
    blocks: list[QueryBlock]
    queries: int
    steepness: float

    @classmethod
    def of(cls, dataset: Dataset, steepness: float) -> SmoothedGain:
        """NDCG of all ranks, over all queries; one without a gain has the value 0."""
        measure = find_tool("definition").measure("NDCG")
        gains = DiscountedGains.of(dataset, measure).gains
        return cls(gains, query_blocks(dataset.query_offsets), dataset.n_queries, steepness)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        total, slopes = 0.0, np.zeros(len(scores))
        for block in self.blocks:
            gains = block.gather(self.gains)
            smooth = SmoothedRanks.of(block.gather(scores), block.pairs, self.steepness)
            logarithms = np.log2(1.0 + smooth.ranks)
            total += float((gains / logarithms).sum())
            shares = gains / (logarithms**2 * (1.0 + smooth.ranks) * np.log(2.0))
            block.scatter(smooth.back(shares) / self.queries, slopes)
        return -total / self.queries, slopes


@dataclass(frozen=True, eq=False)
class SmoothedPrecision:
    """−1/|Q| Σ_q 1/|R| Σ_{i ∈ R} (1 + Σ_{k ∈ R, k ≠ i} σ(β (π_i − π_k))) / π_i, R the relevant.

    AP is the mean over the relevant documents of how many relevant ones stand at or above each,
    divided by its rank; ranks are smoothed by α, "above" by β.
    """

    shares: Floats
    blocks: list[QueryBlock]
    queries: int
    steepness: float
    truncation: float

    @classmethod
    def of(
        cls, dataset: Dataset, relevant_from: float, steepness: float, truncation: float
    ) -> SmoothedPrecision:
        """AP over all queries, relevant from a label on; one without any has the value 0."""
        relevant = (dataset.labels >= relevant_from).astype(np.float64)
        counts = np.add.reduceat(relevant, dataset.query_offsets[:-1])
        shares = relevant / np.repeat(np.maximum(counts, 1.0), dataset.query_lengths)
        blocks = query_blocks(dataset.query_offsets)
        return cls(shares, blocks, dataset.n_queries, steepness, truncation)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        total, slopes = 0.0, np.zeros(len(scores))
        for block in self.blocks:
            smooth = SmoothedRanks.of(block.gather(scores), block.pairs, self.steepness)
            value, in_ranks = self._precision(block.gather(self.shares), smooth.ranks)
            total += value
            block.scatter(smooth.back(in_ranks) / -self.queries, slopes)
        return -total / self.queries, slopes

    def _precision(self, shares: Floats, ranks: Floats) -> tuple[float, Floats]:
        """Σ_q AP of the block, and its slopes in the ranks."""
        relevant = shares > 0.0
        met = relevant[:, :, np.newaxis] & relevant[:, np.newaxis, :]
        above = logistic(self.truncation * differences(ranks))
        np.multiply(above, met, out=above)
        # A document is not above itself: σ(0) = 1/2 stands on the diagonal.
        counts = 0.5 + above.sum(axis=2)
        curved = self.truncation * above * (1.0 - above)
        weights = shares / ranks
        falls = np.einsum("bik,bi->bk", curved, weights)
        in_ranks = weights * (curved.sum(axis=2) - counts / ranks) - falls
        return float((weights * counts).sum()), in_ranks
