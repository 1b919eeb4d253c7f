"""The comparison itself: every method's winning numbers and place, per measure and across."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rankwise.comparison.cells import Cells, IdealRule, averaged_over_folds, cells_of
from rankwise.comparison.pareto import Certainty, Dominance, pareto_fronts
from rankwise.comparison.winning_numbers import WinningNumber, winning_numbers_of
from rankwise.errors import RankwiseError
from rankwise.results.table import ResultTable


@dataclass(frozen=True)
class RankedMethod(WinningNumber):
    """A method's winning numbers and its place.

    `rank` is 1 plus the number of methods with a higher NWN; `pareto` says that no method
    dominates it, `rank2` that exactly one does.
    """

    rank: int
    pareto: bool
    rank2: bool


@dataclass(frozen=True, eq=False)
class Comparison:
    """All facts of one comparison, ready to be printed or drawn.

    `rows` are across all compared measures with fronts of NWN against IWN (the paper's Figure 5);
    `per_measure` holds for each measure its own winning numbers with fronts of NWN against the
    number of data sets (Figures 1 to 4). Both best first. `unplaced` are methods of the table
    without any NWN: they share no data set and measure with a rival, or nobody could win there.
    `table` is the one compared, after averaging over folds; `cells.row` are its row numbers.
    """

    table: ResultTable
    measures: tuple[str, ...]
    ideal: IdealRule
    dominance: Dominance
    rows: tuple[RankedMethod, ...]
    per_measure: dict[str, tuple[RankedMethod, ...]]
    unplaced: tuple[str, ...]
    cells: Cells

    @cached_property
    def by_method(self) -> dict[str, RankedMethod]:
        """The rows across measures by method."""
        return {row.method: row for row in self.rows}

    def front(self, measure: str | None = None) -> tuple[str, ...]:
        """Methods on the Pareto front, best NWN first; of one measure or across all."""
        return tuple(row.method for row in self._rows(measure) if row.pareto)

    def second_front(self, measure: str | None = None) -> tuple[str, ...]:
        """Methods that exactly one other dominates, best NWN first."""
        return tuple(row.method for row in self._rows(measure) if row.rank2)

    def _rows(self, measure: str | None) -> tuple[RankedMethod, ...]:
        return self.rows if measure is None else self.per_measure[measure]


def compare(
    table: ResultTable,
    measures: Sequence[str] | None = None,
    ideal: IdealRule = "observed",
    dominance: Dominance = "weak",
) -> Comparison:
    """Compare all methods of `table` in the named measures, or in all it has.

    The defaults follow the figures of Tax, Bockting and Hiemstra (2015); `definition` and `strict`
    follow its words. Costs one sort of the results.
    """
    table = averaged_over_folds(table)
    cells = cells_of(table)
    chosen = tuple(dict.fromkeys(cells.measures if measures is None else measures))
    if measures is not None:
        cells = cells.of_measures(chosen)
    if len(cells) == 0:
        raise RankwiseError(
            "a comparison needs two methods with results on the same data set in the same measure; "
            f"the table has none in {', '.join(chosen) or 'any measure'}"
        )
    rows = _ranked(winning_numbers_of(cells, ideal), "iwn", dominance)
    placed = {row.method for row in rows}
    return Comparison(
        table,
        chosen,
        ideal,
        dominance,
        rows,
        {name: _of_measure(cells, name, ideal, dominance) for name in chosen},
        tuple(name for name in cells.methods if name not in placed),
        cells,
    )


def _of_measure(
    cells: Cells, measure: str, ideal: IdealRule, dominance: Dominance
) -> tuple[RankedMethod, ...]:
    points = winning_numbers_of(cells.of_measures([measure]), ideal)
    return _ranked(points, "datasets", dominance)


def _ranked(
    points: list[WinningNumber], axis: Certainty, dominance: Dominance
) -> tuple[RankedMethod, ...]:
    """Winning numbers that are best first, with rank and Pareto rank."""
    fronts = pareto_fronts(points, axis, dominance)
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
