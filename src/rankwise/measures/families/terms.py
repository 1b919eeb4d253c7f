"""What the literal formulas share: gains, discounts, relevance, written as the papers have them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def gain(label: float, measure: Measure) -> float:
    """g(l): 0 where nobody judged, below 0 and below the threshold."""
    if math.isnan(label) or label < 0:
        return 0.0
    if measure.threshold is not None and not relevant(label, measure):
        return 0.0
    if measure.gain == "linear":
        return float(label)
    return 2.0 ** (math.trunc(label) if measure.gain == "truncated" else label) - 1


def discount(rank: int, measure: Measure) -> float:
    """d(i) of rank i, from 1."""
    if measure.discount == "position":
        return 1 / rank
    if measure.discount == "letor":
        return 1 / math.log2(max(rank, 2))
    return 1 / math.log2(rank + 1)


def relevant(label: float, measure: Measure) -> bool:
    """Whether the label reaches the threshold; NaN, an unjudged document, never does."""
    threshold = -math.inf if measure.threshold is None else measure.threshold
    return bool(label > threshold if measure.strict else label >= threshold)


def count(labels: Iterable[float], measure: Measure) -> int:
    """The number of relevant ones among these labels."""
    return sum(relevant(label, measure) for label in labels)


def relevant_judged(ranked: RankedList, measure: Measure) -> int:
    """R: the number of relevant documents of the query, retrieved or not."""
    return count(ranked.judged, measure)


def empty(measure: Measure) -> float:
    """The value of a query without a relevant document; NaN where it is left out."""
    return math.nan if measure.empty == "skip" else float(measure.empty or 0)


def known(label: float) -> float:
    """The label, 0 for a document that nobody judged."""
    return 0.0 if math.isnan(label) else float(label)
