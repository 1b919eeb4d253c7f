"""Losses of whole ranked lists: what ListNet and ListMLE minimise, as functions of the scores.

DiscountedGains take NDCG apart: gains of documents over the ideal of their query, discounts of
ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures import computation
from rankwise.measures.computation import make_plan
from rankwise.measures.measure import Measure
from rankwise.measures.tools.registry import find_tool
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.native.arrays import Floats, Integers

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


@dataclass(frozen=True, eq=False)
class DiscountedGains:
    """NDCG@k of a query is Σ_i gains[i] · discounts[rank of i].

    Attributes:
        gains: g(y_i) / ideal DCG@k of the query; 0 where the ideal is 0, or where the tool scores
            the query alike in any order, as LETOR 4.0 does one with fewer documents than k.
        discounts: of ranks from 0 to the longest query's last; 0 beyond the cut-off.
        cutoff: how many ranks have a discount.
    """

    gains: Floats
    discounts: Floats
    cutoff: int

    @classmethod
    def of(cls, dataset: Dataset, measure: Measure) -> DiscountedGains:
        """Gains and discounts as this kind of NDCG has them."""
        longest = int(dataset.query_lengths.max())
        plan = make_plan([measure], longest)
        kind = int(plan.records["discount"][0])
        known = plan.weights[kind] / plan.divisors[kind]
        discounts = np.zeros(longest)
        discounts[: len(known)] = known
        gains = gains_of(dataset, measure)
        ideals = _ideals(dataset, gains, discounts)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = gains / np.repeat(ideals, dataset.query_lengths)
        long_enough = np.repeat(_are_long_enough(dataset, measure), dataset.query_lengths)
        told = np.isfinite(shares) & long_enough
        return cls(np.where(told, shares, 0.0), discounts, len(known))


def refuse_short_queries(dataset: Dataset, measure: Measure, name: str) -> None:
    """Refuse training data whose queries are all too short for their order to count."""
    if not _are_long_enough(dataset, measure).any():
        raise RankwiseError(
            f"{name}: {measure} scores a query with fewer than {measure.cutoff} documents alike in "
            f"any order, so some training query must have that many, found at most "
            f"{dataset.query_lengths.max()}; train on a smaller cut-off or under another tool"
        )


def _are_long_enough(dataset: Dataset, measure: Measure) -> NDArray[np.bool_]:
    """Which queries have enough documents for their order to count."""
    if measure.cutoff is None or measure.short in (None, "cut"):
        return np.ones(dataset.n_queries, dtype=np.bool_)
    return dataset.query_lengths >= measure.cutoff


def find_gain_measure(tool: str) -> Measure:
    """NDCG as a tool has it, as the definition has it where the tool has none."""
    found = find_tool(tool)
    return (found if "NDCG" in found.conventions else find_tool("definition")).measure("NDCG")


def seen_labels(dataset: Dataset, measure: Measure) -> Floats:
    """Labels as the measure sees them: those beyond its table count as 0."""
    if measure.table is None:
        return dataset.labels
    return np.where(dataset.labels > measure.table, 0.0, dataset.labels)


def gains_of(dataset: Dataset, measure: Measure) -> Floats:
    """g(y_i) of every document."""
    return computation.gains_of(dataset.labels, measure)


def _ideals(dataset: Dataset, gains: Floats, discounts: Floats) -> Floats:
    order = np.lexsort((-gains, dataset.query_of_rows))
    starts = dataset.query_offsets[:-1]
    ranks = np.arange(dataset.n_documents) - np.repeat(starts, dataset.query_lengths)
    return np.add.reduceat(gains[order] * discounts[ranks], starts)
