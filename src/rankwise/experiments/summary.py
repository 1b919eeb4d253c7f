"""The table of an experiment: means over folds, beside what was published, and winning numbers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.comparison.winning_numbers import WinningNumber, compute_winning_numbers
from rankwise.data.catalog.entries import (
    find_published_folds,
    find_published_tools,
    find_published_version,
)
from rankwise.measures.measure import lower_is_better
from rankwise.results.comparability import group_seeds, keep_comparable
from rankwise.results.published.published_tables import read_shipped
from rankwise.results.result_table import ResultTable, full_name, separate_versions_of
from rankwise.results.store.stored_values import escape_names, make_table
from rankwise.results.task_records import Subject, TaskName, TaskValue
from rankwise.tables.notebook import Rows, Tabular, shortened


@dataclass(frozen=True)
class Row:
    """One method on one data set: per measure the mean over folds, and the published figure.

    `seeds` is the number of seeds in the fold that has fewest, and in the one that has most.
    """

    method: str
    folds: int
    figures: tuple[float | None, ...]
    published: tuple[float | None, ...]
    seeds: tuple[int, int] = (1, 1)


@dataclass(frozen=True)
class DatasetSummary(Tabular):
    """All methods on one data set under one tool, best in the first measure first."""

    dataset: str
    version: str | None
    tool: str
    part: str
    measures: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def subject(self) -> tuple[str, str | None, str]:
        """The data set, its version and the tool: what this is a summary of."""
        return self.dataset, self.version, self.tool

    def __repr__(self) -> str:
        best = f", best {self.rows[0].method}" if self.rows else ""
        return shortened(f"{len(self.rows)} methods on {self.dataset} by {self.tool}{best}")

    def _table(self) -> Rows:
        return ("method", "folds", *self.measures), [
            (row.method, row.folds, *row.figures) for row in self.rows
        ]


def summarize(means: Sequence[TaskValue], *, all_tools: bool = False) -> list[DatasetSummary]:
    """A summary for every data set, version and tool in order of appearance.

    Means are over the folds and seeds that are there; `Row.folds` and `Row.seeds` tell how many
    those are. Published figures are means of all folds on test of LETOR's own version, and stand
    beside such means only.
    """
    table = make_table(means, all_tools=all_tools)
    subjects = dict.fromkeys(zip(table.dataset_names, table.version, table.tool, strict=True))
    part = means[0].part if means else "test"
    runs: dict[Subject, list[TaskName]] = {}
    for mean in means:
        # As the table names them.
        name = escape_names(mean.name)
        runs.setdefault(Subject.of(name), []).append(name)
    seeds: _Seeds = {
        (full_name(subject.collection, subject.dataset), subject.version, method): [
            len(found) for found in own.values()
        ]
        for subject, names in runs.items()
        for method, own in group_seeds(names).items()
    }
    return [_make_summary(table, part, seeds, *subject) for subject in subjects]


_Seeds = dict[tuple[str, str | None, str], Collection[int]]


@dataclass(frozen=True)
class Wins:
    """Winning numbers of a method: over all rivals here, and over those that were published too.

    `shared` and `published` are counted over the same data sets and rivals, in the figures made
    here and in the published ones; None where the method has no published figure.
    """

    method: str
    here: int
    possible: int
    shared: int | None = None
    published: int | None = None
    shared_possible: int | None = None


def count_wins(means: Sequence[TaskValue], measure: str) -> list[Wins]:
    """Winning numbers in one measure over all data sets, as in Figures 4 and 5 of LETOR.

    What is not over the same folds is left out (`keep_comparable`); see `count_table_wins`.
    """
    own = [one for one in means if one.measure == measure]
    table = keep_comparable(make_table(own)).aggregate_folds(partial=True)
    return count_table_wins(table, measure)


def count_table_wins(table: ResultTable, measure: str) -> list[Wins]:
    """Winning numbers in one measure, here and published, of a table of means over folds.

    A version counts as a data set of its own where there are several. LETOR draws the figures
    without printing them; those published are counted from the official results that Jiang and
    Lin (2014) reprint.
    """
    table = table.where(measure=measure)
    if not len(table):
        return []
    printed = read_shipped().where(measure=measure, dataset=table.datasets())
    table, printed = separate_versions_of(table, printed)
    common = _list_cells(table) & _list_cells(printed)
    ours = {
        _simplify_name(one.method): one
        for one in _count_winning(_keep_cells(table, common), measure)
    }
    theirs = {
        _simplify_name(one.method): one
        for one in _count_winning(_keep_cells(printed, common), measure)
    }
    found = []
    for one in _count_winning(table, measure):
        mine, other = ours.get(_simplify_name(one.method)), theirs.get(_simplify_name(one.method))
        beside = (mine.wn, other.wn, mine.iwn) if mine and other else ()
        found.append(Wins(one.method, one.wn, one.iwn, *beside))
    return found


def _list_cells(table: ResultTable) -> set[tuple[str, str]]:
    return set(zip(map(_simplify_name, table.method), table.dataset_names, strict=True))


def _keep_cells(table: ResultTable, cells: set[tuple[str, str]]) -> ResultTable:
    pairs = zip(map(_simplify_name, table.method), table.dataset_names, strict=True)
    return table.take(np.array([pair in cells for pair in pairs], dtype=np.bool_))


def _count_winning(table: ResultTable, measure: str) -> list[WinningNumber]:
    """Winning numbers; none where there is nobody to win against."""
    if len(table.methods()) < 2:
        return []
    return compute_winning_numbers(table, measure, "definition")


def _make_summary(
    table: ResultTable, part: str, seeds: _Seeds, dataset: str, version: str | None, tool: str
) -> DatasetSummary:
    own = table.where(dataset=dataset, version=version, tool=tool)
    measures = tuple(own.measures())
    folds = {method: len(set(own.where(method=method).fold)) for method in own.methods()}
    cells = _index_cells(own.aggregate_folds(partial=True))
    subject = own.collection[0], own.dataset[0]
    # Published figures come from LETOR's own scripts: beside another tool's they would mislead.
    comparable = part == "test" and tool in find_published_tools(*subject)
    comparable &= version in (None, find_published_version(*subject))
    all_folds = find_published_folds(*subject)
    known = _find_published(dataset) if comparable and all_folds else {}
    counts = {method: seeds[dataset, version, method] for method in own.methods()}
    rows = [
        Row(
            method,
            folds[method],
            tuple(cells.get((method, measure)) for measure in measures),
            tuple(
                known.get((_simplify_name(method), measure))
                if folds[method] >= (all_folds or 0)
                else None
                for measure in measures
            ),
            (min(counts[method]), max(counts[method])),
        )
        for method in own.methods()
    ]
    sign = 1.0 if measures and lower_is_better(measures[0]) else -1.0
    rows.sort(key=lambda row: (sign * (row.figures[0] or 0.0), row.method))
    return DatasetSummary(dataset, version, tool, part, measures, tuple(rows))


def _index_cells(table: ResultTable) -> dict[tuple[str, str], float]:
    keys = zip(table.method.tolist(), table.measure.tolist(), strict=True)
    return dict(zip(keys, table.value.tolist(), strict=True))


def _find_published(dataset: str) -> dict[tuple[str, str], float]:
    cells = _index_cells(read_shipped().where(dataset=dataset))
    return {(_simplify_name(method), measure): value for (method, measure), value in cells.items()}


def _simplify_name(method: str) -> str:
    """`AdaRank-MAP`, `adarank map` and `adarank-map` are one method."""
    return method.lower().replace(" ", "-")
