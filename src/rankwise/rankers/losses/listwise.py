"""Losses of whole ranked lists: what ListNet and ListMLE minimise, as functions of the scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_QUERIES = (INT64S, INT64)
_top_one_cross_entropy = function(
    "rankwise_top_one_cross_entropy", DOUBLES, DOUBLES, *_QUERIES, DOUBLES_OUT, returns=DOUBLE
)
_order_likelihood = function(
    "rankwise_order_likelihood", DOUBLES, INT64S, *_QUERIES, DOUBLES, DOUBLES_OUT, DOUBLES_OUT,
    returns=DOUBLE,
)  # fmt: skip

TARGETS = ("softmax", "share", "gain")


class Loss(Protocol):
    """A cost of the scores of one data set that only their differences within queries decide."""

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""


@dataclass(frozen=True, eq=False)
class LossFrom:
    """A loss of what is added to scores that are already `reached`."""

    loss: Loss
    reached: Floats

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost of both together, and its slope in every score."""
        return self.loss.at(self.reached + scores)


@dataclass(frozen=True, eq=False)
class TopOneCrossEntropy:
    """1/|Q| Σ_q −Σ_i t_i log(exp(s_i) / Σ_k exp(s_k)), over the queries Q that have targets t.

    Attributes:
        targets: the chance of each document to be first; all of a query are 0 where it has none.
        query_offsets: as in the data set.
        queries: |Q|.
    """

    targets: Floats
    query_offsets: Integers
    queries: int

    @classmethod
    def of(cls, dataset: Dataset, target: str) -> TopOneCrossEntropy:
        """Targets φ(y_i) / Σ φ(y_k): `softmax`, φ = exp(y), `share`, φ = y, `gain`, φ = 2^y − 1.

        A query whose masses φ sum to 0 has no shares and is left out.
        """
        lengths, starts = dataset.query_lengths, dataset.query_offsets[:-1]
        if target != "softmax" and dataset.labels.min() < 0.0:
            raise RankwiseError(
                "shares of labels or gains need labels of at least 0, found "
                f"{dataset.labels.min():g}; use the softmax of the labels instead"
            )
        masses = dataset.labels
        if target == "softmax":
            masses = np.exp(masses - np.repeat(np.maximum.reduceat(masses, starts), lengths))
        elif target == "gain":
            # 2^(y − top) − 2^(−top) has the same shares and no label is too large for it.
            top = float(masses.max(initial=0.0))
            masses = np.exp2(masses - top) - np.exp2(-top)
        sums = np.add.reduceat(masses, starts)
        with np.errstate(invalid="ignore"):
            shares = masses / np.repeat(sums, lengths)
        targets = np.where(np.repeat(sums > 0.0, lengths), shares, 0.0)
        return cls(targets, dataset.query_offsets, max(1, int(np.count_nonzero(sums > 0.0))))

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        slopes, queries = np.empty(len(scores)), len(self.query_offsets) - 1
        total = _top_one_cross_entropy(scores, self.targets, self.query_offsets, queries, slopes)
        return total / self.queries, slopes / self.queries


@dataclass(frozen=True, eq=False)
class OrderLikelihood:
    """Σ_q v_q Σ_i −log(exp(s_o(i)) / Σ_{k ≥ i} exp(s_o(k))), o the order of falling labels.

    v_q = 1 / (|Q| n_q) for a query of n_q documents: the mean over the queries of a document's
    mean cost. Labels leave many orders open; the cost is the mean over some drawn at random.

    Attributes:
        orders: (draws, documents): the rows of each query, best first.
        query_offsets: as in the data set.
        query_weights: v_q divided by the number of draws.
    """

    orders: Integers
    query_offsets: Integers
    query_weights: Floats

    @classmethod
    def of(cls, dataset: Dataset, draws: int, rng: np.random.Generator) -> OrderLikelihood:
        """Orders by falling label, equal labels in an order drawn anew each time."""
        queries = dataset.query_of_rows
        orders = [
            np.lexsort((rng.random(dataset.n_documents), -dataset.labels, queries))
            for _ in range(draws)
        ]
        shares = dataset.query_lengths.astype(np.float64) * dataset.n_queries * draws
        return cls(np.array(orders, dtype=np.int64), dataset.query_offsets, 1.0 / shares)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        slopes, tails = np.zeros(len(scores)), np.empty(len(scores))
        queries = len(self.query_offsets) - 1
        total = 0.0
        for order in self.orders:
            total += _order_likelihood(
                scores, order, self.query_offsets, queries, self.query_weights, tails, slopes
            )
        return total, slopes


@dataclass(frozen=True, eq=False)
class CentredSquares:
    """1/n Σ_i (s_i − g_i)², both counted from their means in the query, over all n documents."""

    goals: Floats
    query_offsets: Integers

    @classmethod
    def of(cls, dataset: Dataset, goals: Floats) -> CentredSquares:
        """The squared distance from `goals`, one per document."""
        return cls(centred(goals, dataset.query_offsets), dataset.query_offsets)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        errors = centred(scores, self.query_offsets) - self.goals
        return float((errors * errors).mean()), errors * (2.0 / len(errors))


def centred(values: Floats, query_offsets: Integers) -> Floats:
    """The values less their mean in the query."""
    lengths = np.diff(query_offsets)
    means = np.add.reduceat(values, query_offsets[:-1]) / lengths
    return values - np.repeat(means, lengths)
