"""What a family of measures is: its names, its fields, its equation and what computes it.

`Measure` says what the fields mean that families share; here they have their textbook values. A
measure that is written as a Python function is given a `RankedList`: one query's documents in rank
order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure


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


def relevant(label: float, measure: Measure) -> bool:
    """Whether the label reaches the threshold; NaN, an unjudged document, never does."""
    threshold = -math.inf if measure.threshold is None else measure.threshold
    return bool(label > threshold if measure.strict else label >= threshold)
