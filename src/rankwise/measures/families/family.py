"""What a family of measures is: its names, the fields it has, and their textbook values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Family:
    """A family of measures, such as NDCG.

    Attributes:
        name: the canonical name, printed everywhere.
        module: the file in `rankwise.measures.families` that holds its equation.
        title: the name in words.
        cutoff: whether the name may, must or must not end in `@k`.
        fields: the fields that the family has beside the cut-off, with their textbook values.
        aliases: other names in use, lower case (`map` for AP).
        range: the smallest and the largest value on labels that the measure is made for.
        ideal: whether the ideal order of the judged labels is needed.
        citation: where the measure was defined.
    """

    name: str
    module: str
    title: str
    cutoff: Literal["optional", "required", "none"] = "optional"
    fields: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)
    ideal: bool = False
    citation: str = ""
