"""Measures of judged scores: the value of every measure for every query, and their averages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.measures.computation import (
    evaluate_lists,
    find_worth,
    gains_of,
    make_lists,
    make_plan,
    refuse_extremes,
    tie_mode,
    tie_worth,
)
from rankwise.measures.document_order import priorities
from rankwise.measures.families.family import UNBOUNDED
from rankwise.measures.measure import Measure, find_family, gain_table
from rankwise.measures.tool import ToolRefusal

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores

Floats = NDArray[np.float64]


def measure_values(
    judged: JudgedScores, measures: Sequence[Measure], ideal_of: NDArray[np.int64] | None = None
) -> Floats:
    """(measures, queries): NaN where a query is left out, `ABSENT` where it only counts as 0.

    Measures that share an order are computed in one pass. `ideal_of[q]` names the query whose
    documents make the ideal list of q, by default q itself.
    """
    values = np.empty((len(measures), judged.n_queries))
    for order, numbers in _by_order(measures).items():
        chosen = [measures[number] for number in numbers]
        values[numbers] = _one_pass(judged, order, chosen, ideal_of)
    for number, measure in enumerate(measures):
        _round(values[number], measure)
    return values


def average(values: Floats, measure: Measure, judged: JudgedScores) -> float:
    """The figure over all queries; NaN where there is none.

    Sums run in the order of the queries, one by one, as the tools add them.
    """
    absent = np.isneginf(values)
    kept = values[~np.isnan(values) & ~absent]
    if measure.average == "sum":
        return _sum(kept)
    if measure.average == "pooled":
        return _pooled(values, judged)
    if measure.average == "geometric":
        kept = np.log(np.maximum(kept, SMALLEST_IN_GEOMETRIC_MEAN))
    count = len(kept) + int(absent.sum())
    if count == 0:
        return float("nan")
    mean = _sum(kept) / count
    return float(np.exp(mean)) if measure.average == "geometric" else mean


SMALLEST_IN_GEOMETRIC_MEAN = 0.00001


def refuse_measure(measure: Measure, judged: JudgedScores, *, tied: bool = False) -> str | None:
    """Why this measure has no value on these documents, whatever the tool, or None.

    With `tied` some of the scores are taken to be equal.
    """
    return _refuse_gains(measure, judged) or refuse_extremes(measure, judged, tied=tied)


def _refuse_gains(measure: Measure, judged: JudgedScores) -> str | None:
    """That sums of gains leave the doubles: a share of an infinite one is 0 or nothing at all.

    A measure without bounds, as DCG, is then infinite, which is seen.
    """
    if measure.gain is None or find_family(measure.family).range == UNBOUNDED:
        return None
    labels = judged.labels if judged.ideal_labels is None else judged.ideal_labels
    largest = float(np.nanmax(labels, initial=0.0))
    listed = gain_table(measure.gain)[0]
    ends = np.array([largest, *(float(label) for label in listed if label <= largest)])
    with np.errstate(over="ignore"):
        gains = np.abs(gains_of(ends, measure))
        if np.isfinite(np.max(gains) * np.max(judged.lengths, initial=1)):
            return None
    label = ends[np.argmax(gains)]
    return (
        f"{measure.family} adds up gains, and that of label {label:g} is beyond what a number can "
        f"hold (gain={measure.gain}); take gain=linear, or smaller labels"
    )


class _Order(NamedTuple):
    ties: str
    comparison: str
    table: int | None
    worth: Measure | None = None


def _by_order(measures: Sequence[Measure]) -> dict[_Order, list[int]]:
    groups: dict[_Order, list[int]] = {}
    unordered = []
    for number, measure in enumerate(measures):
        if measure.ties is None and not find_family(measure.family).reads_scores:
            unordered.append(number)
            continue
        order = _Order(
            measure.ties or "input",
            measure.comparison or "double",
            measure.table,
            find_worth(measure),
        )
        groups.setdefault(order, []).append(number)
    for number in unordered:
        table = measures[number].table
        shared = next((order for order in groups if order.table == table), None)
        groups.setdefault(shared or _Order("input", "double", table), []).append(number)
    return groups


def _one_pass(
    judged: JudgedScores,
    order: _Order,
    measures: Sequence[Measure],
    ideal_of: NDArray[np.int64] | None,
) -> Floats:
    labels = _within_table(judged.labels, order.table)
    for measure in measures:
        reason = refuse_measure(measure, judged)
        if reason is not None:
            raise ToolRefusal(reason)
    scores = _compared(judged, order.comparison)
    offsets = judged.query_offsets
    lists = make_lists(
        labels,
        scores,
        offsets,
        priority=priorities(
            order.ties,
            tie_worth(order.worth, labels),
            scores,
            offsets,
            judged.document_ids,
            judged.retrieved,
        ),
        retrieved=judged.retrieved,
        ideal_of=ideal_of,
        ideal_labels=judged.ideal_labels,
    )
    longest = int(np.max(judged.lengths, initial=0))
    return evaluate_lists(lists, make_plan(measures, longest), tie_mode(order.ties))


def _within_table(labels: Floats, table: int | None) -> Floats:
    if table is None or not np.any(labels > table):
        return labels
    return np.where(labels > table, 0.0, labels)


def _compared(judged: JudgedScores, comparison: str) -> Floats:
    """Numbers that compare as the tool compares the scores."""
    if comparison == "single":
        with np.errstate(over="ignore"):
            return judged.scores.astype(np.float32).astype(np.float64)
    if comparison == "perl" and judged.large_integers:
        return _integer_places(judged)
    return judged.scores


def _integer_places(judged: JudgedScores) -> Floats:
    """The place of each score among all, where large whole numbers differ as integers do."""
    exact = [
        (score, judged.large_integers.get(row, 0))
        for row, score in enumerate(judged.scores.tolist())
    ]
    places = {pair: place for place, pair in enumerate(sorted(set(exact)))}
    return np.array([places[pair] for pair in exact], dtype=np.float64)


def _round(values: Floats, measure: Measure) -> None:
    if measure.rounding in (None, "none"):
        return
    if measure.rounding == "single":
        values[:] = values.astype(np.float32)
        return
    kept = np.isfinite(values)
    values[kept] = [float(f"{value:.{measure.rounding}f}") for value in values[kept]]


def _sum(values: Floats) -> float:
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _pooled(values: Floats, judged: JudgedScores) -> float:
    lengths = judged.retrieved_lengths
    documents = int(lengths.sum()) + judged.surplus_scores
    # An infinite value stays one: the mean shows it.
    kept = np.where(np.isnan(values) | np.isneginf(values), 0.0, values)
    with np.errstate(over="ignore"):
        total = _sum(np.where(lengths > 0, kept * kept * lengths, 0.0))
    return float(np.sqrt(total / documents)) if documents else float("nan")
