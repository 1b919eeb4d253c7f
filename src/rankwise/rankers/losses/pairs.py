"""All pairs of documents of one query with different labels, summed over without listing them.

The squared hinge on pairs is also a function of linear weights, with value, gradient and curvature,
with or without a quadratic beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, function
from rankwise.native.arrays import Floats, Integers
from rankwise.native.sums import dot
from rankwise.rankers.training.preferences import LabelLevels, weights_of_queries
from rankwise.rankers.training.relative_features import RelativeFeatures

_QUERIES = (INT64S, INT64)
_sort_queries = function(
    "rankwise_sort_queries", DOUBLES, *_QUERIES, DOUBLES_OUT, INT64S_OUT, INT64, INT64S_OUT
)
_partner_sums = function(
    "rankwise_partner_sums", DOUBLES, INT64S, INT64S, *_QUERIES, DOUBLES, DOUBLES_OUT
)


@dataclass(frozen=True, eq=False)
class PreferencePairs:
    """The pairs (i, j) of one query with y_i > y_j, and convex losses of s_i − s_j on them.

    Only pairs with s_i − s_j < 1 cost anything. After one sort a query, two sweeps a label level
    find how many of those each document is in and what its partners' values sum to: O(n log n +
    n · levels) time and O(n) memory for any number of pairs.

    Attributes:
        levels: the rank of the label among the labels of the query, from 0.
        query_offsets: as in the data set.
        weights: for each document, what a pair of its query weighs; all pairs together weigh 1.
        total: how many pairs there are.
    """

    levels: Integers
    query_offsets: Integers
    weights: Floats
    total: int

    @classmethod
    def of(cls, dataset: Dataset, ranker: str, weighting: str = "pairs") -> PreferencePairs:
        """The pairs of a data set: all of one weight, or all queries with pairs of one weight.

        Either is multiplied by the weight of the query, where the data set has weights.
        """
        ranked = LabelLevels.of(dataset)
        counts = ranked.pairs
        total = int(counts.sum())
        if total == 0:
            raise RankwiseError(
                f"{ranker} learns from documents of one query with different labels, "
                "found no such query in the training data"
            )
        weights = np.full(dataset.n_documents, 1.0 / total)
        if weighting == "queries":
            shares = 1.0 / (np.maximum(counts, 1) * np.count_nonzero(counts))
            weights = np.repeat(shares, dataset.query_lengths)
        given = weights_of_queries(dataset, ranker)
        if given is not None:
            total_weight = float((given * counts * weights[dataset.query_offsets[:-1]]).sum())
            if total_weight == 0.0:
                raise RankwiseError(
                    f"{ranker} learns from documents of one query with different labels, found "
                    "such queries only where the weight is 0"
                )
            weights = weights * np.repeat(given / total_weight, dataset.query_lengths)
        return cls(ranked.levels, dataset.query_offsets, weights, total)

    def hinge(self, scores: Floats) -> tuple[float, Floats]:
        """Σ_ij v_ij max(0, 1 − s_i + s_j) and its slope in every score."""
        order = sort_queries(scores, self.query_offsets)
        sums = self._partners(order, scores, scores)
        as_better = sums[:, 0] * (1.0 - scores) + sums[:, 1]
        return float((self.weights * as_better).sum()), self.weights * (sums[:, 2] - sums[:, 0])

    def squared_hinge(self, scores: Floats) -> SquaredHinge:
        """Σ_ij v_ij max(0, 1 − s_i + s_j)² with its slopes and curvature."""
        order = sort_queries(scores, self.query_offsets)
        sums = self._partners(order, scores, scores)
        as_better = sums[:, 0] * (1.0 - scores) + sums[:, 1]
        as_worse = sums[:, 2] * (1.0 + scores) - sums[:, 3]
        slopes = 2.0 * self.weights * (as_worse - as_better)
        # Σ d² = Σ d (1 − s_i + s_j), so first sums are enough: no squares of scores are summed.
        value = float((self.weights * as_better).sum() + 0.5 * (scores * slopes).sum())
        return SquaredHinge(self, scores, order, sums[:, 0] + sums[:, 2], value, slopes)

    def _partners(self, order: Integers, scores: Floats, values: Floats) -> Floats:
        return partner_sums(scores, order, self.levels, self.query_offsets, values)


@dataclass(frozen=True, eq=False)
class SquaredHinge:
    """The squared hinge at one point: value, slopes, and the curvature around it."""

    pairs: PreferencePairs
    scores: Floats
    order: Integers
    partners: Floats
    value: float
    slopes: Floats

    def curvature(self, direction: Floats) -> Floats:
        """The second derivative times a direction u: 2 Σ v_ij (u_i − u_j) over active pairs."""
        sums = self.pairs._partners(self.order, self.scores, direction)
        return 2.0 * self.pairs.weights * (self.partners * direction - sums[:, 1] - sums[:, 3])


def sort_queries(scores: Floats, query_offsets: Integers) -> Integers:
    """Rows by rising score within each query; equal scores in the order of the rows."""
    # Room for one query of all rows: what no query needs is never touched, and takes no memory.
    room = len(scores)
    keys, rows = np.empty(2 * room), np.empty(2 * room, dtype=np.int64)
    order = np.empty(room, dtype=np.int64)
    _sort_queries(scores, query_offsets, len(query_offsets) - 1, keys, rows, room, order)
    return order


def partner_sums(
    scores: Floats,
    order: Integers,
    levels: Integers,
    query_offsets: Integers,
    values: Floats,
) -> Floats:
    """For every document, how many active partners it has and the sum of their values.

    A pair (i, j) of a query with level_i > level_j is active where s_i − s_j < 1. Columns: count
    and sum over the worse partners j of i, count and sum over the better partners i of j.
    """
    sums = np.zeros((len(scores), 4))
    _partner_sums(scores, order, levels, query_offsets, len(query_offsets) - 1, values, sums)
    return sums


@dataclass(frozen=True, eq=False)
class PairObjective:
    """f(w) = 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (z_i − z_j))² + ½ w · Qw.

    Attributes:
        features: z, one row per document.
        pairs: P, the pairs of documents of one query with y_i > y_j.
        quadratic: Q, symmetric and positive semidefinite; None is 0.
    """

    features: RelativeFeatures
    pairs: PreferencePairs
    quadratic: Floats | None = None

    def __call__(self, weights: Floats) -> PairPoint:
        """The function at w; its gradient is computed when it is asked for."""
        loss = self.pairs.squared_hinge(self.features.scores(weights))
        if self.quadratic is None:
            return PairPoint(self, loss, loss.value, None)
        # Row by row: a library's product may depend on the number of threads.
        bent = (self.quadratic * weights).sum(axis=1)
        return PairPoint(self, loss, loss.value + dot(weights, bent) / 2.0, bent)


@dataclass(frozen=True, eq=False)
class PairPoint:
    """The objective at one w."""

    objective: PairObjective
    loss: SquaredHinge
    value: float
    bent: Floats | None

    @cached_property
    def gradient(self) -> Floats:
        """Its gradient."""
        slopes = self.objective.features.combine(self.loss.slopes)
        return slopes if self.bent is None else slopes + self.bent

    def hessian(self, free: Integers) -> Floats:
        """The second derivatives in the weights of these numbers: 2/|P| Σ over active pairs + Q."""
        features, quadratic = self.objective.features.take(free), self.objective.quadratic
        found = np.empty((len(free), len(free)))
        for row, alone in enumerate(np.eye(len(free))):
            found[row] = features.combine(self.loss.curvature(features.scores(alone)))
        return found if quadratic is None else found + quadratic[np.ix_(free, free)]


@dataclass(frozen=True, eq=False)
class SquaredHingePoint:
    """λ/2 ‖w‖² + Σ_ij v_ij max(0, 1 − w · (x_i − x_j))² at one w; v as the pairs have it."""

    features: RelativeFeatures
    loss: SquaredHinge
    regularization: float
    value: float
    gradient: Floats

    @classmethod
    def at(
        cls,
        weights: Floats,
        features: RelativeFeatures,
        pairs: PreferencePairs,
        regularization: float,
        reached: Floats | None = None,
    ) -> SquaredHingePoint:
        """The point w; `reached` are scores that those of w are added to."""
        scores = features.scores(weights)
        loss = pairs.squared_hinge(scores if reached is None else reached + scores)
        value = regularization / 2.0 * dot(weights, weights) + loss.value
        gradient = regularization * weights + features.combine(loss.slopes)
        return cls(features, loss, regularization, value, gradient)

    def curvature(self, direction: Floats) -> Floats:
        """The second derivative times a direction."""
        curved = self.loss.curvature(self.features.scores(direction))
        return self.regularization * direction + self.features.combine(curved)
