"""REG-SHF-SDCG: boosted trees under squared errors and a smoothed hinge on pairs.

The smoothed hinge is weighted by what pairs gain in DCG.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.losses.pairs import partner_sums, sort_queries
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family
from rankwise.rankers.training.preferences import LabelLevels
from rankwise.rankers.trees.lightgbm_training import Gradients, OwnGradientRanker


@dataclass(frozen=True)
class RegSHFSDCG(OwnGradientRanker):
    """Minimise Σ_i ½ (s_i − y_i)² + λ Σ_{y_i > y_j} c_q (g_i − g_j) h(s_i − s_j) by trees.

    g = 2^y − 1 is the gain in DCG, h a hinge whose corner is rounded over a width τ: 0 from 1 on,
    (1 − z)² / (2τ) between 1 − τ and 1, 1 − z − τ/2 below. c_q = n_q / Σ (g_i − g_j) over the pairs
    of the query. s is a sum of trees, grown as `OwnGradientRanker` says, with a bound in place of
    the second derivative of h.

    Smoothed hinges that turn DCG into a loss of pairs, regression beside it and functional
    gradient boosting are the paper's, a short one. The rounding, that pairs are weighted by gains
    and not by ranks, c_q, and the size of the trees are guesses. Not `intervalrank`, whose goals
    move with the scores.

    Wu, Chang, Zheng, Zha (2009). Smoothing DCG for learning to rank: a novel approach using
    smoothed hinge functions. CIKM.
    """

    name: ClassVar[str] = "reg-shf-sdcg"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Wu, Chang, Zheng and Zha (2009), CIKM"
    guesses: ClassVar[tuple[str, ...]] = (
        "how the hinge is rounded",
        "pairs are weighted by gains, not by ranks",
        "the weight of queries",
        "the size of the trees",
    )

    leaves: int = parameter(
        4, "leaves of a tree at most", grid=(2, 4, 10), lowest=2, highest=131072
    )
    pair_weight: float = parameter(
        1.0,
        "λ, what the hinge on pairs counts beside squared errors",
        grid=(1.0, 3.0, 10.0),
        lowest=0.0,
        highest=1e6,
    )
    width: float = parameter(
        0.5, "τ, over how much of the hinge its corner is rounded", lowest=0.01, highest=0.99
    )

    def _gradients(self, train: Dataset) -> Gradients:
        return RegressionWithSmoothedHinge.of(train, self.width, self.pair_weight).at


@dataclass(frozen=True, eq=False)
class RegressionWithSmoothedHinge:
    """Σ_i ½ (s_i − y_i)² + λ Σ_{y_i > y_j} c_q (g_i − g_j) h(s_i − s_j), g = 2^y − 1.

    h(z) is 0 from 1 on, (1 − z)² / (2τ) between 1 − τ and 1, and 1 − z − τ/2 below: a hinge whose
    corner is rounded over the width τ. As h(z) = [max(0, 1 − z)² − max(0, 1 − τ − z)²] / (2τ),
    sums over partners in sorted order give all slopes without listing a pair. c_q lets all pairs of
    a query weigh as much as its documents do together: c_q Σ (g_i − g_j) = n_q.

    Attributes:
        labels: y.
        gains: c_q g of every document, up to a constant within the query.
        levels: the rank of the label among those of the query.
        query_offsets: as in the data set.
        width: τ, above 0 and below 1.
        share: λ.
    """

    labels: Floats
    gains: Floats
    levels: Integers
    query_offsets: Integers
    width: float
    share: float

    @classmethod
    def of(cls, dataset: Dataset, width: float, share: float) -> RegressionWithSmoothedHinge:
        """The pairs of a data set."""
        ranked = LabelLevels.of(dataset)
        starts, lengths = dataset.query_offsets[:-1], dataset.query_lengths
        highest = np.repeat(np.maximum.reduceat(dataset.labels, starts), lengths)
        # Only differences count, and c_q takes the scale: no power of 2 is too large.
        gains = np.exp2(dataset.labels - highest)
        totals = _gain_differences(gains, ranked)
        factors = np.divide(lengths, totals, out=np.zeros(len(lengths)), where=totals > 0.0)
        weighed = gains * np.repeat(factors, lengths)
        return cls(dataset.labels, weighed, ranked.levels, dataset.query_offsets, width, share)

    def value(self, scores: Floats) -> float:
        """The cost."""
        errors = scores - self.labels
        outer, inner = (self._squares(scores, margin) for margin in (1.0, 1.0 - self.width))
        hinges = (outer.value - inner.value) / (2.0 * self.width)
        return float(0.5 * (errors * errors).sum() + self.share * hinges)

    def at(self, scores: Floats) -> tuple[Floats, Floats]:
        """The slope of the cost in every score, and a bound on the second derivative.

        Below 1 − τ the hinge is straight; 1 / τ is taken for its curvature there too, so that steps
        stay short where nothing but squared errors would hold them back.
        """
        outer, inner = (self._squares(scores, margin) for margin in (1.0, 1.0 - self.width))
        slopes = (outer.slopes - inner.slopes) / (2.0 * self.width)
        bounds = 1.0 + self.share * outer.weights / self.width
        return scores - self.labels + self.share * slopes, bounds

    def _squares(self, scores: Floats, margin: float) -> _Squares:
        """Σ c_q (g_i − g_j) max(0, margin − s_i + s_j)², its slopes, what each document weighs."""
        # The kernel knows margins of 1 only.
        unit = scores / margin
        order = sort_queries(unit, self.query_offsets)
        of_scores, of_gains, of_both = (
            partner_sums(unit, order, self.levels, self.query_offsets, values)
            for values in (unit, self.gains, unit * self.gains)
        )
        as_better = self.gains * (of_scores[:, 0] * (1.0 - unit) + of_scores[:, 1])
        as_better -= of_gains[:, 1] * (1.0 - unit) + of_both[:, 1]
        as_worse = of_gains[:, 3] * (1.0 + unit) - of_both[:, 3]
        as_worse -= self.gains * (of_scores[:, 2] * (1.0 + unit) - of_scores[:, 3])
        counts = of_scores[:, 0] - of_scores[:, 2]
        weights = self.gains * counts - of_gains[:, 1] + of_gains[:, 3]
        slopes = 2.0 * margin * (as_worse - as_better)
        # Σ d² = Σ d (1 − s_i + s_j), so first sums are enough.
        value = margin**2 * float(as_better.sum() + (unit * (as_worse - as_better)).sum())
        return _Squares(value, slopes, np.maximum(weights, 0.0))


@dataclass(frozen=True, eq=False)
class _Squares:
    value: float
    slopes: Floats
    weights: Floats


def _gain_differences(gains: Floats, ranked: LabelLevels) -> Floats:
    """Σ (g_i − g_j) over the pairs with y_i > y_j of every query."""
    starts = ranked.query_offsets[:-1]
    ordered = gains[ranked.order]
    before = np.cumsum(ordered) - ordered
    own = np.repeat(before[starts], np.diff(ranked.query_offsets))
    places = np.repeat(starts, np.diff(ranked.query_offsets)) + ranked.worse
    # Gains of all documents of the query with a lower label: the first `worse` places.
    lower = np.append(before, before[-1] + ordered[-1])[places] - own
    return np.add.reduceat(ordered * ranked.worse - lower, starts)
