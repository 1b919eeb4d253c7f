"""What a family of measures is: its names, its fields, its equation and what computes it.

`Measure` says what the fields mean that families share; here they have their textbook values. A
measure that is written as a Python function is given a `RankedList`: one query's documents in rank
order. What the literal formulas share, gains, discounts and relevance, is written as the papers
have it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure


Formula = Callable[["RankedList", "Measure"], float]
Function = Callable[["RankedList"], float]


@dataclass(frozen=True)
class Family:
    """A family of measures, such as NDCG.

    Attributes:
        name: the canonical name, printed everywhere.
        title: the name in words.
        compute: what computes it: the name of a C function (in the file beside the family's), a
            Python function of one ranked list, or None for a measure that is only known from
            publications.
        formula: the equation in plain Python, slow and obvious. Tests compare the C function with
            it; a Python function needs none beside it.
        cutoff: whether the name may or must not end in `@k`.
        fields: the fields that the family has beside the cut-off, with their textbook values.
        denominators: the values that a field `denominator` may have, the textbook's first.
        aliases: other names in use, in tools and in publications, lower case (`map` for AP).
        mean_name: the name of its mean over queries in tables (`MAP` for AP), where it has one.
        range: the smallest and the largest value on labels that the measure is made for.
        lower_is_better: whether the smaller of two values is the better one.
        reads_scores: whether the scores themselves count, not only the order they give.
        citation: where the measure was defined.
    """

    name: str
    title: str
    compute: str | Function | None = None
    formula: Formula | None = None
    cutoff: Literal["optional", "none"] = "optional"
    fields: Mapping[str, Any] = field(default_factory=dict)
    denominators: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    mean_name: str = ""
    range: tuple[float, float] = (0.0, 1.0)
    lower_is_better: bool = False
    reads_scores: bool = False
    citation: str = ""


Fields = Mapping[str, Any]

ORDER: Fields = {"ties": "input", "comparison": "double"}
AVERAGING: Fields = {"average": "mean", "rounding": "none"}
GRADED: Fields = {"gain": "exponential", "table": None, "empty": 0.0, "short": "cut"}
BINARY: Fields = {"threshold": 1.0, "table": None, "empty": 0.0}

DISCOUNTED: Fields = {**GRADED, "discount": "log2", "threshold": None, **ORDER, **AVERAGING}
RELEVANT: Fields = {**BINARY, "short": "cut", **ORDER, **AVERAGING}
RELEVANT_WHOLE: Fields = {**BINARY, **ORDER, **AVERAGING}
PAIRED: Fields = {"table": None, "empty": "skip", **ORDER, **AVERAGING}
UNORDERED: Fields = {**BINARY, **AVERAGING}
COUNTED: Fields = {"threshold": 1.0, "table": None, "average": "sum", "rounding": "none"}

UNBOUNDED = (0.0, float("inf"))

TREC_BOOK = "Buckley and Voorhees, TREC: Experiment and Evaluation, chapter 3, 2005"
LETOR = "Qin, Liu, Xu and Li, Information Retrieval 13(4), 2010"


@dataclass(frozen=True)
class RankedList:
    """The documents of one query, best first, up to the cut-off.

    Attributes:
        labels: their labels in rank order; NaN for a document that nobody judged.
        scores: their scores, in the same order.
        judged: all judged labels of the query in descending order, retrieved or not.
        ideal: the labels that make the ideal list, descending: nearly always `judged`.
        cutoff: only so many documents count; None is the whole list.
        retrieved: how many documents the list had before it was cut.
        measure: what is asked for, with all its fields.
    """

    labels: Sequence[float]
    scores: Sequence[float]
    judged: Sequence[float]
    ideal: Sequence[float]
    cutoff: int | None
    retrieved: int
    measure: Measure


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
