"""Grids of a comparison: the heat map of its sparse table, and who beats whom."""

from __future__ import annotations

import numpy as np

from rankwise.comparison.ranking import Comparison
from rankwise.comparison.win_matrix import count_wins
from rankwise.reports.figures import GridCell, GridColumn, HeatMap, Matrix

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
        "The table of results",
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
        "the data sets and measures on which both have one, a tie as half a win; empty where they "
        f"share none.{part}",
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
    """At most so many methods, best first: those on the fronts, then those of highest IWN."""
    order = sorted(comparison.rows, key=lambda row: (not row.pareto, not row.rank2, -row.iwn))
    kept = {row.method for row in order[:most]}
    return tuple(row.method for row in comparison.rows if row.method in kept)


def _fullest_columns(comparison: Comparison) -> list[int]:
    """The cells (data set × measure) with most results, measure by measure."""
    cells = comparison.cells
    numbers, counts = np.unique(cells.cell, return_counts=True)
    fullest = numbers[np.argsort(-counts, kind="stable")[:MOST_COLUMNS]].tolist()
    order = {cells.measures.index(name): place for place, name in enumerate(comparison.measures)}
    width = len(cells.measures)
    return sorted(fullest, key=lambda cell: (order[cell % width], cell // width))


def _named(comparison: Comparison, columns: list[int]) -> tuple[GridColumn, ...]:
    cells, short = comparison.cells, comparison.table.display_names()
    places = (divmod(cell, len(cells.measures)) for cell in columns)
    return tuple(
        GridColumn(cells.measures[measure], short[cells.datasets[dataset]])
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
        GridCell(row_of[method], column_of[cell], share, _format_value(value))
        for method, cell, share, value in found
        if method in row_of and cell in column_of
    )


def _format_value(value: float) -> str:
    """Three decimals, without the zero before the point, for which a field has no room."""
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def _caption(comparison: Comparison, rows: int, columns: int) -> str:
    filled = len(comparison.cells) / (len(comparison.rows) * len(np.unique(comparison.cells.cell)))
    part = f" Shown are the {rows} best tested of {len(comparison.rows)} methods"
    part += f" in the {columns} columns with most results."
    whole = rows == len(comparison.rows) and columns < MOST_COLUMNS
    return (
        "Methods from the highest to the lowest Normalized Winning Number, a column a data set and "
        "measure. A field is empty where nobody published a result; "
        f"{filled:.0%} of the fields are filled.{'' if whole else part}"
    )
