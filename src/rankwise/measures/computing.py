"""The pass over ranked lists: every query is sorted once, all measures are taken from that order.

Flat arrays in, `out[measure, query]` out. The work is C's (evaluating.c and a file beside each
family); large data are split over threads by query. Measures that are Python functions follow,
list by list.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.measures.function_values import fill_values, refuse_open_ties
from rankwise.measures.measure import Measure
from rankwise.measures.plan import ABSENT, RECORD, MeasurePlan, make_plan
from rankwise.measures.ranking import NONE, raise_if_failed
from rankwise.native import (
    ADDRESS,
    DOUBLES,
    DOUBLES_OUT,
    INT64,
    INT64S,
    function,
)
from rankwise.processors import processors

__all__ = [
    "ABSENT",
    "EXPECTED",
    "NONE",
    "STRICT",
    "UNDEFINED",
    "Lists",
    "evaluate_candidates",
    "evaluate_lists",
    "gains_of",
    "make_lists",
    "tie_mode",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROWS_WORTH_A_THREAD = 200_000

STRICT, EXPECTED, UNDEFINED = 0, 1, 2


class Lists(NamedTuple):
    """The input of a pass, flat.

    Rows offsets[q] … offsets[q] + retrieved[q] - 1 are the documents of query q that have scores;
    the rest up to offsets[q + 1] are judged but were not retrieved. `ideal_of[q]` is the query
    whose judged documents make the ideal list of q, nearly always q itself; `ideal_labels`, where
    it is not empty, holds their labels.
    """

    labels: Floats
    scores: Floats
    priority: Floats
    offsets: Integers
    retrieved: Integers
    ideal_of: Integers
    ideal_labels: Floats


def tie_mode(rule: str | None) -> int:
    """How a pass treats ties under a rule of `rankwise.measures.ranking`."""
    return {"expected": EXPECTED, "undefined": UNDEFINED}.get(rule or "input", STRICT)


def make_lists(
    labels: Floats,
    scores: Floats,
    offsets: Integers,
    *,
    priority: Floats = NONE,
    retrieved: Integers | None = None,
    ideal_of: Integers | None = None,
    ideal_labels: Floats | None = None,
) -> Lists:
    """The input of a pass, as arrays of the kinds that C reads."""
    return Lists(
        _doubles(labels),
        _doubles(scores),
        _doubles(priority),
        _integers(offsets),
        _integers(np.diff(offsets) if retrieved is None else retrieved),
        _integers(np.arange(len(offsets) - 1) if ideal_of is None else ideal_of),
        NONE if ideal_labels is None else _doubles(ideal_labels),
    )


def evaluate_lists(lists: Lists, plan: MeasurePlan, tie_mode: int = STRICT) -> Floats:
    """The value of every measure of the plan for every query: (measures, queries).

    A query that a measure leaves out is NaN (`SKIPPED`); one that has no value of its own but
    counts as 0 in the mean is -inf (`ABSENT`).
    """
    values: Floats = evaluate_candidates(lists, plan, tie_mode, lists.scores[np.newaxis])[0]
    return values


def evaluate_candidates(lists: Lists, plan: MeasurePlan, tie_mode: int, scores: Floats) -> Floats:
    """As `evaluate_lists` under many vectors of scores: (candidates, measures, queries).

    `scores` is (candidates, documents); those of `lists` are not read. What does not depend on
    the scores, such as the ideal list of a query, is computed once.
    """
    queries, documents = len(lists.offsets) - 1, len(lists.labels)
    candidates = np.ascontiguousarray(scores, np.float64)
    priority, ideal_labels = _doubles(lists.priority), _doubles(lists.ideal_labels)
    _check(lists, candidates)
    if tie_mode == EXPECTED:
        refuse_open_ties(plan)
    out = np.empty((len(candidates), len(plan.records), queries))

    def work(first: int, last: int) -> None:
        raise_if_failed(
            _evaluate(
                first,
                last,
                queries,
                documents,
                lists.offsets,
                lists.retrieved,
                lists.ideal_of,
                lists.labels,
                _optional(priority),
                _optional(ideal_labels),
                plan.records.ctypes.data,
                RECORD.itemsize,
                len(plan.records),
                plan.gains,
                plan.weights,
                plan.divisors,
                plan.weights.shape[1],
                tie_mode,
                candidates,
                len(candidates),
                out,
            )
        )

    _over_threads(work, lists.offsets, len(candidates))
    if plan.functions:
        undefined = tie_mode == UNDEFINED
        for vector, values in zip(candidates, out, strict=True):
            fill_values(lists._replace(scores=vector), plan, values, undefined_ties=undefined)
    return out


def gains_of(labels: Floats, measure: Measure) -> Floats:
    """The gain of every label under a measure that has gains; beyond its table they are 0."""
    plan = make_plan([measure], 1)
    known = _doubles(labels)
    if measure.table is not None:
        known = np.where(known > measure.table, 0.0, known)
    gains = np.empty(len(known))
    _gains(known, len(known), plan.records.ctypes.data, plan.gains, gains)
    return gains


def _doubles(array: Floats) -> Floats:
    return np.ascontiguousarray(array, dtype=np.float64)


def _integers(array: Integers) -> Integers:
    return np.ascontiguousarray(array, dtype=np.int64)


def _optional(array: Floats) -> int | None:
    """The address of an array that may be missing."""
    return array.ctypes.data if len(array) else None


def _check(lists: Lists, candidates: Floats) -> None:
    """Whether all arrays have the lengths that C goes by; it looks at the offsets itself."""
    queries, documents = len(lists.offsets) - 1, len(lists.labels)
    if (
        queries < 0
        or candidates.shape[1:] != (documents,)
        or len(lists.retrieved) != queries
        or len(lists.ideal_of) != queries
        or len(lists.priority) not in (0, documents)
        or len(lists.ideal_labels) not in (0, documents)
    ):
        raise ValueError("the arrays of the lists must have the same length")


def _over_threads(work: Callable[[int, int], None], offsets: Integers, candidates: int) -> None:
    """Run `work(first, last)` on ranges of queries with about equally many rows."""
    rows = int(offsets[-1])
    parts = max(1, min(processors(), rows * candidates // ROWS_WORTH_A_THREAD))
    if parts == 1:
        work(0, len(offsets) - 1)
        return
    cuts = np.searchsorted(offsets, np.linspace(0, rows, parts + 1)[1:-1])
    bounds = [0, *cuts.tolist(), len(offsets) - 1]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(parts) as pool:
        for done in [pool.submit(work, *part) for part in pairwise(bounds)]:
            done.result()


_evaluate = function(
    "rankwise_evaluate",
    *(INT64, INT64, INT64, INT64, INT64S, INT64S, INT64S, DOUBLES, ADDRESS, ADDRESS),
    *(ADDRESS, INT64, INT64, DOUBLES, DOUBLES, DOUBLES, INT64),
    *(INT64, DOUBLES, INT64, DOUBLES_OUT),
    returns=INT64,
)
_gains = function("rankwise_gains", DOUBLES, INT64, ADDRESS, DOUBLES, DOUBLES_OUT)
