"""BT and TM: boosted trees under models of pairs that may be ties.

BT's model is Bradley-Terry's after Rao and Kupper, TM's is Thurstone-Mosteller's. Zhou, Xue, Zha,
Yu (2008). Learning to rank with ties. SIGIR.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.native.arrays import Floats
from rankwise.rankers.losses.padded import QueryBlock, differences, logistic, query_blocks
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family
from rankwise.rankers.trees.lightgbm_training import Gradients, OwnGradientRanker


@dataclass(frozen=True)
class BT(OwnGradientRanker):
    """Minimise −Σ_q c_q [Σ_{y_i > y_j} log P(i ≻ j) + v Σ_{y_i = y_j} log P(i ~ j)] by trees.

    P(i ≻ j) = e^{s_i} / (e^{s_i} + θ e^{s_j}) and P(i ~ j) = (θ² − 1) e^{s_i + s_j} / ((e^{s_i} +
    θ e^{s_j}) (θ e^{s_i} + e^{s_j})): the model of Rao and Kupper, in which θ > 1 makes room for
    ties. s is a sum of trees, grown as `OwnGradientRanker` says.

    The model and boosting are the paper's. That all pairs of equal labels are ties, their weight
    v, that every document counts the same (c_q = 1 / (n_q − 1)), and the size of the trees are
    guesses; leaves hold Newton steps. Not `tm`, whose scores have normal noise, and not
    `ranknet`, which has no ties.

    Zhou, Xue, Zha, Yu (2008). Learning to rank with ties. SIGIR.
    """

    name: ClassVar[str] = "bt"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Zhou, Xue, Zha and Yu (2008), SIGIR"
    guesses: ClassVar[tuple[str, ...]] = (
        "all pairs of equal labels are ties",
        "the weight of ties and of queries",
        "the size of the trees",
    )

    tie_range: float = parameter(
        2.0, "θ, how near scores must be for a tie", grid=(1.5, 3.0), lowest=1.001, highest=1e6
    )
    tie_weight: float = parameter(0.3, "v, what a tie counts beside a preference", lowest=0.0)

    def _gradients(self, train: Dataset) -> Gradients:
        return make_ties(BradleyTerryTies, train, self.tie_range, self.tie_weight).at


@dataclass(frozen=True)
class TM(OwnGradientRanker):
    """Minimise −Σ_q c_q [Σ_{y_i > y_j} log P(i ≻ j) + v Σ_{y_i = y_j} log P(i ~ j)] by trees.

    P(i ≻ j) = Φ(s_i − s_j − ε) and P(i ~ j) = Φ(s_i − s_j + ε) − Φ(s_i − s_j − ε), Φ the normal
    distribution and ε > 0 the room for ties. s is a sum of trees, grown as `OwnGradientRanker`
    says. Guesses as in `bt`: the ties, the weights and the trees. Not `bt`, whose scores have
    logistic noise.

    Zhou, Xue, Zha, Yu (2008). Learning to rank with ties. SIGIR.
    """

    name: ClassVar[str] = "tm"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Zhou, Xue, Zha and Yu (2008), SIGIR"
    guesses: ClassVar[tuple[str, ...]] = (
        "all pairs of equal labels are ties",
        "the weight of ties and of queries",
        "the size of the trees",
    )

    tie_range: float = parameter(
        0.5, "ε, how near scores must be for a tie", grid=(0.3, 0.7), lowest=0.001, highest=20.0
    )
    tie_weight: float = parameter(0.3, "v, what a tie counts beside a preference", lowest=0.0)

    def _gradients(self, train: Dataset) -> Gradients:
        return make_ties(ThurstoneMostellerTies, train, self.tie_range, self.tie_weight).at


# Beyond so many deviations densities and chances are too small for numbers.
_FARTHEST = 30.0


@dataclass(frozen=True, eq=False)
class TiedPreferences(ABC):
    """−Σ_q c_q [Σ_{y_i > y_j} log P(i ≻ j) + v Σ_{y_i = y_j, i < j} log P(i ~ j)].

    c_q = 1 / (n_q − 1) for a query of n_q documents: each of its documents is in n_q − 1 pairs.
    `at` gives slopes and second derivatives by documents, as boosted trees need them; `value` the
    cost alone.

    Attributes:
        labels: as in the data set.
        factors: c_q of the query of every document.
        blocks: the queries as tables.
        tie_weight: v.
    """

    labels: Floats
    factors: Floats
    blocks: list[QueryBlock]
    tie_weight: float

    def value(self, scores: Floats) -> float:
        """The cost."""
        total = 0.0
        for block in self.blocks:
            better, tied = self._pairs(block)
            apart = differences(block.gather(scores))
            costs = better * self._better_cost(apart) + tied * self._tie_cost(apart)
            total += float((block.gather(self.factors) * costs.sum(axis=2)).sum())
        return total

    def at(self, scores: Floats) -> tuple[Floats, Floats]:
        """The slope of the cost, and its second derivative, in every score."""
        slopes, bends = np.zeros(len(scores)), np.zeros(len(scores))
        for block in self.blocks:
            better, tied = self._pairs(block)
            first, second = self._derivatives(differences(block.gather(scores)), better, tied)
            factors = block.gather(self.factors)
            block.scatter(factors * (first.sum(axis=2) - first.sum(axis=1)), slopes)
            block.scatter(factors * (second.sum(axis=2) + second.sum(axis=1)), bends)
        return slopes, bends

    def _pairs(self, block: QueryBlock) -> tuple[Floats, Floats]:
        """What the pair (i, j) counts as a preference for i, and as a tie, which has i < j."""
        labels = block.gather(self.labels, np.nan)
        better = labels[:, :, np.newaxis] > labels[:, np.newaxis, :]
        same = labels[:, :, np.newaxis] == labels[:, np.newaxis, :]
        return better.astype(np.float64), self.tie_weight * np.triu(same, 1)

    @abstractmethod
    def _better_cost(self, apart: Floats) -> Floats:
        """−log P(i ≻ j) by s_i − s_j."""

    @abstractmethod
    def _tie_cost(self, apart: Floats) -> Floats:
        """−log P(i ~ j) by s_i − s_j."""

    @abstractmethod
    def _derivatives(self, apart: Floats, better: Floats, tied: Floats) -> tuple[Floats, Floats]:
        """First and second derivative of the costs of the pairs in s_i − s_j."""


@dataclass(frozen=True, eq=False)
class BradleyTerryTies(TiedPreferences):
    """P(i ≻ j) = e^{s_i} / (e^{s_i} + θ e^{s_j}), P(i ~ j) = 1 − P(i ≻ j) − P(j ≻ i), θ > 1.

    With δ = log θ and d = s_i − s_j these cost log(1 + e^{δ−d}), and the same for d and for −d,
    less log(θ² − 1): a tie costs as two preferences, one either way.
    """

    tie_range: float

    def _better_cost(self, apart: Floats) -> Floats:
        costs: Floats = np.logaddexp(0.0, np.log(self.tie_range) - apart)
        return costs

    def _tie_cost(self, apart: Floats) -> Floats:
        both = self._better_cost(apart) + self._better_cost(-apart)
        return both - float(np.log(self.tie_range**2 - 1.0))

    def _derivatives(self, apart: Floats, better: Floats, tied: Floats) -> tuple[Floats, Floats]:
        # The tie of i and j counts once as i before j and once as j before i.
        counts = better + tied + tied.transpose(0, 2, 1)
        chances = logistic(np.log(self.tie_range) - apart)
        first = counts * chances
        return -first, first * (1.0 - chances)


@dataclass(frozen=True, eq=False)
class ThurstoneMostellerTies(TiedPreferences):
    """P(i ≻ j) = Φ(d − ε), P(i ~ j) = Φ(d + ε) − Φ(d − ε), d = s_i − s_j, ε > 0."""

    tie_range: float

    def _better_cost(self, apart: Floats) -> Floats:
        from scipy.special import log_ndtr

        costs: Floats = -log_ndtr(np.maximum(apart - self.tie_range, -_FARTHEST))
        return costs

    def _tie_cost(self, apart: Floats) -> Floats:
        from scipy.special import ndtr

        near = np.minimum(np.abs(apart), _FARTHEST)
        costs: Floats = -np.log(ndtr(self.tie_range - near) - ndtr(-self.tie_range - near))
        return costs

    def _derivatives(self, apart: Floats, better: Floats, tied: Floats) -> tuple[Floats, Floats]:
        first, second = np.zeros_like(apart), np.zeros_like(apart)
        here = better > 0.0
        slopes, bends = self._better_derivatives(apart[here])
        first[here], second[here] = better[here] * slopes, better[here] * bends
        here = tied > 0.0
        slopes, bends = self._tie_derivatives(apart[here])
        first[here], second[here] = tied[here] * slopes, tied[here] * bends
        return first, second

    def _better_derivatives(self, apart: Floats) -> tuple[Floats, Floats]:
        from scipy.special import ndtr

        margins = np.maximum(apart - self.tie_range, -_FARTHEST)
        ratios = _density(margins) / ndtr(margins)
        return -ratios, ratios * (margins + ratios)

    def _tie_derivatives(self, apart: Floats) -> tuple[Floats, Floats]:
        """In the tail of the normal distribution where differences keep their digits."""
        from scipy.special import ndtr

        near = np.minimum(np.abs(apart), _FARTHEST)
        above, below = self.tie_range - near, -self.tie_range - near
        high, low = _density(above), _density(below)
        chances = ndtr(above) - ndtr(below)
        ratios = (high - low) / chances
        bends = ratios**2 + (above * high - below * low) / chances
        return np.sign(apart) * ratios, bends


def make_ties(
    kind: type[BradleyTerryTies] | type[ThurstoneMostellerTies],
    dataset: Dataset,
    tie_range: float,
    tie_weight: float,
) -> BradleyTerryTies | ThurstoneMostellerTies:
    """The pairs of a data set under one of the models."""
    lengths = dataset.query_lengths
    factors = np.repeat(1.0 / np.maximum(lengths - 1, 1), lengths)
    blocks = query_blocks(dataset.query_offsets)
    return kind(dataset.labels, factors, blocks, tie_weight, tie_range)


def _density(values: Floats) -> Floats:
    found: Floats = np.exp(-0.5 * values * values) / np.sqrt(2.0 * np.pi)
    return found
