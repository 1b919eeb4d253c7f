"""NDCG taken apart: gains of documents over the ideal of their query, discounts of ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures import computing
from rankwise.measures.measure import Measure
from rankwise.measures.plan import make_plan
from rankwise.measures.tools.registry import find_tool

Floats = NDArray[np.float64]


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
    return computing.gains_of(dataset.labels, measure)


def _ideals(dataset: Dataset, gains: Floats, discounts: Floats) -> Floats:
    order = np.lexsort((-gains, dataset.query_of_rows))
    starts = dataset.query_offsets[:-1]
    ranks = np.arange(dataset.n_documents) - np.repeat(starts, dataset.query_lengths)
    return np.add.reduceat(gains[order] * discounts[ranks], starts)
