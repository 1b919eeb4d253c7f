"""Grids of a comparison: the heat map of its sparse table, and who beats whom."""

from __future__ import annotations

import numpy as np

from rankwise.comparison.ranking import Comparison
from rankwise.comparison.win_matrix import count_wins
from rankwise.measures.names import sort_measures
from rankwise.reports.figures import GridCell, GridColumn, HeatMap, Matrix
from rankwise.reports.names import natural_key
from rankwise.reports.own_methods import find_own_methods

MOST_ROWS = 100
MOST_COLUMNS = 120
MOST_RIVALS = 24


def make_heat_map(comparison: Comparison) -> HeatMap:
    """Every result as the share of its rivals that it beats; the best methods on top.

    Of a large table the best tested methods and the columns with most results are shown.
    """
    rows = choose_best_tested(comparison, MOST_ROWS)
    columns = _fullest_columns(comparison)
    return HeatMap(
        "heat-map",
        "Results at a glance",
        _caption(comparison, len(rows), len(columns)),
        "Share of rivals beaten",
        rows,
        _named(comparison, columns),
        _cells(comparison, rows, columns),
    )


def make_head_to_head(comparison: Comparison) -> Matrix:
    """Who beats whom: the share of shared data sets and measures won, a tie as half a win."""
    names = choose_best_tested(comparison, MOST_RIVALS)
    counts = count_wins(comparison, names)
    shared = counts.comparisons
    pairs = np.argwhere(shared > 0).tolist()
    part = f" The {len(names)} best tested methods." if len(names) < len(comparison.rows) else ""
    return Matrix(
        "win-matrix",
        "Head to head",
        "How often the method of the row has the better result than the method of the column, on "
        "the data sets and measures on which both have one, a tie as half a win; hatched where "
        f"they share none.{part}",
        "Share of comparisons won by the row",
        names,
        tuple(
            GridCell(
                row,
                column,
                float(
                    (counts.wins[row, column] + counts.ties[row, column] / 2) / shared[row, column]
                ),
                f"{counts.wins[row, column]} won, {counts.wins[column, row]} lost, "
                f"{counts.ties[row, column]} level",
            )
            for row, column in pairs
        ),
    )


def choose_best_tested(comparison: Comparison, most: int) -> tuple[str, ...]:
    """At most so many methods, best first: own ones, those on the fronts, those of highest IWN."""
    own = find_own_methods(comparison.table)
    order = sorted(
        comparison.rows,
        key=lambda row: (row.method not in own, not row.pareto, not row.rank2, -row.iwn),
    )
    kept = {row.method for row in order[:most]}
    return tuple(row.method for row in comparison.rows if row.method in kept)


def _fullest_columns(comparison: Comparison) -> list[int]:
    """The cells (data set × measure) with most results, measure by measure."""
    cells = comparison.cells
    numbers, counts = np.unique(cells.cell, return_counts=True)
    fullest = numbers[np.argsort(-counts, kind="stable")[:MOST_COLUMNS]].tolist()
    named = enumerate(sort_measures(comparison.measures))
    order = {cells.measures.index(name): place for place, name in named}
    datasets = sorted(cells.datasets, key=natural_key)
    place = {cells.datasets.index(name): number for number, name in enumerate(datasets)}
    width = len(cells.measures)
    return sorted(fullest, key=lambda cell: (order[cell % width], place[cell // width]))


def _named(comparison: Comparison, columns: list[int]) -> tuple[GridColumn, ...]:
    cells, short = comparison.cells, comparison.table.display_names()
    table = comparison.table
    homes = dict(zip(table.dataset_names.tolist(), table.collection.tolist(), strict=True))
    places = (divmod(cell, len(cells.measures)) for cell in columns)
    return tuple(
        GridColumn(
            cells.measures[measure], short[cells.datasets[dataset]], homes[cells.datasets[dataset]]
        )
        for dataset, measure in places
    )


def _cells(
    comparison: Comparison, rows: tuple[str, ...], columns: list[int]
) -> tuple[GridCell, ...]:
    cells = comparison.cells
    number = {name: code for code, name in enumerate(cells.methods)}
    row_of = {number[name]: row for row, name in enumerate(rows)}
    column_of = {cell: column for column, cell in enumerate(columns)}
    shares = cells.wins / cells.rivals
    found = zip(
        cells.method.tolist(),
        cells.cell.tolist(),
        shares.tolist(),
        comparison.table.value[cells.row].tolist(),
        strict=True,
    )
    return tuple(
        GridCell(row_of[method], column_of[cell], share, format_field(value))
        for method, cell, share, value in found
        if method in row_of and cell in column_of
    )


def format_field(value: float) -> str:
    """A value in a field: three decimals, no zero before the point, for which there is no room."""
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def _caption(comparison: Comparison, rows: int, columns: int) -> str:
    filled = len(comparison.cells) / (len(comparison.rows) * len(np.unique(comparison.cells.cell)))
    part = f" Shown are the {rows} best tested of {len(comparison.rows)} methods"
    part += f" in the {columns} columns with most results."
    whole = rows == len(comparison.rows) and columns < MOST_COLUMNS
    return (
        "Methods from the highest to the lowest Normalized Winning Number, a column a data set and "
        "measure. A field is hatched where there is no result; "
        f"{filled:.0%} of the fields are filled.{'' if whole else part}"
    )
