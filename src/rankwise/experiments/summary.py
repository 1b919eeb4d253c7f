"""The table of an experiment: means over folds, beside what was published, and winning numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankwise.comparison.winning_numbers import WinningNumber, winning_numbers
from rankwise.literature.shipped import shipped
from rankwise.results.metrics import lower_is_better
from rankwise.results.store_reading import Mean, table_of
from rankwise.results.table import ResultTable

LETOR_FOLDS = 5


@dataclass(frozen=True)
class Row:
    """One method on one data set: per measure the mean over folds, and the published figure."""

    method: str
    folds: int
    figures: tuple[float | None, ...]
    published: tuple[float | None, ...]


@dataclass(frozen=True)
class DatasetSummary:
    """All methods on one data set under one tool, best in the first measure first."""

    dataset: str
    version: str | None
    tool: str
    part: str
    measures: tuple[str, ...]
    rows: tuple[Row, ...]


def summarize(means: Sequence[Mean], *, all_tools: bool = False) -> list[DatasetSummary]:
    """A summary for every data set, version and tool in order of appearance.

    Means are over the folds that are there; `Row.folds` tells how many those are. Published
    figures are means of five folds on test, and stand beside such means only.
    """
    table = table_of(means, all_tools=all_tools)
    subjects = dict.fromkeys(zip(table.dataset_names, table.version, table.tool, strict=True))
    part = means[0].part if means else "test"
    return [_summary(table, part, *subject) for subject in subjects]


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


def wins(means: Sequence[Mean], measure: str) -> list[Wins]:
    """Winning numbers in one measure over all data sets, as in Figures 4 and 5 of LETOR.

    LETOR draws the figures without printing them; those published are counted from the official
    results that Jiang and Lin (2014) reprint.
    """
    table = table_of(means).aggregate_folds(partial=True)
    if not len(table):
        return []
    table = table.where(metric=measure)
    printed = shipped().where(metric=measure, dataset=table.datasets())
    common = _cell_names(table) & _cell_names(printed)
    ours = {_plain(one.method): one for one in _winning(_only(table, common), measure)}
    theirs = {_plain(one.method): one for one in _winning(_only(printed, common), measure)}
    found = []
    for one in _winning(table, measure):
        mine, other = ours.get(_plain(one.method)), theirs.get(_plain(one.method))
        beside = (mine.wn, other.wn, mine.iwn) if mine and other else ()
        found.append(Wins(one.method, one.wn, one.iwn, *beside))
    return found


def _cell_names(table: ResultTable) -> set[tuple[str, str]]:
    return set(zip(map(_plain, table.method), table.dataset_names, strict=True))


def _only(table: ResultTable, cells: set[tuple[str, str]]) -> ResultTable:
    pairs = zip(map(_plain, table.method), table.dataset_names, strict=True)
    return table.take(np.array([pair in cells for pair in pairs], dtype=np.bool_))


def _winning(table: ResultTable, measure: str) -> list[WinningNumber]:
    """Winning numbers; none where there is nobody to win against."""
    if len(table.methods()) < 2:
        return []
    return winning_numbers(table, measure, "definition")


def _summary(
    table: ResultTable, part: str, dataset: str, version: str | None, tool: str
) -> DatasetSummary:
    own = table.where(dataset=dataset, version=version, tool=tool)
    measures = tuple(own.metrics())
    folds = {method: len(set(own.where(method=method).fold)) for method in own.methods()}
    cells = _cells(own.aggregate_folds(partial=True))
    # Published figures come from LETOR's own scripts: beside another tool's they would mislead.
    comparable = part == "test" and tool in ("letor3", "letor4")
    known = _published(dataset) if comparable else {}
    rows = [
        Row(
            method,
            folds[method],
            tuple(cells.get((method, measure)) for measure in measures),
            tuple(
                known.get((_plain(method), measure)) if folds[method] >= LETOR_FOLDS else None
                for measure in measures
            ),
        )
        for method in own.methods()
    ]
    sign = 1.0 if measures and lower_is_better(measures[0]) else -1.0
    rows.sort(key=lambda row: (sign * (row.figures[0] or 0.0), row.method))
    return DatasetSummary(dataset, version, tool, part, measures, tuple(rows))


def _cells(table: ResultTable) -> dict[tuple[str, str], float]:
    keys = zip(table.method.tolist(), table.metric.tolist(), strict=True)
    return dict(zip(keys, table.value.tolist(), strict=True))


def _published(dataset: str) -> dict[tuple[str, str], float]:
    cells = _cells(shipped().where(dataset=dataset))
    return {(_plain(method), measure): value for (method, measure), value in cells.items()}


def _plain(method: str) -> str:
    """`AdaRank-MAP`, `adarank map` and `adarank-map` are one method."""
    return method.lower().replace(" ", "-")
