"""The logistic loss of pairs: RankNet's, and LambdaRank's with its weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.measure import Measure
from rankwise.measures.tools.registry import find_tool
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, function
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.losses.listwise import DiscountedGains, seen_labels

_PAIRS = (DOUBLES, INT64S, INT64S, INT64S, INT64)
_ROOM = (INT64, INT64, DOUBLES_OUT, INT64S_OUT, INT64S_OUT, DOUBLES_OUT, DOUBLES_OUT)
_gain_lambdas = function("rankwise_gain_lambdas", *_PAIRS, DOUBLES, DOUBLES, *_ROOM, returns=DOUBLE)
_logistic_pairs = function("rankwise_logistic_pairs", *_PAIRS, DOUBLES, DOUBLES_OUT, returns=DOUBLE)
_precision_lambdas = function(
    "rankwise_precision_lambdas", *_PAIRS, DOUBLES, *_ROOM, returns=DOUBLE
)


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
        pairs = self.pairs
        slopes = np.zeros(len(scores))
        weights = np.full(len(pairs.counts), 1.0 / max(1, int(pairs.counts.sum())))
        total = _logistic_pairs(
            scores, pairs.order, pairs.worse, pairs.query_offsets, len(weights), weights, slopes
        )
        return total, slopes


@dataclass(frozen=True, eq=False)
class Lambdas(ABC):
    """Σ_q Σ_{(i,j)} |ΔM_ij| log(1 + exp(s_j − s_i)), the |ΔM| held fixed in derivatives.

    ΔM_ij is what a measure M changes by when i and j swap their ranks.
    """

    pairs: PreferenceOrder

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The mean cost of a query, and the λ of every document in it."""
        total, slopes, _ = self._weigh(scores, normalised=False)
        return total / len(self.pairs.counts), slopes / len(self.pairs.counts)

    def curved_at(self, scores: Floats, *, normalised: bool) -> tuple[Floats, Floats]:
        """Slopes and second derivatives of the sum over queries: what trees follow.

        `normalised` divides each pair by 0.01 + |s_i − s_j| (unless all scores of the query are
        equal) and scales a query whose slopes sum up to L, each by its size, by log2(1 + L) / L,
        as LightGBM does.
        """
        _, slopes, curves = self._weigh(scores, normalised)
        return slopes, curves

    @abstractmethod
    def is_moved(self) -> bool:
        """Whether some order of the documents changes the measure."""

    @abstractmethod
    def _weigh(self, scores: Floats, normalised: bool) -> tuple[float, Floats, Floats]:
        """The sum over queries with its slopes and second derivatives."""

    def _call(
        self, weigh: Any, scores: Floats, normalised: bool, *facts: Floats
    ) -> tuple[float, Floats, Floats]:
        """What a function of the compiled core makes of the scores."""
        pairs = self.pairs
        slopes, curves = np.zeros(len(scores)), np.zeros(len(scores))
        room = int(np.diff(pairs.query_offsets).max())
        total = weigh(
            np.ascontiguousarray(scores, dtype=np.float64),
            pairs.order,
            pairs.worse,
            pairs.query_offsets,
            len(pairs.counts),
            *facts,
            int(normalised),
            room,
            np.empty(2 * room),
            np.empty(2 * room, dtype=np.int64),
            np.empty(len(scores), dtype=np.int64),
            slopes,
            curves,
        )
        return total, slopes, curves


@dataclass(frozen=True, eq=False)
class GainLambdas(Lambdas):
    """The lambdas of NDCG: ΔM_ij = (g_i − g_j) (d(rank of i) − d(rank of j))."""

    gains: DiscountedGains

    def is_moved(self) -> bool:
        """Whether some query has documents of different gain, and ranks of different discount."""
        gains, queries = self.gains.gains, self.pairs.query_offsets[:-1]
        return bool(
            np.any(np.maximum.reduceat(gains, queries) > np.minimum.reduceat(gains, queries))
        )

    def _weigh(self, scores: Floats, normalised: bool) -> tuple[float, Floats, Floats]:
        gains = self.gains
        return self._call(_gain_lambdas, scores, normalised, gains.gains, gains.discounts)


@dataclass(frozen=True, eq=False)
class PrecisionLambdas(Lambdas):
    """The lambdas of average precision."""

    relevant: Floats

    def is_moved(self) -> bool:
        """Whether some query has relevant documents and others."""
        relevant, queries = self.relevant, self.pairs.query_offsets[:-1]
        highest, lowest = (
            np.maximum.reduceat(relevant, queries),
            np.minimum.reduceat(relevant, queries),
        )
        return bool(np.any(highest > lowest))

    def _weigh(self, scores: Floats, normalised: bool) -> tuple[float, Floats, Floats]:
        return self._call(_precision_lambdas, scores, normalised, self.relevant)


def lambdas(dataset: Dataset, measure: str, tool: str) -> Lambdas:
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


def has_gain_lambdas(measure: str, tool: str) -> bool:
    """Whether a measure is some NDCG, whose lambdas are `GainLambdas`."""
    return find_tool(tool).measure(measure).family == "NDCG"


def _relevant(dataset: Dataset, measure: Measure) -> Floats:
    labels = seen_labels(dataset, measure)
    threshold = 1.0 if measure.threshold is None else measure.threshold
    found = labels > threshold if measure.strict else labels >= threshold
    return found.astype(np.float64)
