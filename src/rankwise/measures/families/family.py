"""What a family of measures is: its names, its fields, its equation and what computes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList

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
