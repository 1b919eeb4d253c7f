"""A result table as comparison sees it: one cell a data set and measure, its results in order.

Everything about winning follows from one sort: inside a cell a result beats those before its run
of equals and loses to those after it. O(n log n) for n results, and no pair is ever visited. What
is equal depends on how finely values were printed: `rankwise.results.comparability`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.measures.measure import lower_is_better
from rankwise.results.comparability import (
    ROUNDING_ERROR,
    Prints,
    count_lower_and_higher,
    find_higher,
    find_units,
)
from rankwise.results.published.published_tables import find_survey_rows
from rankwise.results.result_table import Codes, ResultTable

Names = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
IdealRule = Literal["observed", "definition"]
IDEAL_RULES: tuple[IdealRule, ...] = ("observed", "definition")


@dataclass(frozen=True, eq=False)
class Cells:
    """Results grouped by cell (data set × measure), rising in value; one entry a result.

    Higher is better: the values of measures where less is better (RMSE) have their sign turned.

    `wins`, `losses` and `ties` count the rivals of the same cell below, above and level with the
    result; `top` is the highest number of wins anyone reached in the cell. Values are compared at
    the coarser of their `prints`. Cells with fewer than two results compare nothing and are not
    here, though their names stay in the name tuples.
    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    measures: tuple[str, ...]
    method: NDArray[np.int64]
    dataset: NDArray[np.int64]
    measure: NDArray[np.int64]
    value: NDArray[np.float64]
    row: NDArray[np.int64]
    wins: NDArray[np.int64]
    losses: NDArray[np.int64]
    ties: NDArray[np.int64]
    top: NDArray[np.int64]
    prints: Prints

    def __len__(self) -> int:
        return len(self.method)

    @property
    def rivals(self) -> NDArray[np.int64]:
        """How many other methods have a result in the cell of each result."""
        return self.wins + self.losses + self.ties

    @property
    def cell(self) -> NDArray[np.int64]:
        """A number for the cell of each result: the same for the same data set and measure."""
        return self.dataset * len(self.measures) + self.measure

    @property
    def bounds(self) -> NDArray[np.int64]:
        """Where each cell begins, and at last the number of results: cells are slices."""
        return np.append(np.flatnonzero(np.diff(self.cell, prepend=-1)), len(self))

    def ideal(self, rule: IdealRule) -> NDArray[np.int64]:
        """The most wins each result could have had: of `top` or of all rivals, by the rule."""
        if rule not in IDEAL_RULES:
            raise RankwiseError(
                f"the ideal rule must be one of {', '.join(IDEAL_RULES)}; found {rule!r}"
            )
        return self.top if rule == "observed" else self.rivals

    def only(self, kept: NDArray[np.bool_]) -> Cells:
        """The comparison among the kept results alone: wins are counted anew."""
        names = (self.methods, self.datasets, self.measures)
        codes = Codes(self.method[kept], self.dataset[kept], self.measure[kept])
        return _counted(names, codes, self.value[kept], self.row[kept], self.prints.take(kept))

    def find_wins(self, start: int, end: int) -> NDArray[np.bool_]:
        """Of the results of one cell, a slice: whether the first of each pair beats the second."""
        return find_higher(self.value[start:end], self.prints.take(slice(start, end)))

    def of_measures(self, measures: Sequence[str]) -> Cells:
        """The cells of the named measures; what happens in other cells is no part of them."""
        wanted = np.array([self.measure_code(name) for name in measures], dtype=np.int64)
        return self.only(np.isin(self.measure, wanted))

    def measure_code(self, name: str) -> int:
        """The code of a measure; an unknown one is an error that names those there are."""
        if name not in self.measures:
            raise RankwiseError(
                f"the table has no results in the measure {name!r}; "
                f"it has {', '.join(self.measures) or 'no results at all'}"
            )
        return self.measures.index(name)

    def per_method(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum a count of every result over the results of each method."""
        # Sums of counts stay far below 2**53, so that the detour through float64 is exact.
        return np.bincount(self.method, counts, len(self.methods)).astype(np.int64)


def group_cells(table: ResultTable) -> Cells:
    """Group and sort the results of `table`; folds are averaged first.

    Two results of one method for the same data set and measure cannot both be compared: an error.
    """
    table = average_over_folds(table)
    names = (tuple(table.methods()), tuple(table.datasets()), tuple(table.measures()))
    _check_single(table, names)
    method, dataset, measure = table.codes()
    signs = np.array([-1.0 if lower_is_better(name) else 1.0 for name in names[2]])
    value = table.value * signs[measure]
    order = np.lexsort((value, measure, dataset))
    codes = Codes(method[order], dataset[order], measure[order])
    prints = _find_prints(table, dataset * len(names[2]) + measure)
    return _counted(names, codes, value[order], order, prints.take(order))


@dataclass(frozen=True, eq=False)
class PartSums:
    """WN and IWN that methods earn in each part of a table, sorted by method and part.

    A part is a data set or a measure; pairs of method and part without a result are absent.
    """

    method: NDArray[np.int64]
    part: NDArray[np.int64]
    wn: NDArray[np.int64]
    iwn: NDArray[np.int64]


def sum_by_part(cells: Cells, part: NDArray[np.int64], ideal: IdealRule) -> PartSums:
    """Sum wins and ideals over the results that share a method and a part of the table."""
    parts = int(part.max(initial=0)) + 1
    keys, inverse = np.unique(cells.method * parts + part, return_inverse=True)
    wn, iwn = (
        np.bincount(inverse, counts, len(keys)).astype(np.int64)
        for counts in (cells.wins, cells.ideal(ideal))
    )
    return PartSums(keys // parts, keys % parts, wn, iwn)


def average_over_folds(table: ResultTable) -> ResultTable:
    """The table itself where no row names a fold, else the means over folds."""
    return table.aggregate_folds() if "fold" in table.columns else table


def _check_single(table: ResultTable, names: Names) -> None:
    method, dataset, measure = table.codes()
    order = np.lexsort((method, measure, dataset))
    facts = np.stack([method[order], dataset[order], measure[order]])
    twice = np.flatnonzero((facts[:, 1:] == facts[:, :-1]).all(axis=0))
    if len(twice):
        first, second = order[twice[0]], order[twice[0] + 1]
        who, where, what = (of[code] for of, code in zip(names, facts[:, twice[0]], strict=True))
        raise RankwiseError(
            f"a method must have one {what} on {where}, but {who} has "
            f"{table.value[first]} (row {first + 1}) and {table.value[second]} (row {second + 1}); "
            "keep one tool, version or source, or merge with a rule for conflicts"
        )


def _find_prints(table: ResultTable, cell: NDArray[np.int64]) -> Prints:
    """How each value was printed; the survey is looked up only where prints differ in a cell."""
    unit = find_units(table)
    finest = np.full(int(cell.max(initial=-1)) + 1, np.inf)
    np.minimum.at(finest, cell, unit)
    if not len(unit) or bool((unit == finest[cell]).all()):
        return Prints(unit, np.zeros(len(unit), dtype=bool))
    return Prints(unit, find_survey_rows(table))


def _counted(
    names: Names,
    codes: Codes,
    value: NDArray[np.float64],
    row: NDArray[np.int64],
    prints: Prints,
) -> Cells:
    """Count wins, losses and ties of results sorted by cell and value; drop lonely results."""
    cell = codes.dataset * len(names[2]) + codes.measure
    begins = np.ones(len(cell), dtype=bool)
    begins[1:] = cell[1:] != cell[:-1]
    first, last = _runs(begins)
    begins[1:] |= np.diff(value) > ROUNDING_ERROR
    level_first, level_last = _runs(begins)
    wins, losses = level_first - first, last - level_last
    _count_mixed(wins, losses, first, last, value, prints)
    kept = last > first
    return Cells(
        *names,
        method=codes.method[kept],
        dataset=codes.dataset[kept],
        measure=codes.measure[kept],
        value=value[kept],
        row=row[kept],
        wins=wins[kept],
        losses=losses[kept],
        ties=(last - first - wins - losses)[kept],
        top=_highest(wins, first, last)[kept],
        prints=prints.take(kept),
    )


def _count_mixed(
    wins: NDArray[np.int64],
    losses: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    value: NDArray[np.float64],
    prints: Prints,
) -> None:
    """Count anew in cells that mix prints, where being level is not passed on from one to another.

    The results of the survey are of one print, since they are compared as they stand.
    """
    unit = np.where(prints.survey, 0.0, prints.unit)
    for start in np.unique(first[unit != unit[first]]).tolist() if len(first) else ():
        part = slice(start, int(last[start]) + 1)
        wins[part], losses[part] = count_lower_and_higher(value[part], prints.take(part))


def _highest(
    wins: NDArray[np.int64], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each place the most wins in its cell."""
    if not len(wins):
        return wins
    starts = np.unique(first)
    lengths = last[starts] - starts + 1
    return np.repeat(np.maximum.reduceat(wins, starts), lengths)


def _runs(begins: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each place the first and the last place of its run; `begins` marks where runs begin."""
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=len(begins))
    first = np.repeat(starts, lengths)
    return first, first + np.repeat(lengths, lengths) - 1
