"""How well two lists of scores agree: in their values, and in the orders that they give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_FIRST = 10


@dataclass(frozen=True)
class ScoreAgreement:
    """Scores of a model beside those of its export.

    Attributes:
        rows: how many scores.
        equal: how many have the same value; NaN equals NaN.
        greatest_difference: among those that are finite on both sides.
        unlike: how many are finite on one side only, or infinite in different ways.
        largest_score: of the model, in absolute value, among those that are finite.
    """

    rows: int
    equal: int
    greatest_difference: float
    unlike: int
    largest_score: float


@dataclass(frozen=True)
class OrderChanges:
    """Queries whose documents stand in another order by the export's scores than by the model's.

    Attributes:
        queries: how many there are.
        changed: those with any change.
        first_ten_changed: those whose first ten documents, or their order, are others.
    """

    queries: int
    changed: int
    first_ten_changed: int


def compare_scores(expected: Floats, found: Floats) -> ScoreAgreement:
    """How many are equal, and by how much the others differ."""
    equal = (expected == found) | (np.isnan(expected) & np.isnan(found))
    finite = np.isfinite(expected) & np.isfinite(found)
    differences = np.abs(expected[finite] - found[finite])
    return ScoreAgreement(
        rows=len(expected),
        equal=int(equal.sum()),
        greatest_difference=float(differences.max(initial=0.0)),
        unlike=int((~finite & ~equal).sum()),
        largest_score=float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)),
    )


def count_order_changes(
    query_offsets: NDArray[np.int64], expected: Floats, found: Floats
) -> OrderChanges:
    """Compare the orders of every query; tied documents keep the order of the data."""
    changed = first_ten = 0
    for ours, theirs in _orders(query_offsets, expected, found):
        changed += not np.array_equal(ours, theirs)
        first_ten += not np.array_equal(ours[:_FIRST], theirs[:_FIRST])
    return OrderChanges(len(query_offsets) - 1, changed, first_ten)


def _orders(
    query_offsets: NDArray[np.int64], expected: Floats, found: Floats
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    for start, end in pairwise(query_offsets.tolist()):
        yield (
            np.argsort(-expected[start:end], kind="stable"),
            np.argsort(-found[start:end], kind="stable"),
        )
