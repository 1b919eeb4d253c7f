"""The methods of a store query by query: means with intervals, and two of them compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance import (
    SystemComparison,
    compare_systems,
    confidence_interval,
)
from rankwise.measures import lower_is_better
from rankwise.results import Store, Subject, name_subjects

Values = NDArray[np.float64]


@dataclass(frozen=True)
class SystemRow:
    """A method: the mean over all queries, and its 95 % interval; NaN where there is none."""

    method: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class StoreQueries:
    """What a store has of one data set by one measure of one tool, query by query."""

    subject: str
    measure: str
    tool: str
    queries: int
    rows: tuple[SystemRow, ...]
    values: Mapping[str, Values]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class StoreChoices:
    """What can be chosen: data sets, and of each its measures and tools."""

    subjects: tuple[str, ...]
    measures: tuple[str, ...]
    tools: tuple[str, ...]


def list_choices(store: Store) -> StoreChoices:
    """Everything that the store has values of, in order of appearance."""
    values = store.values()
    return StoreChoices(
        tuple(name_subjects(Subject.of(one.name) for one in values).values()),
        tuple(dict.fromkeys(one.measure for one in values)),
        tuple(dict.fromkeys(one.tool for one in values)),
    )


def find_queries(store: Store, dataset: str | None, measure: str, tool: str | None) -> StoreQueries:
    """The methods of a data set, best mean first."""
    with store.snapshot():
        subject, own = store.find_subject(dataset)
        found = store.paired(measure, tool or own, subject)
        name = name_subjects(Subject.of(task.name) for task in store.tasks())[subject]
    rows = [_make_row(method, values) for method, values in found.values.items()]
    rows.sort(key=lambda row: row.mean, reverse=not lower_is_better(measure))
    return StoreQueries(
        name, measure, tool or own, len(next(iter(found.values.values()))), tuple(rows),
        found.values, tuple(found.sentences),
    )  # fmt: skip


def compare_two(found: StoreQueries, first: str, second: str) -> SystemComparison:
    """The second method against the first: paired t-test, interval, effect."""
    pair = {first: found.values[first], second: found.values[second]}
    (compared,) = compare_systems({found.measure: pair})
    return compared


def _make_row(method: str, values: Values) -> SystemRow:
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return SystemRow(method, float(values.mean()), float("nan"), float("nan"))
    interval = confidence_interval(known, "t")
    return SystemRow(method, float(known.mean()), interval.low, interval.high)
