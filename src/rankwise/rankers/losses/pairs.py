"""All pairs of documents of one query with different labels, summed over without listing them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, function
from rankwise.rankers.training.label_levels import LabelLevels
from rankwise.rankers.training.row_weights import weights_of_queries

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

    levels: NDArray[np.int64]
    query_offsets: NDArray[np.int64]
    weights: NDArray[np.float64]
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

    def hinge(self, scores: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Σ_ij v_ij max(0, 1 − s_i + s_j) and its slope in every score."""
        order = sort_queries(scores, self.query_offsets)
        sums = self._partners(order, scores, scores)
        as_better = sums[:, 0] * (1.0 - scores) + sums[:, 1]
        return float((self.weights * as_better).sum()), self.weights * (sums[:, 2] - sums[:, 0])

    def squared_hinge(self, scores: NDArray[np.float64]) -> SquaredHinge:
        """Σ_ij v_ij max(0, 1 − s_i + s_j)² with its slopes and curvature."""
        order = sort_queries(scores, self.query_offsets)
        sums = self._partners(order, scores, scores)
        as_better = sums[:, 0] * (1.0 - scores) + sums[:, 1]
        as_worse = sums[:, 2] * (1.0 + scores) - sums[:, 3]
        slopes = 2.0 * self.weights * (as_worse - as_better)
        # Σ d² = Σ d (1 − s_i + s_j), so first sums are enough: no squares of scores are summed.
        value = float((self.weights * as_better).sum() + 0.5 * (scores * slopes).sum())
        return SquaredHinge(self, scores, order, sums[:, 0] + sums[:, 2], value, slopes)

    def _partners(
        self, order: NDArray[np.int64], scores: NDArray[np.float64], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return partner_sums(scores, order, self.levels, self.query_offsets, values)


@dataclass(frozen=True, eq=False)
class SquaredHinge:
    """The squared hinge at one point: value, slopes, and the curvature around it."""

    pairs: PreferencePairs
    scores: NDArray[np.float64]
    order: NDArray[np.int64]
    partners: NDArray[np.float64]
    value: float
    slopes: NDArray[np.float64]

    def curvature(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """The second derivative times a direction u: 2 Σ v_ij (u_i − u_j) over active pairs."""
        sums = self.pairs._partners(self.order, self.scores, direction)
        return 2.0 * self.pairs.weights * (self.partners * direction - sums[:, 1] - sums[:, 3])


def sort_queries(
    scores: NDArray[np.float64], query_offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Rows by rising score within each query; equal scores in the order of the rows."""
    longest = int(np.diff(query_offsets).max(initial=0))
    keys, rows = np.empty(2 * longest), np.empty(2 * longest, dtype=np.int64)
    order = np.empty(len(scores), dtype=np.int64)
    _sort_queries(scores, query_offsets, len(query_offsets) - 1, keys, rows, longest, order)
    return order


def partner_sums(
    scores: NDArray[np.float64],
    order: NDArray[np.int64],
    levels: NDArray[np.int64],
    query_offsets: NDArray[np.int64],
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """For every document, how many active partners it has and the sum of their values.

    A pair (i, j) of a query with level_i > level_j is active where s_i − s_j < 1. Columns: count
    and sum over the worse partners j of i, count and sum over the better partners i of j.
    """
    sums = np.zeros((len(scores), 4))
    _partner_sums(scores, order, levels, query_offsets, len(query_offsets) - 1, values, sums)
    return sums
