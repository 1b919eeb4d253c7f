"""Scatters: of methods, fronts filled and named, the rest hollow and grey; and of two methods
query by query, a dot a query, with the diagonal on which both are level.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from rankwise.reports.drawing.style import (
    COLOURS,
    COLUMN,
    INK,
    MARKERS,
    OWN,
    Label,
    end_axes,
    make_locator,
    new_drawing,
    write_labels,
)
from rankwise.reports.figures import FRONT, OTHER, RANK_2, Axis, PlottedPoint, QueryScatter, Scatter

HEIGHT = 3.1
AREA = {FRONT: 15.0, RANK_2: 12.0, OTHER: 8.0}
LABEL_POINTS = {FRONT: 6.5, RANK_2: 5.5, OTHER: 5.5}
LABEL_INK = {FRONT: INK, RANK_2: "#9c4500", OTHER: "#5a5a5a"}
RING_AREA = 34.0
LEGEND_POINTS, MOST_ENTRIES = {False: 6.5, True: 5.2}, 3
CROWD, CROWDED_SHRINK = 300, 0.5
MEANINGS = {FRONT: "Pareto front", RANK_2: "Rank-2 front", OTHER: "Other methods"}


def draw_scatter(figure: Scatter) -> Drawing:
    """Draw methods, front line and labels at column width."""
    drawing = new_drawing(COLUMN, HEIGHT)
    axes = drawing.add_axes((0.125, 0.125, 0.835, 0.805))
    _set_axis(axes, figure)
    _draw_points(axes, figure)
    _draw_legend(axes, figure)
    _draw_labels(drawing, axes, figure)
    return drawing


def _set_axis(axes: Axes, figure: Scatter) -> None:
    axes.set_xlim(*padded(figure.x, above=0.05))
    axes.set_ylim(*padded(figure.y, above=0.09))
    axes.set_xlabel(figure.x.title, labelpad=2, parse_math=False)
    axes.set_ylabel(figure.y.title, labelpad=2, parse_math=False)
    axes.xaxis.set_major_locator(make_locator(figure.x, 8))
    axes.yaxis.set_major_locator(make_locator(figure.y, 6))
    end_axes(axes, figure.x, figure.y)
    axes.xaxis.set_major_formatter(FuncFormatter(_tick_text))


def _tick_text(value: float, _: int | None) -> str:
    """Short enough for a tick at the very edge: 60k for sixty thousand."""
    return f"{value / 1000:g}k" if abs(value) >= 10_000 else f"{value:g}"


def padded(axis: Axis, below: float = 0.035, above: float = 0.035) -> tuple[float, float]:
    """The range of an axis with room for the marks, and for names, at its ends."""
    span = (axis.high - axis.low) or 1.0
    return axis.low - below * span, axis.high + above * span


def _draw_points(axes: Axes, figure: Scatter) -> None:
    steps = figure.staircase()
    if len(steps) > 1:
        axes.plot(*np.array(steps).T, color=COLOURS[FRONT], linewidth=0.6, alpha=0.45, zorder=1.5)
    crowded = CROWDED_SHRINK if len(figure.points) > CROWD else 1.0
    for front in (OTHER, RANK_2, FRONT):
        for own in (False, True):
            chosen = [one for one in figure.points if (one.front, one.own) == (front, own)]
            _draw_marks(axes, chosen, front, own, crowded)
    _draw_rings(axes, _find_shared(figure), crowded)


def _draw_marks(
    axes: Axes, points: list[PlottedPoint], front: int, own: bool, crowded: float
) -> None:
    colour = OWN if own else COLOURS[front]
    hollow = front == OTHER and not own
    axes.scatter(
        [point.x for point in points],
        [point.y for point in points],
        s=AREA[front] * (1.0 if own else crowded),
        marker=MARKERS[front],
        facecolors="white" if hollow else colour,
        edgecolors=colour if hollow else "white",
        linewidths=(0.6 if hollow else 0.3) * crowded,
        zorder=2.0 + front + 3 * own,
        clip_on=False,
    )


def _find_shared(figure: Scatter) -> list[tuple[float, float]]:
    """The places at which several methods stand, one mark over the other."""
    counts = Counter((point.x, point.y) for point in figure.points)
    return [place for place, count in counts.items() if count > 1]


def _draw_rings(axes: Axes, places: list[tuple[float, float]], crowded: float) -> None:
    """Around marks that cover others: without them two methods would look like one."""
    xs, ys = [place[0] for place in places], [place[1] for place in places]
    axes.scatter(
        xs, ys, s=RING_AREA * crowded, facecolors="none", edgecolors=INK, linewidths=0.4,
        zorder=6, clip_on=False,
    )  # fmt: skip


def _draw_legend(axes: Axes, figure: Scatter) -> None:
    """Above the axes, where it can hide nothing."""
    present = {point.front for point in figure.points}
    shared = [
        Line2D([], [], linestyle="", marker="o", markersize=5.2, markerfacecolor="none",
               markeredgecolor=INK, markeredgewidth=0.4, label="Several at one place")
    ] if _find_shared(figure) else []  # fmt: skip
    own = [
        Line2D([], [], linestyle="", marker="o", markersize=3.6, markerfacecolor=OWN,
               markeredgecolor=OWN, label="Yours")
    ] if any(point.own for point in figure.points) else []  # fmt: skip
    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker=MARKERS[front],
            markersize=3.6,
            markerfacecolor="white" if front == OTHER else COLOURS[front],
            markeredgecolor=COLOURS[front],
            markeredgewidth=0.6,
            label=meaning,
        )
        for front, meaning in MEANINGS.items()
        if front in present
    ]
    entries = [*handles, *own, *shared]
    axes.legend(
        handles=entries,
        fontsize=LEGEND_POINTS[len(entries) > MOST_ENTRIES],
        loc="lower right",
        bbox_to_anchor=(1.0, 0.995),
        ncols=len(entries),
        columnspacing=0.6,
        handletextpad=0.1,
        borderpad=0.1,
    )


def _draw_labels(drawing: Drawing, axes: Axes, figure: Scatter) -> None:
    wanted = (p for p in figure.points if p.labelled)
    named = sorted(wanted, key=lambda p: (p.front or 9, not p.own, -p.y))
    labels = [
        Label(p.name, p.x, p.y, LABEL_POINTS[p.front], OWN if p.own else LABEL_INK[p.front])
        for p in named
    ]
    others = [(p.x, p.y) for p in figure.points if not p.labelled]
    write_labels(drawing, axes, labels, others, _points_along(figure.staircase()))


def _points_along(
    steps: tuple[tuple[float, float], ...], pieces: int = 12
) -> list[tuple[float, float]]:
    """The front line as a row of marks, so that labels keep off it where they can."""
    return [
        (x + (next_x - x) * part / pieces, y + (next_y - y) * part / pieces)
        for (x, y), (next_x, next_y) in pairwise(steps)
        for part in range(pieces)
    ]


QUERY_LABEL_POINTS = 5.5
QUERY_CROWD = 200


def draw_query_scatter(figure: QueryScatter) -> Drawing:
    """Draw a square plane at column width; many queries are drawn smaller and see-through."""
    drawing = new_drawing(COLUMN, COLUMN)
    axes = drawing.add_axes((0.13, 0.115, 0.83, 0.845))
    axes.set_xlim(*padded(figure.x, 0.03, 0.05))
    axes.set_ylim(*padded(figure.y, 0.03, 0.05))
    axes.set_xlabel(figure.x.title, labelpad=2, parse_math=False)
    axes.set_ylabel(figure.y.title, labelpad=2, parse_math=False)
    axes.xaxis.set_major_locator(make_locator(figure.x, 6))
    axes.yaxis.set_major_locator(make_locator(figure.y, 6))
    end_axes(axes, figure.x, figure.y)
    ends = [figure.x.low, figure.x.high]
    axes.plot(ends, ends, color=INK, linewidth=0.6, zorder=1)
    crowded = len(figure.points) > QUERY_CROWD
    axes.scatter(
        [point.x for point in figure.points],
        [point.y for point in figure.points],
        s=5.0 if crowded else 9.0,
        color=COLOURS[FRONT],
        alpha=0.35 if crowded else 0.6,
        linewidths=0,
        zorder=2,
        clip_on=False,
    )
    labels = [
        Label(f"query {point.name}", point.x, point.y, QUERY_LABEL_POINTS)
        for point in figure.points
        if point.labelled
    ]
    others = [(point.x, point.y) for point in figure.points if not point.labelled]
    write_labels(drawing, axes, labels, others)
    return drawing
