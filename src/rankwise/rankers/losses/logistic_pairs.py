"""The logistic loss of pairs: RankNet's, and LambdaRank's with its weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.measure import Measure
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.losses.discounted_gains import DiscountedGains, seen_labels

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PreferenceOrder:
    """The documents of each query by falling label: pairs without listing them.

    Attributes:
        order: the rows of each query by falling label.
        worse: for each place in `order` the first place of its query with a lower label.
        query_offsets: as in the data set.
        counts: pairs per query.
    """

    order: Integers
    worse: Integers
    query_offsets: Integers
    counts: Integers

    @classmethod
    def of(cls, dataset: Dataset) -> PreferenceOrder:
        """All pairs (i, j) of one query with y_i > y_j."""
        queries = dataset.query_of_rows
        order = np.lexsort((-dataset.labels, queries))
        labels = dataset.labels[order]
        changes = np.ones(dataset.n_documents + 1, dtype=np.bool_)
        changes[1:-1] = (labels[1:] != labels[:-1]) | (queries[1:] != queries[:-1])
        starts = np.flatnonzero(changes)
        worse = starts[np.cumsum(changes[:-1])]
        ends = dataset.query_offsets[1:]
        counts = np.add.reduceat(
            np.repeat(ends, dataset.query_lengths) - worse, ends - dataset.query_lengths
        )
        return cls(order.astype(np.int64), worse.astype(np.int64), dataset.query_offsets, counts)


@dataclass(frozen=True, eq=False)
class LogisticPairs:
    """1/|P| Σ_{(i,j) ∈ P} log(1 + exp(s_j − s_i)), P all pairs of one query with y_i > y_j."""

    pairs: PreferenceOrder

    @classmethod
    def of(cls, dataset: Dataset) -> LogisticPairs:
        """All pairs of a data set."""
        return cls(PreferenceOrder.of(dataset))

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score; both 0 where there are no pairs."""
        from rankwise.rankers.losses.logistic_pairs_kernel import logistic_pairs

        pairs = self.pairs
        slopes = np.zeros(len(scores))
        weights = np.full(len(pairs.counts), 1.0 / max(1, int(pairs.counts.sum())))
        total = logistic_pairs(
            scores, pairs.order, pairs.worse, pairs.query_offsets, weights, slopes
        )
        return total, slopes


@dataclass(frozen=True, eq=False)
class GainLambdas:
    """1/|Q| Σ_q Σ_{(i,j)} |ΔNDCG_ij| log(1 + exp(s_j − s_i)), the |ΔNDCG| held fixed in slopes."""

    pairs: PreferenceOrder
    gains: DiscountedGains

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and the λ of every document."""
        from rankwise.rankers.losses.logistic_pairs_kernel import gain_lambdas

        pairs, slopes = self.pairs, np.zeros(len(scores))
        total = gain_lambdas(
            scores,
            pairs.order,
            pairs.worse,
            pairs.query_offsets,
            self.gains.gains,
            self.gains.discounts,
            slopes,
        )
        return total / len(pairs.counts), slopes / len(pairs.counts)


@dataclass(frozen=True, eq=False)
class PrecisionLambdas:
    """1/|Q| Σ_q Σ_{(i,j)} |ΔAP_ij| log(1 + exp(s_j − s_i)), the |ΔAP| held fixed in slopes."""

    pairs: PreferenceOrder
    relevant: Floats

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and the λ of every document."""
        from rankwise.rankers.losses.logistic_pairs_kernel import precision_lambdas

        pairs, slopes = self.pairs, np.zeros(len(scores))
        total = precision_lambdas(
            scores, pairs.order, pairs.worse, pairs.query_offsets, self.relevant, slopes
        )
        return total / len(pairs.counts), slopes / len(pairs.counts)


def lambdas(dataset: Dataset, measure: str, tool: str) -> GainLambdas | PrecisionLambdas:
    """The weighted pairs of a data set for NDCG (any cut-off) or MAP, as `tool` has them."""
    wanted = find_tool(tool).measure(measure)
    pairs = PreferenceOrder.of(dataset)
    if wanted.family == "NDCG":
        return GainLambdas(pairs, DiscountedGains.of(dataset, wanted))
    if wanted.family == "AP" and wanted.cutoff is None:
        return PrecisionLambdas(pairs, _relevant(dataset, wanted))
    raise RankwiseError(
        f"lambdas are known for NDCG and MAP, found {measure}; train on one of these and choose "
        "the round by any measure"
    )


def _relevant(dataset: Dataset, measure: Measure) -> Floats:
    labels = seen_labels(dataset, measure)
    threshold = 1.0 if measure.threshold is None else measure.threshold
    found = labels > threshold if measure.strict else labels >= threshold
    return found.astype(np.float64)
