"""The tables of an experiment for a paper: means over folds with margins, marks and the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from rankwise.comparison.query_table import QueryTable, compare_with, compute_means
from rankwise.errors import RankwiseError
from rankwise.evaluation.query_tables import read_store_tables
from rankwise.experiments.summary import DatasetSummary, Row
from rankwise.measures.names import lower_is_better
from rankwise.reports.experiment_tables import has_published, has_seeds, title_summary
from rankwise.reports.table_formats import Estimate, Table, Value
from rankwise.reports.table_shapes import mark_best
from rankwise.results.result_table import full_name
from rankwise.results.task_records import TaskValue

Margin = Literal["folds", "queries"]
MARGINS: tuple[Margin, ...] = ("folds", "queries")
LEVEL = 0.05

Cell = tuple[str, str | None, str, str, str]
"""Full name of a data set, its version, tool, method and measure."""


@dataclass(frozen=True)
class SummaryMarks:
    """What stands beside the means of a summary: margins and marks, by cell, and what they are."""

    margins: Mapping[Cell, float] = field(default_factory=dict)
    marks: Mapping[Cell, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def make_summary_table(summary: DatasetSummary, marks: SummaryMarks | None = None) -> Table:
    """All methods on one data set; the best of every measure is marked, published ones beside."""
    beside = marks or SummaryMarks()
    known, seeds = has_published(summary), has_seeds(summary)
    keys = ["method", "folds", *(["seeds"] if seeds else [])]
    titles = ["Method", "Folds", *(["Seeds"] if seeds else [])]
    for measure, published in zip(summary.measures, known, strict=True):
        keys += [measure, f"{measure} published"] if published else [measure]
        titles += [measure, "published"] if published else [measure]
    rows = tuple(_make_row(summary, row, known, seeds, beside) for row in summary.rows)
    table = Table(tuple(keys), tuple(titles), rows, title_summary(summary), notes=beside.notes)
    return mark_best(table, {one: lower_is_better(one) for one in summary.measures})


def mark_summaries(
    store: str | Path,
    values: Sequence[TaskValue],
    against: str | None = None,
    margin: Margin | None = None,
) -> SummaryMarks:
    """Margins and significance marks for the means of a store.

    Args:
        store: where the values per query are.
        values: the figures of its tasks, of which margins over folds are taken.
        against: the method to compare with, by the paired t-test with Holm's correction; + is
            better, - worse at 5 %.
        margin: `folds` for the standard deviation over folds, `queries` for half of the 95 %
            interval over the queries.
    """
    notes = []
    margins: dict[Cell, float] = {}
    marks: dict[Cell, str] = {}
    tables = read_store_tables(store) if against is not None or margin == "queries" else {}
    if margin == "folds":
        margins = _spread_over_folds(values)
        notes.append("± is the standard deviation over folds.")
    elif margin == "queries":
        for (version, table), measure in _pairs(tables):
            for one in compute_means(table, measure):
                low, high = one.interval.low, one.interval.high
                if low == low:
                    margins[_cell(table, version, one.method, measure)] = (high - low) / 2
        notes.append("± is half of the 95 % interval of the mean over the queries.")
    if against is not None:
        marks = _compare_all(tables, against)
        notes.append(
            f"+ better, - worse than {against}: paired t-test over the queries, Holm's correction "
            f"within a measure, p < {LEVEL:g}."
        )
    return SummaryMarks(margins, marks, tuple(notes))


_Tables = Mapping[tuple[str, str | None], QueryTable]


def _pairs(tables: _Tables) -> list[tuple[tuple[str | None, QueryTable], str]]:
    return [
        ((version, table), measure)
        for (_, version), table in tables.items()
        for measure in table.measures
    ]


def _cell(table: QueryTable, version: str | None, method: str, measure: str) -> Cell:
    name = full_name(table.collection, table.dataset)
    return (name, version, table.tool, method, measure)


def _compare_all(tables: _Tables, against: str) -> dict[Cell, str]:
    there = {name for table in tables.values() for name in table.methods}
    if against not in there:
        raise RankwiseError(
            f"the method to compare with must be one of {', '.join(sorted(there)) or 'none'}; "
            f"found {against!r}"
        )
    marks: dict[Cell, str] = {}
    for (version, table), measure in _pairs(tables):
        if against not in table.methods:
            continue
        for one in compare_with(table, measure, against):
            if one.significant(LEVEL):
                better = (one.difference > 0) != lower_is_better(measure)
                marks[_cell(table, version, one.system, measure)] = "+" if better else "-"
    return marks


def _spread_over_folds(values: Sequence[TaskValue]) -> dict[Cell, float]:
    folds: dict[Cell, dict[int, list[float]]] = {}
    for one in values:
        name = full_name(one.name.collection, one.name.dataset)
        cell = (name, one.name.version, one.tool, one.name.method, one.measure)
        folds.setdefault(cell, {}).setdefault(one.name.fold, []).append(one.value)
    means = {cell: [float(np.mean(seeds)) for seeds in own.values()] for cell, own in folds.items()}
    return {cell: float(np.std(own, ddof=1)) for cell, own in means.items() if len(own) > 1}


def _make_row(
    summary: DatasetSummary, row: Row, known: Sequence[bool], seeds: bool, beside: SummaryMarks
) -> tuple[Value, ...]:
    cells: list[Value] = [row.method, row.folds]
    if seeds:
        cells.append("–".join(map(str, dict.fromkeys(row.seeds))))
    figures = zip(summary.measures, row.figures, row.published, known, strict=True)
    for measure, figure, published, shown_too in figures:
        cell = (summary.dataset, summary.version, summary.tool, row.method, measure)
        margin, mark = beside.margins.get(cell), beside.marks.get(cell, "")
        cells.append(None if figure is None else Estimate(figure, margin, mark))
        if shown_too:
            cells.append(published)
    return tuple(cells)
