"""Measures of judged scores: the value of every measure for every query, and their averages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.measures.computing import evaluate_lists, make_lists, tie_mode
from rankwise.measures.judged import JudgedScores
from rankwise.measures.measure import Measure, find_family
from rankwise.measures.plan import make_plan
from rankwise.measures.ranking import priorities
from rankwise.measures.reading import ToolRefusal
from rankwise.measures.tie_extremes import find_worth, refuse_extremes, tie_worth

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
        reason = refuse_extremes(measure, judged)
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
    kept = np.where(np.isfinite(values), values, 0.0)
    return float(np.sqrt(_sum(kept * kept * lengths) / documents)) if documents else float("nan")
