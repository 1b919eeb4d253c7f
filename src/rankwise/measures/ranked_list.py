"""One query's documents in rank order: what a measure written as a Python function is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure


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
