"""Figures of a ranking: planes, grids, and bars of other estimators.

The planes are scatters as in Figures 1-5 of Tax, Bockting and Hiemstra (2015). Accuracy (NWN) goes
up, certainty goes right: the number of data sets for one measure, the Ideal Winning Number across
measures. Those figures are also drawn from the printed Table B.6, which is taken as printed, with
its misprints; none of them touches a front. The fronts follow from weak dominance, as the paper's
lists do, though those leave out some methods on them.

The grids are the heat map of a sparse table, and who beats whom. The bars show methods by another
estimator than NWN. The reader's own methods among published ones have a colour of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankwise.comparison.estimators import EstimatedMethod, EstimatedRanking
from rankwise.comparison.method_ranking import Comparison, RankedMethod
from rankwise.comparison.strengths import count_wins
from rankwise.comparison.winning_numbers import Certainty, Dominance, count_dominators
from rankwise.measures.measure import sort_measures
from rankwise.reports.figures import (
    FRONT,
    OTHER,
    RANK_2,
    Axis,
    Bar,
    Bars,
    GridCell,
    GridColumn,
    HeatMap,
    Matrix,
    PlottedPoint,
    Scatter,
)
from rankwise.results.published.published_tables import read_shipped_rows
from rankwise.results.result_table import ResultTable
from rankwise.tables.displayed_names import make_file_name, natural_key

BASELINES = ("Linear Regression", "Best Single Feature")
MOST_MEASURES = 12
FEW_METHODS = 12
"""Up to so many methods all are named in a scatter."""
MOST_OWN_NAMED = 25
MOST_LISTED = 60
"""Up to so many equally tested methods stand one under the other."""

_CERTAINTY: dict[Certainty, str] = {
    "datasets": "number of data sets",
    "iwn": "Ideal Winning Number",
}
_DOMINANCE: dict[Dominance, str] = {
    "weak": "at least as good on both axes and better on one",
    "strict": "better on both axes",
}


def make_planes(comparison: Comparison) -> tuple[Scatter | Bars, ...]:
    """One scatter a measure, of the measures with most methods first, and one across them.

    Where all methods are equally tested, a scatter would be one upright line: then their numbers
    stand one under the other.
    """
    measures = sort_measures(comparison.measures)
    counted = sorted(measures, key=lambda name: -len(comparison.per_measure[name]))
    chosen = [name for name in measures if name in counted[:MOST_MEASURES]]
    single = tuple(make_measure_plane(comparison, name) for name in chosen)
    if len(comparison.measures) > 1:
        single = (*single, make_cross_plane(comparison))
    return tuple(list_alike(figure) for figure in single)


def list_alike(figure: Scatter) -> Scatter | Bars:
    """The scatter, or the methods one under the other where all are equally tested."""
    tested = {point.x for point in figure.points}
    if len(tested) != 1 or len(figure.points) > MOST_LISTED:
        return figure
    bars = tuple(
        Bar(point.name, point.y, None, None, point.front, point.detail, point.own, f"{point.y:.4f}")
        for point in figure.points
    )
    title, _, _ = figure.title.partition(":")
    return Bars(
        figure.name,
        f"{title}: accuracy of equally tested methods",
        f"{figure.caption} All are equally tested here ({figure.x.title} {tested.pop():g}).",
        figure.y,
        bars,
    )


def make_measure_plane(comparison: Comparison, measure: str) -> Scatter:
    """NWN in one measure against the number of data sets (Figures 1-4)."""
    rows = comparison.per_measure[measure]
    points = _mark_own(comparison, [make_point(row, row.datasets) for row in rows])
    name, title = f"nwn-{make_file_name(measure)}", f"{measure}: accuracy against certainty"
    return make_plane(name, title, points, "datasets", comparison.dominance, measure)


def make_cross_plane(comparison: Comparison) -> Scatter:
    """NWN across all measures against IWN (Figure 5)."""
    points = _mark_own(comparison, [make_point(row, row.iwn) for row in comparison.rows])
    title = "Across measures: accuracy against certainty"
    return make_plane("nwn-across", title, points, "iwn", comparison.dominance)


def make_plane(
    name: str,
    title: str,
    points: Sequence[PlottedPoint],
    certainty: Certainty,
    dominance: Dominance,
    measure: str | None = None,
) -> Scatter:
    """The scatter of methods whose `x` is the certainty and whose `y` is the NWN."""
    accuracy = "Normalized Winning Number"
    few = len(points) <= FEW_METHODS
    return Scatter(
        name,
        title,
        f"{accuracy}{f' in {measure}' if measure else ' across measures'} of {len(points)} methods "
        f"against the {_CERTAINTY[certainty]}. On the Pareto front is a method that no other "
        f"dominates, on the rank-2 front one that exactly one other dominates; to dominate is to "
        f"be {_DOMINANCE[dominance]}.",
        _certainty_axis(_CERTAINTY[certainty], [point.x for point in points]),
        Axis(f"{accuracy} ({measure})" if measure else accuracy, 0.0, 1.0),
        tuple(replace(point, labelled=True) if few else point for point in points),
    )


def make_point(row: RankedMethod, certainty: int) -> PlottedPoint:
    """A method as a point; the fronts and the paper's two baselines are labelled."""
    return PlottedPoint(
        row.method,
        float(certainty),
        row.nwn,
        find_front_number(row),
        row.pareto or row.rank2 or row.method in BASELINES,
        f"NWN {row.nwn:.4f}, {row.wn} of {row.iwn} wins, {row.datasets} results",
    )


def find_front_number(row: RankedMethod) -> int:
    """1 on the Pareto front, 2 on the rank-2 front, else 0."""
    return FRONT if row.pareto else RANK_2 if row.rank2 else OTHER


def _certainty_axis(title: str, values: Sequence[float]) -> Axis:
    """From 0, as in the paper, unless that would press all methods into the right half."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low == high > 0:
        # Equally tested methods stand in the middle, with room for their names on both sides.
        return Axis(title[:1].upper() + title[1:], high - 1.0, high + 1.0, whole=True)
    start = max(0.0, low - max(1.0, 0.2 * (high - low))) if low > high / 2 else 0.0
    return Axis(title[:1].upper() + title[1:], float(int(start)), high, whole=True)


def _mark_own(comparison: Comparison, points: list[PlottedPoint]) -> list[PlottedPoint]:
    """The points, with the reader's own methods marked and, unless they are many, named."""
    own = find_own_methods(comparison.table)
    named = len(own) <= MOST_OWN_NAMED
    return [
        replace(point, own=True, labelled=named or point.labelled) if point.name in own else point
        for point in points
    ]


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
        _describe_heat_map(comparison, len(rows), len(columns)),
        "Share of rivals beaten",
        rows,
        _name_columns(comparison, columns),
        _make_cells(comparison, rows, columns),
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


def _name_columns(comparison: Comparison, columns: list[int]) -> tuple[GridColumn, ...]:
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


def _make_cells(
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


def _describe_heat_map(comparison: Comparison, rows: int, columns: int) -> str:
    filled = len(comparison.cells) / (len(comparison.rows) * len(np.unique(comparison.cells.cell)))
    part = f" Shown are the {rows} best tested of {len(comparison.rows)} methods"
    part += f" in the {columns} columns with most results."
    whole = rows == len(comparison.rows) and columns < MOST_COLUMNS
    return (
        "Methods from the highest to the lowest Normalized Winning Number, a column a data set and "
        "measure. A field is hatched where there is no result; "
        f"{filled:.0%} of the fields are filled.{'' if whole else part}"
    )


MOST_BARS = 60


def make_estimate_bars(found: EstimatedRanking) -> Bars:
    """The scores of the best methods with their intervals, best first."""
    rows = found.rows[:MOST_BARS]
    ends = [end for one in rows for end in (one.score, one.lower, one.upper) if end is not None]
    few = len(rows) < len(found.rows)
    part = f" The {len(rows)} best of {len(found.rows)} methods." if few else ""
    said = "".join(f" {text[:1].upper()}{text[1:]}." for text in found.remarks)
    return Bars(
        f"ranking-by-{found.estimator}",
        f"Methods by {found.title}",
        f"{found.title} of each method with {100 * found.confidence:g} % intervals.{said}{part}",
        Axis(found.title, min(ends, default=0.0), max(ends, default=1.0)),
        tuple(_make_estimate_bar(one) for one in rows),
        meanings=(),
    )


def _make_estimate_bar(one: EstimatedMethod) -> Bar:
    interval = "" if one.lower is None else f", {one.lower:.4f} to {one.upper:.4f}"
    return Bar(
        one.method, one.score, one.lower, one.upper, OTHER,
        f"{one.score:.4f}{interval}, {one.results} results on {one.datasets} data sets",
    )  # fmt: skip


PRINTED_MEASURES = {"NDCG@3": "ndcg3", "NDCG@5": "ndcg5", "NDCG@10": "ndcg10", "MAP": "map"}
PRINTED_SOURCE = "Tax, Bockting and Hiemstra (2015), Table B.6"


def make_published_planes() -> tuple[Scatter, ...]:
    """The five figures of the 87 methods, in the paper's order."""
    single = [
        _make_published_measure_plane(number, name)
        for number, name in enumerate(PRINTED_MEASURES, start=1)
    ]
    return (*single, _make_published_cross_plane())


def _make_published_measure_plane(number: int, measure: str) -> Scatter:
    column = PRINTED_MEASURES[measure]
    points = [
        PlottedPoint(
            row["method"],
            float(row[f"{column}_ds"]),
            float(row[f"{column}_nwn"]),
            detail=f"NWN {row[f'{column}_nwn']:.4f}, {row[f'{column}_ds']} data sets",
        )
        for row in read_shipped_rows("tax2015_table_b6")
        if row[f"{column}_ds"] is not None
    ]
    return _make_published_plane(number, points, "datasets", measure)


def _make_published_cross_plane() -> Scatter:
    points = [
        PlottedPoint(
            row["method"],
            float(row["cross_iwn"]),
            float(row["cross_nwn"]),
            detail=f"NWN {row['cross_nwn']:.4f}, {row['cross_wn']} of {row['cross_iwn']} wins",
        )
        for row in read_shipped_rows("tax2015_table_b6")
    ]
    return _make_published_plane(5, points, "iwn", None)


def _make_published_plane(
    number: int, points: Sequence[PlottedPoint], certainty: Certainty, measure: str | None
) -> Scatter:
    counts = count_dominators([(point.x, point.y) for point in points], "weak")
    marked = [_mark_front(point, count) for point, count in zip(points, counts, strict=True)]
    marked.sort(key=lambda point: (-point.y, -point.x, point.name))
    title = f"Figure {number} of Tax et al. (2015): {measure or 'across measures'}"
    figure = make_plane(f"tax2015-figure-{number}", title, marked, certainty, "weak", measure)
    return replace(figure, caption=f"{figure.caption} Source: {PRINTED_SOURCE}.")


def _mark_front(point: PlottedPoint, dominated_by: int) -> PlottedPoint:
    front = {0: FRONT, 1: RANK_2}.get(dominated_by, OTHER)
    return replace(point, front=front, labelled=front != OTHER or point.name in BASELINES)


RUN_HERE = "rankwise"


def find_own_methods(table: ResultTable) -> frozenset[str]:
    """The methods that were run here, or of which no result names a study.

    Empty where all are, or none: then there is nothing to tell apart.
    """
    run_here: set[str] = set()
    published: set[str] = set()
    for method, source in zip(table.method.tolist(), table.source.tolist(), strict=True):
        if source is not None:
            (run_here if source.startswith(RUN_HERE) else published).add(method)
    methods = set(table.methods())
    own = run_here | (methods - published)
    return frozenset(own) if own < methods else frozenset()
