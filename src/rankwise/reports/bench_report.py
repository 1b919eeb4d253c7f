"""The tables of an experiment: of each data set, of winning numbers.

For a paper the means over folds have margins, marks and the best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from rankwise.comparison.query_values import read_store_tables
from rankwise.comparison.significance_tests.query_table import (
    QueryTable,
    compare_with,
    compute_means,
)
from rankwise.errors import RankwiseError
from rankwise.experiments.benchmark import BenchRun
from rankwise.experiments.summary import DatasetSummary, Row, Wins, count_wins, summarize
from rankwise.files import make_folder, write_text
from rankwise.measures.measure import lower_is_better
from rankwise.results.comparability import keep_comparable
from rankwise.results.result_files import write_results
from rankwise.results.result_table import full_name
from rankwise.results.store.stored_values import make_table
from rankwise.results.task_records import TaskValue
from rankwise.tables.displayed_names import LONGEST, shown
from rankwise.tables.table import Estimate, Table, Value, mark_best

TABLES = ("results.csv", "tables.md")


def write_bench(run: BenchRun, folder: str | Path) -> None:
    """Write the tables of a run into a folder: `results.csv` and `tables.md`."""
    write_tables(run.values, make_folder(folder), remarks=run.choosers())


def write_tables(
    values: Sequence[TaskValue], folder: str | Path, *, remarks: Sequence[str] = ()
) -> None:
    """`results.csv` with every fold and tool, and `tables.md` for reading.

    Winning numbers are over the same folds of all; `tables.md` says what they leave out, and ends
    with the remarks.
    """
    csv, page = (Path(folder) / name for name in TABLES)
    table = make_table(values, all_tools=True)
    write_results(table, csv)
    parts = [format_summary(one) for one in summarize(values, all_tools=True)]
    measures = dict.fromkeys(value.measure for value in values)
    won = [_wins_markdown(measure, count_wins(values, measure)) for measure in measures]
    if any(won):
        left_out = keep_comparable(make_table(values)).remarks
        won += [f"In the winning numbers {sentence}.\n" for sentence in left_out]
    parts += won
    parts += [f"{remark}.\n" for remark in remarks]
    write_text(page, "\n".join(filter(None, parts)))


def title_summary(summary: DatasetSummary) -> str:
    """The data set, its version and whose figures these are."""
    version = f", {summary.version}" if summary.version else ""
    part = "" if summary.part == "test" else f" on {summary.part}"
    return f"{summary.dataset}{version}: means over folds{part}, by the tool {summary.tool}"


def tabulate_summary(
    summary: DatasetSummary, longest: int = LONGEST
) -> tuple[list[str], list[list[str]]]:
    """Titles and rows; a published figure stands behind each measure that has any."""
    known, seeds = has_published(summary), has_seeds(summary)
    titles = ["method", "folds", *(["seeds"] if seeds else [])]
    for measure, published in zip(summary.measures, known, strict=True):
        titles += [measure, "published"] if published else [measure]
    rows = []
    for row in summary.rows:
        line = [shown(row.method, longest), str(row.folds)]
        if seeds:
            line.append("–".join(map(str, dict.fromkeys(row.seeds))))
        for figure, there, published in zip(row.figures, row.published, known, strict=True):
            line += (
                [_format_mean(figure), _format_published(there)]
                if published
                else [_format_mean(figure)]
            )
        rows.append(line)
    return titles, rows


def format_summary(summary: DatasetSummary) -> str:
    """The table of a data set in Markdown."""
    titles, rows = tabulate_summary(summary)
    return f"### {title_summary(summary)}\n\n{_markdown_table(titles, rows)}"


def has_published(summary: DatasetSummary) -> list[bool]:
    """Of each measure, whether any method has a published figure."""
    return [any(row.published[place] is not None for row in summary.rows)
            for place in range(len(summary.measures))]  # fmt: skip


def has_seeds(summary: DatasetSummary) -> bool:
    """Whether any method was run with several seeds."""
    return any(max(row.seeds) > 1 for row in summary.rows)


def _wins_markdown(measure: str, found: Sequence[Wins]) -> str:
    if not found:
        return ""
    titles = ["method", "wins", "of"]
    rows = [[shown(one.method), str(one.here), str(one.possible)] for one in found]
    if any(one.published is not None for one in found):
        titles += ["over published rivals", "published", "of"]
        for row, one in zip(rows, found, strict=True):
            beside = (one.shared, one.published, one.shared_possible)
            row += ["" if number is None else str(number) for number in beside]
    return f"### Winning numbers in {measure}\n\n{_markdown_table(titles, rows)}"


def _markdown_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    ruler = ["---"] + ["---:"] * (len(titles) - 1)
    lines = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in (titles, ruler, *rows))
    return "".join(f"| {line} |\n" for line in lines)


def _format_mean(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _format_published(value: float | None) -> str:
    """A published figure with the decimals that it was printed with: three, or four."""
    if value is None:
        return ""
    return f"{value:.3f}" if round(value, 3) == value else f"{value:.4f}"


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
    rows = tuple(_make_summary_row(summary, row, known, seeds, beside) for row in summary.rows)
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
        for (version, table), measure in _list_tables_and_measures(tables):
            for one in compute_means(table, measure):
                low, high = one.interval.low, one.interval.high
                if low == low:
                    margins[_name_cell(table, version, one.method, measure)] = (high - low) / 2
        notes.append("± is half of the 95 % interval of the mean over the queries.")
    if against is not None:
        marks = _compare_all(tables, against)
        notes.append(
            f"+ better, - worse than {against}: paired t-test over the queries, Holm's correction "
            f"within a measure, p < {LEVEL:g}."
        )
    return SummaryMarks(margins, marks, tuple(notes))


_Tables = Mapping[tuple[str, str | None], QueryTable]


def _list_tables_and_measures(tables: _Tables) -> list[tuple[tuple[str | None, QueryTable], str]]:
    return [
        ((version, table), measure)
        for (_, version), table in tables.items()
        for measure in table.measures
    ]


def _name_cell(table: QueryTable, version: str | None, method: str, measure: str) -> Cell:
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
    for (version, table), measure in _list_tables_and_measures(tables):
        if against not in table.methods:
            continue
        for one in compare_with(table, measure, against):
            if one.significant(LEVEL):
                better = (one.difference > 0) != lower_is_better(measure)
                marks[_name_cell(table, version, one.system, measure)] = "+" if better else "-"
    return marks


def _spread_over_folds(values: Sequence[TaskValue]) -> dict[Cell, float]:
    folds: dict[Cell, dict[int, list[float]]] = {}
    for one in values:
        name = full_name(one.name.collection, one.name.dataset)
        cell = (name, one.name.version, one.tool, one.name.method, one.measure)
        folds.setdefault(cell, {}).setdefault(one.name.fold, []).append(one.value)
    means = {cell: [float(np.mean(seeds)) for seeds in own.values()] for cell, own in folds.items()}
    return {cell: float(np.std(own, ddof=1)) for cell, own in means.items() if len(own) > 1}


def _make_summary_row(
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
