"""Lines over one axis: those with a name in colours, named at their ends, the rest in grey.

Learning curves: x grows by factors, bands are intervals, levels go across.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator

from rankwise.reports.drawing.points import padded
from rankwise.reports.drawing.style import (
    COLOURS,
    COLUMN,
    FAINT,
    INK,
    new_drawing,
    text_size,
    widest,
    write,
)
from rankwise.reports.figures import OTHER, LearningCurve, LearningCurves, Lines, PlottedLine
from rankwise.tables.displayed_names import shown

HEIGHT = 2.6
NAME_POINTS = 5.5
BELOW, ABOVE, LEFT, RIGHT, GAP = 0.34, 0.06, 0.46, 0.06, 0.05
# Okabe and Ito's colours, which colour-blind readers can tell apart, and dashes for grey print.
INKS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#1a1a1a")
DASHES = ("-", "--", ":")


def draw_lines(figure: Lines) -> Drawing:
    """Draw the lines at column width with their names to the right."""
    drawing = new_drawing(COLUMN, HEIGHT)
    named = tuple(line.name for line in figure.lines if line.labelled)
    right = RIGHT + (widest(drawing, named, NAME_POINTS) + GAP if named else 0.0)
    right = min(right, COLUMN / 2.0)
    axes = drawing.add_axes(
        (
            LEFT / COLUMN,
            BELOW / HEIGHT,
            (COLUMN - LEFT - right) / COLUMN,
            1 - (BELOW + ABOVE) / HEIGHT,
        )
    )
    _set_axes(axes, figure)
    _draw_lines(axes, figure)
    _write_names(drawing, axes, [line for line in figure.lines if line.labelled])
    return drawing


def _set_axes(axes: Axes, figure: Lines) -> None:
    axes.set_xlim(*padded(figure.x))
    axes.set_ylim(*padded(figure.y))
    axes.set_xlabel(figure.x.title, labelpad=2, parse_math=False)
    axes.set_ylabel(figure.y.title, labelpad=2, parse_math=False)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=figure.x.whole, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=figure.y.whole, steps=[1, 2, 5, 10]))
    axes.grid(True, color=FAINT, linewidth=0.35)
    axes.set_axisbelow(True)


def _draw_lines(axes: Axes, figure: Lines) -> None:
    place = 0
    for line in figure.lines:
        xs, ys = [x for x, _ in line.points], [y for _, y in line.points]
        if not line.labelled:
            axes.plot(xs, ys, color=COLOURS[OTHER], linewidth=0.4, alpha=0.7, zorder=1.5)
            continue
        axes.plot(xs, ys, color=_colour(place), linestyle=_dash(place), linewidth=0.9, zorder=2.0)
        axes.scatter(xs, ys, s=5, color=_colour(place), zorder=2.5, linewidths=0)
        place += 1


def _write_names(drawing: Drawing, axes: Axes, named: list[PlottedLine]) -> None:
    """At the height where the line ends, moved apart where several end together."""
    room = axes.get_window_extent()
    space = 1.15 * text_size(drawing, "Ag", NAME_POINTS)[1] * drawing.dpi / room.height
    ends = [axes.transLimits.transform(line.points[-1])[1] for line in named]
    x = 1.0 + GAP / 2.0 * drawing.dpi / room.width
    for number, height in _apart(ends, space):
        write(
            axes, x, height, named[number].name, transform=axes.transAxes, size=NAME_POINTS,
            color=_colour(number), ha="left", va="center",
        )  # fmt: skip


def _apart(heights: list[float], space: float) -> list[tuple[int, float]]:
    """Every number with a height, from below, none nearer to the one before than a line."""
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    placed: list[float] = []
    for rank, number in enumerate(order):
        lowest = placed[-1] + space if placed else 0.0
        highest = 1.0 - space * (len(order) - 1 - rank)
        placed.append(max(lowest, min(heights[number], highest)))
    return list(zip(order, placed, strict=True))


def _colour(place: int) -> str:
    return INKS[place % len(INKS)]


def _dash(place: int) -> str:
    return DASHES[place // len(INKS) % len(DASHES)]


# Okabe and Ito; further groups begin again.
CURVE_INKS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
CURVE_DASHES = {"solid": "-", "dashed": (0, (3, 2)), "flat": (0, (1, 1))}
CURVE_MARKS = {"solid": "o", "dashed": "D", "flat": ""}
CURVES_HEIGHT, CURVES_BELOW = 2.6, 0.34
CURVES_LEFT, CURVES_RIGHT, CURVES_ABOVE, CURVES_LINE = 0.46, 0.08, 0.06, 0.125
# Places on the axis up to which each has its number.
FEW_MARKS = 6


def draw_learning_curves(figure: LearningCurves) -> Drawing:
    """Draw at column width, the names below in two columns."""
    rows = (len(figure.curves) + 1) // 2
    below = CURVES_BELOW + CURVES_LINE * rows + 0.1
    height = CURVES_HEIGHT + CURVES_LINE * rows
    drawing = new_drawing(COLUMN, height)
    axes = drawing.add_axes(
        (
            CURVES_LEFT / COLUMN,
            below / height,
            (COLUMN - CURVES_LEFT - CURVES_RIGHT) / COLUMN,
            1 - (below + CURVES_ABOVE) / height,
        )
    )
    axes.set_xscale("log")
    _mark_places(axes, figure)
    axes.set_xlim(figure.x.low, figure.x.high)
    axes.set_ylim(figure.y.low, figure.y.high)
    axes.set_xlabel(figure.x.title, labelpad=2, parse_math=False)
    axes.set_ylabel(figure.y.title, labelpad=2, parse_math=False)
    axes.grid(True, color=FAINT, linewidth=0.35)
    axes.set_axisbelow(True)
    groups = list(dict.fromkeys(curve.group for curve in figure.curves))
    for curve in figure.curves:
        _draw_curve(axes, curve, groups.index(curve.group), figure)
    drawing.legend(loc="lower center", ncol=2, handlelength=2.6, labelspacing=0.25)
    return drawing


def _mark_places(axes: Axes, figure: LearningCurves) -> None:
    """A few places are marked by themselves: powers of ten say little between 5 and 100."""
    places = sorted({place for curve in figure.curves for place in curve.x})
    if 0 < len(places) <= FEW_MARKS:
        axes.set_xticks(places, [f"{place:g}" for place in places])
        axes.set_xticks([], minor=True)


def _draw_curve(axes: Axes, curve: LearningCurve, group: int, figure: LearningCurves) -> None:
    colour = CURVE_INKS[group % len(CURVE_INKS)] if curve.group else INK
    name = shown(curve.name).replace("$", r"\$")
    style: dict[str, Any] = {
        "color": colour,
        "linestyle": CURVE_DASHES[curve.kind],
        "linewidth": 1.0,
        "label": name,
    }
    if curve.kind == "flat":
        axes.plot([figure.x.low, figure.x.high], [curve.y[0], curve.y[0]], **style)
        return
    axes.plot(curve.x, curve.y, marker=CURVE_MARKS[curve.kind], markersize=2.5, **style)
    axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.12, linewidth=0)
