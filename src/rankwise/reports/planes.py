"""Scatters of a comparison, as in Figures 1-5 of Tax, Bockting and Hiemstra (2015).

Accuracy (NWN) goes up, certainty goes right: the number of data sets for one measure, the Ideal
Winning Number across measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankwise.comparison.pareto import Certainty, Dominance
from rankwise.comparison.ranking import Comparison, RankedMethod
from rankwise.measures.names import sort_measures
from rankwise.reports.figures import (
    FRONT,
    OTHER,
    RANK_2,
    Axis,
    Bar,
    Bars,
    PlottedPoint,
    Scatter,
)
from rankwise.reports.names import make_file_name
from rankwise.reports.own_methods import find_own_methods

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
