"""The compiled pass: every query is sorted once, and all measures are taken from that order.

Flat arrays in, `out[measure, query]` out. Large data are split over threads by query (the kernels
run without the interpreter lock); scratch is a few lists as long as the longest query per thread.
This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled
from rankwise.measures.kernels.average_precision import average_precision
from rankwise.measures.kernels.best import best
from rankwise.measures.kernels.bpref import bpref
from rankwise.measures.kernels.counts import counted
from rankwise.measures.kernels.expected_reciprocal_rank import expected_reciprocal_rank
from rankwise.measures.kernels.f1 import f1
from rankwise.measures.kernels.hits import hits
from rankwise.measures.kernels.interpolated_precision import (
    eleven_point,
    interpolated_precision,
)
from rankwise.measures.kernels.kendall_tau import kendall_tau
from rankwise.measures.kernels.mean_ndcg import mean_ndcg
from rankwise.measures.kernels.ndcg import dcg, ndcg
from rankwise.measures.kernels.pairwise_accuracy import pairwise_accuracy
from rankwise.measures.kernels.precision import precision
from rankwise.measures.kernels.r_precision import r_precision
from rankwise.measures.kernels.rank_biased_precision import rank_biased_precision
from rankwise.measures.kernels.ranked import MeasureRecord, RankedQuery, Tables
from rankwise.measures.kernels.recall import recall
from rankwise.measures.kernels.reciprocal_rank import reciprocal_rank
from rankwise.measures.kernels.root_mean_square_error import root_mean_square_error
from rankwise.measures.kernels.set_measures import set_measure
from rankwise.measures.kernels.success import success
from rankwise.measures.kernels.winner_takes_all import winner_takes_all
from rankwise.measures.plan import ABSENT, Plan
from rankwise.measures.ranking import NONE, rank_query, read_only, sort_descending
from rankwise.processors import processors

ROWS_WORTH_A_THREAD = 200_000
_LEVELS = 64

STRICT, EXPECTED, UNDEFINED = 0, 1, 2
# Families up to this code have a pass of their own, so that nobody who asks only for them waits
# for the rest to be compiled.
LAST_FREQUENT = 12


class Lists(NamedTuple):
    """The input of a pass, flat.

    Rows offsets[q] … offsets[q] + retrieved[q] - 1 are the documents of query q that have scores;
    the rest up to offsets[q + 1] are judged but were not retrieved. `ideal_of[q]` is the query
    whose judged documents make the ideal list of q, nearly always q itself; `ideal_labels`, where
    it is not empty, holds their labels.
    """

    labels: NDArray[np.float64]
    scores: NDArray[np.float64]
    priority: NDArray[np.float64]
    offsets: NDArray[np.int64]
    retrieved: NDArray[np.int64]
    ideal_of: NDArray[np.int64]
    ideal_labels: NDArray[np.float64]


def make_lists(
    labels: NDArray[np.float64],
    scores: NDArray[np.float64],
    offsets: NDArray[np.int64],
    *,
    priority: NDArray[np.float64] = NONE,
    retrieved: NDArray[np.int64] | None = None,
    ideal_of: NDArray[np.int64] | None = None,
    ideal_labels: NDArray[np.float64] | None = None,
) -> Lists:
    """The input of a pass as arrays of one kind, so that it is compiled once."""
    return Lists(
        read_only(labels),
        read_only(scores),
        read_only(priority),
        read_only(offsets, np.int64),
        read_only(np.diff(offsets) if retrieved is None else retrieved, np.int64),
        read_only(np.arange(len(offsets) - 1) if ideal_of is None else ideal_of, np.int64),
        read_only(NONE if ideal_labels is None else ideal_labels),
    )


class Scratch(NamedTuple):
    """Room for one query at a time; a thread has its own."""

    labels: NDArray[np.float64]
    keys: NDArray[np.float64]
    rows: NDArray[np.int64]
    ends: NDArray[np.int64]
    judged: NDArray[np.float64]
    ideal: NDArray[np.float64]
    work: NDArray[np.float64]
    counts: NDArray[np.int64]


def evaluate_lists(lists: Lists, plan: Plan, tie_mode: int = STRICT) -> NDArray[np.float64]:
    """The value of every measure of the plan for every query: (measures, queries).

    A query that a measure leaves out is NaN (`SKIPPED`); one that has no value of its own but
    counts as 0 in the mean is -inf (`ABSENT`).
    """
    queries = len(lists.offsets) - 1
    out = np.empty((len(plan.records), queries))
    tables = Tables(plan.gains, plan.weights, plan.divisors)
    longest = int(np.max(np.diff(lists.offsets), initial=0))
    rare = bool(np.any(plan.records["family"] > LAST_FREQUENT))
    run = evaluate_range if rare else evaluate_frequent_range

    def work(first: int, last: int) -> None:
        run(first, last, lists, plan.records, tables, tie_mode, make_scratch(longest), out)

    _over_threads(work, lists.offsets)
    return out


def make_scratch(longest: int) -> Scratch:
    """Scratch for lists of up to `longest` documents."""
    return Scratch(
        labels=np.empty(longest),
        keys=np.empty(2 * longest),
        rows=np.empty(2 * longest, np.int64),
        ends=np.arange(1, longest + 1, dtype=np.int64),
        judged=np.empty(longest),
        ideal=np.empty(longest),
        work=np.empty(2 * longest + 2),
        counts=np.empty(_LEVELS, np.int64),
    )


def _over_threads(work: Callable[[int, int], None], offsets: NDArray[np.int64]) -> None:
    """Run `work(first, last)` on ranges of queries with about equally many rows."""
    rows = int(offsets[-1])
    parts = max(1, min(processors(), rows // ROWS_WORTH_A_THREAD))
    cuts = np.searchsorted(offsets, np.linspace(0, rows, parts + 1)[1:-1])
    bounds = [0, *cuts.tolist(), len(offsets) - 1]
    if parts == 1:
        work(0, len(offsets) - 1)
        return
    with ThreadPoolExecutor(parts) as pool:
        for done in [pool.submit(work, *part) for part in pairwise(bounds)]:
            done.result()


@compiled
def evaluate_frequent_range(
    first: int,
    last: int,
    lists: Lists,
    records: NDArray[np.void],
    tables: Tables,
    tie_mode: int,
    scratch: Scratch,
    out: NDArray[np.float64],
) -> None:
    """As `evaluate_range`, for measures of the families up to `LAST_FREQUENT`."""
    for q in range(first, last):
        query = rank(lists, q, tie_mode, scratch)
        undefined = tie_mode == UNDEFINED and _has_ties(query)
        for m in range(len(records)):
            out[m, q] = np.nan if undefined else frequent_value(query, records[m], tables)


@compiled
def evaluate_range(
    first: int,
    last: int,
    lists: Lists,
    records: NDArray[np.void],
    tables: Tables,
    tie_mode: int,
    scratch: Scratch,
    out: NDArray[np.float64],
) -> None:
    """Evaluate queries first … last - 1 into `out`."""
    for q in range(first, last):
        query = rank(lists, q, tie_mode, scratch)
        undefined = tie_mode == UNDEFINED and _has_ties(query)
        for m in range(len(records)):
            out[m, q] = np.nan if undefined else value(query, records[m], tables)


@compiled
def rank(lists: Lists, q: int, tie_mode: int, scratch: Scratch) -> RankedQuery:
    """Sort query q into the scratch and return it as a `RankedQuery`."""
    start = lists.offsets[q]
    size = lists.retrieved[q]
    rank_query(lists.scores, lists.priority, start, size, scratch.keys, scratch.rows)
    for i in range(size):
        scratch.labels[i] = lists.labels[scratch.rows[i]]
    if tie_mode == EXPECTED:
        _mark_ends(scratch.keys, size, scratch.ends)
    n_judged = descending_labels(lists.labels, start, lists.offsets[q + 1], scratch, scratch.judged)
    ideal = scratch.judged
    n_ideal = n_judged
    other = lists.ideal_of[q]
    if other != q or len(lists.ideal_labels) > 0:
        labels = lists.ideal_labels if len(lists.ideal_labels) > 0 else lists.labels
        begin, end = lists.offsets[other], lists.offsets[other + 1]
        n_ideal = descending_labels(labels, begin, end, scratch, scratch.ideal)
        ideal = scratch.ideal
    return RankedQuery(
        scratch.labels,
        scratch.keys,
        scratch.ends,
        scratch.judged,
        ideal,
        scratch.work,
        size,
        n_judged,
        n_ideal,
    )


@compiled
def _mark_ends(keys: Any, size: int, ends: Any) -> None:
    end = size
    for i in range(size - 1, -1, -1):
        if i + 1 < size and keys[i] != keys[i + 1]:
            end = i + 1
        ends[i] = end


@compiled
def _has_ties(query: RankedQuery) -> bool:
    ties = 0
    for i in range(1, query.retrieved):
        ties += query.scores[i] == query.scores[i - 1]
    return ties > 0


@compiled
def descending_labels(labels: Any, start: int, end: int, scratch: Scratch, out: Any) -> int:
    """Put the judged labels of rows start … end - 1 into `out`, descending; return their number.

    Whole labels below 64 are counted; others are sorted.
    """
    counts = scratch.counts
    counts[:] = 0
    size = 0
    for row in range(start, end):
        label = labels[row]
        if not (label >= 0.0 and label < _LEVELS and label == int(label)):
            if label != label:
                continue
            return _sorted_labels(labels, start, end, scratch, out)
        counts[int(label)] += 1
    for level in range(_LEVELS - 1, -1, -1):
        for _ in range(counts[level]):
            out[size] = level
            size += 1
    return size


@compiled
def _sorted_labels(labels: Any, start: int, end: int, scratch: Scratch, out: Any) -> int:
    # The row numbers were used up when the labels were put in rank order; `work` has the room
    # that sorting needs, so that the ranked scores in `keys` survive.
    size = 0
    for row in range(start, end):
        if labels[row] == labels[row]:
            scratch.work[size] = labels[row]
            size += 1
    sort_descending(scratch.work[: len(scratch.rows)], scratch.rows, 0, size)
    for i in range(size):
        out[i] = scratch.work[i]
    return size


@compiled
def value(query: RankedQuery, measure: MeasureRecord, tables: Tables) -> float:
    """One measure of one ranked query; the codes are places in the registry of families."""
    if measure.family <= LAST_FREQUENT:
        return frequent_value(query, measure, tables)
    if measure.short > 0 and measure.cutoff > query.retrieved:
        return 0.0 if measure.short == 1 else ABSENT
    return _rare_value(measure.family, query, measure)


@compiled
def frequent_value(query: RankedQuery, measure: MeasureRecord, tables: Tables) -> float:
    """As `value`, for the families up to `LAST_FREQUENT`."""
    code = measure.family
    if measure.short > 0 and measure.cutoff > query.retrieved:
        return 0.0 if measure.short == 1 else ABSENT
    if code == 0:
        return ndcg(query, measure, tables)
    if code == 1:
        return dcg(query, measure, tables)
    if code == 2:
        return mean_ndcg(query, measure, tables)
    if code == 3:
        return precision(query, measure)
    if code == 4:
        return average_precision(query, measure)
    if code == 5:
        return reciprocal_rank(query, measure)
    if code == 6:
        return expected_reciprocal_rank(query, measure, tables)
    if code == 7:
        return recall(query, measure)
    if code == 8:
        return success(query, measure)
    if code == 9:
        return hits(query, measure)
    if code == 10:
        return f1(query, measure)
    if code == 11:
        return r_precision(query, measure)
    return rank_biased_precision(query, measure)


@compiled
def _rare_value(code: int, query: RankedQuery, measure: MeasureRecord) -> float:
    if code == 13:
        return bpref(query, measure)
    if code == 14:
        return pairwise_accuracy(query, measure)
    if code == 15:
        return kendall_tau(query, measure)
    if code == 16:
        return winner_takes_all(query, measure)
    if code == 17:
        return best(query, measure)
    if code == 18:
        return interpolated_precision(query, measure)
    if code == 19:
        return eleven_point(query, measure)
    if code < 24:
        return set_measure(query, measure, code - 20)
    if code == 24:
        return root_mean_square_error(query)
    return counted(query, measure, code - 25)
