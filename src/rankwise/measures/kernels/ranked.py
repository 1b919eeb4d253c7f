"""One query's documents in rank order, as the compiled families see them, and what they share.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled


class RankedQuery(NamedTuple):
    """A query after sorting; the arrays are scratch and longer than the query.

    Attributes:
        labels: labels in rank order, NaN where a document was never judged.
        scores: scores in rank order.
        ends: for each rank the end of its tie group; rank + 1 in a strict order.
        judged: all judged labels of the query in descending order, retrieved or not.
        ideal: the labels that make the ideal list, descending (nearly always `judged`).
        work: room for a family's own sums, twice as long as the longest query and two more.
        retrieved, n_judged, n_ideal: how much of the arrays counts.
    """

    labels: NDArray[np.float64]
    scores: NDArray[np.float64]
    ends: NDArray[np.int64]
    judged: NDArray[np.float64]
    ideal: NDArray[np.float64]
    work: NDArray[np.float64]
    retrieved: int
    n_judged: int
    n_ideal: int


class MeasureRecord(Protocol):
    """A measure as numbers: a record of `rankwise.measures.plan.RECORD`."""

    family: int
    cutoff: int
    gain: int
    gain_rule: int
    monotone: int
    discount: int
    threshold: float
    strict: int
    empty: float
    short: int
    denominator: int
    scale: float
    persistence: float
    level: float
    level_rule: int


class Tables(NamedTuple):
    """What no document should have to compute: gains of whole labels and discounts of ranks.

    The term of rank i (from 0) is `gain * weights[d, i] / divisors[d, i]`: two tables, because
    the LETOR scripts multiply by ln 2 and then divide by ln i, and print all digits of the result.
    """

    gains: NDArray[np.float64]
    weights: NDArray[np.float64]
    divisors: NDArray[np.float64]


@compiled
def is_relevant(label: float, measure: MeasureRecord) -> bool:
    """Whether the label reaches the threshold; an unjudged document (NaN) never does."""
    if measure.strict:
        return label > measure.threshold
    return label >= measure.threshold


@compiled
def gain_of(label: float, measure: MeasureRecord, tables: Tables) -> float:
    """The gain of a label: from the table where it is a small whole number.

    The table holds 0 for labels below the threshold; a negative label has no gain.
    """
    if label >= 0.0 and label < tables.gains.shape[1]:
        whole = np.uint64(label)
        if label == whole:
            return float(tables.gains[measure.gain, whole])
    return _computed_gain(label, measure)


@compiled
def _computed_gain(label: float, measure: MeasureRecord) -> float:
    if label < 0.0 or not is_relevant(label, measure) or measure.gain_rule == 3:
        return 0.0
    if measure.gain_rule == 0:
        return float(2.0**label) - 1.0
    if measure.gain_rule == 2:
        return float(2.0 ** np.trunc(label)) - 1.0
    return label


@compiled
def within(measure: MeasureRecord, length: int) -> int:
    """How many of `length` documents the cut-off lets through."""
    return length if measure.cutoff == 0 else min(measure.cutoff, length)


@compiled
def count_relevant(query: RankedQuery, measure: MeasureRecord) -> int:
    """R: the number of relevant documents among all judged ones."""
    count = 0
    for i in range(query.n_judged):
        if not is_relevant(query.judged[i], measure):
            break
        count += 1
    return count


@compiled
def relevant_between(query: RankedQuery, measure: MeasureRecord, first: int, last: int) -> int:
    """The number of relevant documents at ranks first … last - 1 (from 0)."""
    count = 0
    for i in range(first, last):
        count += is_relevant(query.labels[i], measure)
    return count


@compiled
def hits_within(query: RankedQuery, measure: MeasureRecord, limit: int) -> float:
    """Relevant documents among the first `limit`: exact, or expected where ties are open.

    A tie group of m documents with r relevant ones, of which j ranks lie within the limit, is
    expected to bring j r / m.
    """
    hits = 0.0
    start = 0
    while start < limit:
        end = query.ends[start]
        if end <= limit:
            hits += relevant_between(query, measure, start, end)
        else:
            relevant = relevant_between(query, measure, start, end)
            hits += (limit - start) * relevant / (end - start)
        start = end
    return hits


@compiled
def discounted_gain(
    query: RankedQuery, measure: MeasureRecord, tables: Tables, limit: int
) -> float:
    """DCG of the ranked list; a tie group spreads its mean gain over its ranks."""
    total = 0.0
    weights = tables.weights[measure.discount]
    divisors = tables.divisors[measure.discount]
    start = 0
    while start < limit:
        end = query.ends[start]
        if end == start + 1:
            gain = gain_of(query.labels[start], measure, tables)
            total += gain * weights[start] / divisors[start]
        else:
            gain = mean_gain(query, measure, tables, start, end)
            for i in range(start, min(end, limit)):
                total += gain * weights[i] / divisors[i]
        start = end
    return total


@compiled
def mean_gain(
    query: RankedQuery, measure: MeasureRecord, tables: Tables, start: int, end: int
) -> float:
    """The mean gain of a tie group."""
    total = 0.0
    for i in range(start, end):
        total += gain_of(query.labels[i], measure, tables)
    return total / (end - start)


@compiled
def ideal_gains(query: RankedQuery, measure: MeasureRecord, tables: Tables, limit: int) -> None:
    """Put the `limit` largest gains of the ideal list into `query.work`, descending.

    Gains rise with labels except in a table of the user's own, which is sorted here.
    """
    count = limit if measure.monotone else query.n_ideal
    for i in range(count):
        gain = gain_of(query.ideal[i], measure, tables)
        j = i
        while j > 0 and query.work[j - 1] < gain:
            query.work[j] = query.work[j - 1]
            j -= 1
        query.work[j] = gain
