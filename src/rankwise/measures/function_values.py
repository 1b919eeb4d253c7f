"""Measures that are Python functions: one call for every ranked list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.measures.families.family import Function
from rankwise.measures.measure import Measure
from rankwise.measures.plan import ABSENT, SKIPPED, MeasurePlan
from rankwise.measures.ranked_list import RankedList
from rankwise.measures.ranking import ranked_rows

if TYPE_CHECKING:
    from rankwise.measures.computing import Lists

Floats = NDArray[np.float64]


def fill_values(lists: Lists, plan: MeasurePlan, values: Floats, *, undefined_ties: bool) -> None:
    """Put the values of the plan's Python functions into values[measure, query].

    With `undefined_ties` a query with equal scores has no value.
    """
    rows = ranked_rows(lists.scores, lists.offsets, lists.priority, lists.retrieved)
    for query in range(len(lists.offsets) - 1):
        start = int(lists.offsets[query])
        order = rows[start : start + int(lists.retrieved[query])]
        tied = undefined_ties and len(np.unique(lists.scores[order])) < len(order)
        for number, function in plan.functions.items():
            measure = plan.measures[number]
            values[number, query] = (
                SKIPPED if tied else _value(lists, query, order, measure, function)
            )


def refuse_open_ties(plan: MeasurePlan) -> None:
    """A function sees one order of the documents: it has no mean over all of them."""
    for number in plan.functions:
        raise RankwiseError(
            f"{plan.measures[number].family} is a Python function of one ranked list and cannot "
            "leave ties open; choose another tie rule than 'expected'"
        )


def _value(
    lists: Lists, query: int, order: NDArray[np.int64], measure: Measure, function: Function
) -> float:
    if measure.short not in (None, "cut") and (measure.cutoff or 0) > len(order):
        return 0.0 if measure.short == "zero" else ABSENT
    try:
        found: Any = function(_ranked_list(lists, query, order, measure))
        return float(found)
    # A function is anybody's code: whatever it raises, the sentence about it is the same.
    except Exception as error:
        from rankwise.registry import describe_failure

        raise RankwiseError(
            f"the measure {measure.family} fails on query number {query + 1} with "
            f"{describe_failure(error)}; it must return a number for every ranked list"
        ) from error


def _ranked_list(
    lists: Lists, query: int, order: NDArray[np.int64], measure: Measure
) -> RankedList:
    kept = order[: measure.cutoff]
    ideal_labels = lists.ideal_labels if len(lists.ideal_labels) else lists.labels
    return RankedList(
        labels=lists.labels[kept].tolist(),
        scores=lists.scores[kept].tolist(),
        judged=_descending(lists.labels, lists.offsets, query),
        ideal=_descending(ideal_labels, lists.offsets, int(lists.ideal_of[query])),
        cutoff=measure.cutoff,
        retrieved=len(order),
        measure=measure,
    )


def _descending(labels: Floats, offsets: NDArray[np.int64], query: int) -> list[float]:
    known = labels[offsets[query] : offsets[query + 1]]
    found: list[float] = np.sort(known[~np.isnan(known)])[::-1].tolist()
    return found
