"""The ranking of methods: their winning numbers and ranks, per measure and across measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells, IdealRule, average_over_folds, group_cells
from rankwise.comparison.winning_numbers import (
    Certainty,
    Dominance,
    Weighing,
    Weights,
    WinningNumber,
    compute_from_cells,
    describe_uncounted,
    find_pareto_ranks,
    make_weighing,
)
from rankwise.errors import RankwiseError
from rankwise.results.result_table import ResultTable, name_unversioned
from rankwise.tables.notebook import Rows, SmallBar, Tabular, shortened

if TYPE_CHECKING:
    from rankwise.comparison.estimators import EstimatedRanking


@dataclass(frozen=True)
class RankedMethod(WinningNumber):
    """A method's winning numbers and its rank.

    `rank` is 1 plus the number of methods with a higher NWN; `pareto` says that no method
    dominates it, `rank2` that exactly one does.
    """

    rank: int
    pareto: bool
    rank2: bool


@dataclass(frozen=True, eq=False)
class Comparison(Tabular):
    """All facts of one comparison of methods, ready to be printed or drawn.

    Attributes:
        table: the results compared, after averaging over folds.
        measures: the measures compared.
        ideal: the rule for the most wins that a method could have had (see `WinningNumber`).
        dominance: the rule for the Pareto fronts (see `find_pareto_ranks`).
        rows: the ranking across all measures, best first, with fronts of NWN against IWN (Figure 5
            of the paper).
        per_measure: the ranking in each measure, best first, with fronts of NWN against the number
            of data sets (Figures 1 to 4).
        unplaced: methods without any NWN: they share no data set and measure with a rival, or
            nobody could win there.
        cells: the results grouped by data set and measure; `cells.row` are row numbers of `table`.
        remarks: sentences about what was left out and what was not measured alike.
        weights: what counts equally (see `rankwise.comparison.winning_numbers`); `weighing` are the
            parts.
        stores: the stores that results were read from; they know the values of single queries.
        estimated: the ranking by another estimator than NWN, where one was asked for.
    """

    table: ResultTable
    measures: tuple[str, ...]
    ideal: IdealRule
    dominance: Dominance
    rows: tuple[RankedMethod, ...]
    per_measure: dict[str, tuple[RankedMethod, ...]]
    unplaced: tuple[str, ...]
    cells: Cells
    remarks: tuple[str, ...] = ()
    weights: Weights = "results"
    weighing: Weighing | None = None
    stores: tuple[Path, ...] = ()
    estimated: EstimatedRanking | None = None

    def __repr__(self) -> str:
        datasets = len(set(self.cells.dataset.tolist()))
        best = "".join(
            f"; best: {shortened(one.method, 40)}, NWN {one.nwn:.4f}" for one in self.ranking[:1]
        )
        return (
            f"Comparison({len(self.rows)} methods, {datasets} data sets, {len(self.measures)} "
            f"measures{best})"
        )

    @property
    def ranking(self) -> tuple[RankedMethod, ...]:
        """The ranking to print: that of the measure where only one was compared, else `rows`."""
        return self.per_measure[self.measures[0]] if len(self.measures) == 1 else self.rows

    @cached_property
    def by_method(self) -> dict[str, RankedMethod]:
        """The ranking across measures, by method."""
        return {row.method: row for row in self.rows}

    @cached_property
    def unversioned(self) -> NDArray[np.int64]:
        """For each data set of `cells` a number that its versions share.

        Results on versions of one data set are of the same queries and judgements: whatever takes
        data sets as independent (resamples, tests, intervals) goes by these numbers.
        """
        names = name_unversioned(self.table)
        known = {name: number for number, name in enumerate(dict.fromkeys(names.values()))}
        numbers = [known[names[name]] for name in self.cells.datasets]
        return np.array(numbers, dtype=np.int64)

    def front(self, measure: str | None = None) -> tuple[str, ...]:
        """The methods on the Pareto front, best NWN first, in one measure or across all."""
        return tuple(row.method for row in self._rows(measure) if row.pareto)

    def second_front(self, measure: str | None = None) -> tuple[str, ...]:
        """The methods that exactly one other method dominates, best NWN first."""
        return tuple(row.method for row in self._rows(measure) if row.rank2)

    def _rows(self, measure: str | None) -> tuple[RankedMethod, ...]:
        return self.rows if measure is None else self.per_measure[measure]

    def _table(self) -> Rows:
        columns = ("rank", "method", "nwn", "wn", "iwn", "datasets", "pareto", "rank2")
        return columns, (
            (
                row.rank,
                row.method,
                row.nwn,
                row.wn,
                row.iwn,
                row.distinct_datasets,
                row.pareto,
                row.rank2,
            )
            for row in self.ranking
        )

    def _shown(self) -> Rows:
        columns, rows = self._table()
        place = columns.index("nwn")
        drawn = ((*row, SmallBar(float(str(row[place])), 1.0)) for row in rows)
        return (*columns, "nwn, 0 to 1"), drawn


def compare_table(
    table: ResultTable,
    measures: Sequence[str] | None = None,
    ideal: IdealRule = "observed",
    dominance: Dominance = "weak",
    weights: Weights = "results",
) -> Comparison:
    """Compare all methods of one table in the named measures, or in all that it has.

    The table is taken as it is, with folds averaged; `compare` takes results of any kind
    and leaves out runs that are not complete. The defaults follow the figures of Tax, Bockting and
    Hiemstra (2015); `definition` and `strict` follow its words. Costs one sort of the results.
    """
    table = average_over_folds(table)
    cells = group_cells(table)
    chosen = tuple(dict.fromkeys(cells.measures if measures is None else measures))
    if measures is not None:
        cells = cells.of_measures(chosen)
    if len(cells) == 0:
        raise RankwiseError(
            "a comparison needs two methods with results on the same data set in the same measure; "
            f"the table has none in {', '.join(chosen) or 'any measure'}"
        )
    weighing = make_weighing(table, cells, weights)
    rows = _ranked(compute_from_cells(cells, ideal, weighing), "iwn", dominance)
    placed = {row.method for row in rows}
    return Comparison(
        table,
        chosen,
        ideal,
        dominance,
        rows,
        {name: _of_measure(cells, name, ideal, dominance, weighing) for name in chosen},
        tuple(name for name in cells.methods if name not in placed),
        cells,
        tuple(describe_uncounted(cells, weights)),
        weights,
        weighing,
    )


def _of_measure(
    cells: Cells, measure: str, ideal: IdealRule, dominance: Dominance, weighing: Weighing | None
) -> tuple[RankedMethod, ...]:
    points = compute_from_cells(cells.of_measures([measure]), ideal, weighing)
    return _ranked(points, "datasets", dominance)


def _ranked(
    points: list[WinningNumber], axis: Certainty, dominance: Dominance
) -> tuple[RankedMethod, ...]:
    """Winning numbers that are best first, with rank and Pareto rank."""
    fronts = find_pareto_ranks(points, axis, dominance)
    ranks: dict[float, int] = {}
    for place, point in enumerate(points, start=1):
        ranks.setdefault(point.nwn, place)
    return tuple(
        RankedMethod(
            point.method,
            point.wn,
            point.iwn,
            point.nwn,
            point.datasets,
            point.distinct_datasets,
            rank=ranks[point.nwn],
            pareto=fronts[point.method] == 1,
            rank2=fronts[point.method] == 2,
        )
        for point in points
    )
