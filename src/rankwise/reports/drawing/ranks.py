"""Drawings of ranks: the critical-difference diagram, and bagplots beside each other.

The diagram (Demšar 2006) has ranks, and bars over what is not told apart. A bagplot has bag, loop,
depth median and the named outliers of a method.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Polygon
from matplotlib.ticker import MaxNLocator

from rankwise.reports.drawing.style import (
    COLOURS,
    COLUMN,
    FAINT,
    INK,
    PAGE,
    Label,
    fit,
    new_drawing,
    widest,
    write,
    write_labels,
)
from rankwise.reports.figures import BagplotFigure, Bagplots, CriticalDifference

NAME_POINTS = 6.5
NAME_LINE = 0.14
RULER = 0.52
GROUP_LINE = 0.065
VALUE_WIDTH = 0.26
MOST_TICKS = 20
LEAST_RULER = 1.4


@dataclass(frozen=True)
class _Ruler:
    """Ranks laid out in inches: the names take `side` on either side of it."""

    width: float
    side: float
    end: float

    def inches(self, rank: float) -> float:
        """Where a rank stands."""
        return self.side + (rank - 1) / (self.end - 1) * (self.width - 2 * self.side)


def draw_critical_difference(figure: CriticalDifference) -> Drawing:
    """Draw the better half on the left, the other half on the right, ranks on the ruler above."""
    ruler = _make_ruler(figure)
    half = math.ceil(len(figure.names) / 2)
    lanes = _lanes(figure.groups)
    top = RULER + GROUP_LINE * (max(lanes, default=0) + 1)
    height = top + NAME_LINE * half + 0.12
    drawing = new_drawing(ruler.width, height)
    axes = drawing.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, ruler.width)
    axes.set_ylim(height, 0)
    _draw_ruler(axes, ruler, figure)
    _draw_methods(axes, ruler, figure, half, top)
    for (first, last), lane in zip(figure.groups, lanes, strict=True):
        ends = [ruler.inches(figure.ranks[first]), ruler.inches(figure.ranks[last])]
        y = RULER + GROUP_LINE * (lane + 0.6)
        axes.plot(ends, [y, y], color=COLOURS[1], linewidth=2.0, solid_capstyle="round")
    return drawing


def _make_ruler(figure: CriticalDifference) -> _Ruler:
    """At column width where names and ruler fit, else at page width or what the names need."""
    side = widest(new_drawing(1, 1), figure.names, NAME_POINTS) + VALUE_WIDTH + 0.12
    end = max(float(len(figure.names)), 2.0, 1 + figure.difference)
    needed = 2 * side + max(LEAST_RULER, 0.13 * len(figure.names))
    return _Ruler(COLUMN if needed <= COLUMN else max(PAGE, needed), side, end)


def _draw_ruler(axes: Axes, ruler: _Ruler, figure: CriticalDifference) -> None:
    count = max(len(figure.names), 2)
    axes.plot([ruler.inches(1), ruler.inches(count)], [RULER - 0.06] * 2, color=INK, linewidth=0.8)
    for rank in range(1, count + 1, math.ceil(count / MOST_TICKS)):
        x = ruler.inches(rank)
        axes.plot([x, x], [RULER - 0.12, RULER - 0.06], color=INK, linewidth=0.6)
        write(axes, x, RULER - 0.14, str(rank), size=6.0).set(ha="center", va="bottom")
    ends = [ruler.inches(1), ruler.inches(1 + figure.difference)]
    axes.plot(ends, [0.16, 0.16], color=INK, linewidth=1.0)
    for x in ends:
        axes.plot([x, x], [0.13, 0.19], color=INK, linewidth=0.8)
    text = write(axes, sum(ends) / 2, 0.125, f"CD = {figure.difference:.2f}", size=6.0)
    text.set(ha="center", va="bottom")


def _draw_methods(
    axes: Axes, ruler: _Ruler, figure: CriticalDifference, half: int, top: float
) -> None:
    pairs = list(zip(figure.names, figure.ranks, strict=True))
    for position, (name, rank) in enumerate(pairs):
        left = position < half
        y = top + NAME_LINE * ((position if left else len(pairs) - 1 - position) + 0.6)
        outwards, alignment = (-1, "right") if left else (1, "left")
        edge = (ruler.side if left else ruler.width - ruler.side) + 0.06 * outwards
        x = ruler.inches(rank)
        axes.plot([x, x, edge], [RULER - 0.06, y, y], color="#777777", linewidth=0.5)
        value = write(axes, edge + 0.03 * outwards, y, f"{rank:.2f}", size=5.2, color="#555555")
        value.set(ha=alignment, va="center_baseline")
        text = write(axes, edge + VALUE_WIDTH * outwards, y, name, size=NAME_POINTS)
        text.set(ha=alignment, va="center_baseline")


def _lanes(groups: tuple[tuple[int, int], ...]) -> list[int]:
    """For each group the first line on which it touches no earlier group."""
    ends: list[int] = []
    chosen = []
    for first, last in groups:
        lane = next((lane for lane, end in enumerate(ends) if end < first), len(ends))
        ends[lane : lane + 1] = [last]
        chosen.append(lane)
    return chosen


PANELS_ACROSS = 3
LABEL_POINTS, TITLE_POINTS = 5.0, 7.0
# Inches: a panel with the room around it, and the margins that hold the shared titles.
PANEL_WIDTH, PANEL_HEIGHT = 2.3, 1.8
PANEL_LEFT, PANEL_BELOW, PANEL_RIGHT = 0.2, 0.2, 0.1
PANEL_INNER = (0.34, 0.2, 1.9, 1.38)


def draw_bagplots(figure: Bagplots) -> Drawing:
    """Draw up to three bagplots a row, each with axes of its own."""
    across = min(PANELS_ACROSS, max(len(figure.panels), 1))
    down = math.ceil(len(figure.panels) / across) or 1
    width, height = (
        PANEL_LEFT + PANEL_WIDTH * across + PANEL_RIGHT,
        PANEL_BELOW + PANEL_HEIGHT * down,
    )
    drawing = new_drawing(width, height)
    for number, panel in enumerate(figure.panels):
        row, column = divmod(number, across)
        left, bottom = (
            PANEL_LEFT + PANEL_WIDTH * column,
            PANEL_BELOW + PANEL_HEIGHT * (down - 1 - row),
        )
        x, y, panel_width, panel_height = PANEL_INNER
        axes = drawing.add_axes(
            (
                (left + x) / width,
                (bottom + y) / height,
                panel_width / width,
                panel_height / height,
            )
        )
        title = fit(drawing, panel.name, TITLE_POINTS, PANEL_INNER[2] + 0.3, "bold")
        axes.set_title(title, size=TITLE_POINTS, weight="bold", pad=3, parse_math=False)
        _draw_panel(axes, panel)
        _label_outliers(drawing, axes, panel)
    drawing.text(0.02 / width, 0.5, figure.y_title, rotation=90, ha="left", va="center")
    drawing.text(
        (PANEL_LEFT + width - PANEL_RIGHT) / 2 / width,
        0.03 / height,
        figure.x_title,
        ha="center",
        va="bottom",
    )
    return drawing


def _draw_panel(axes: Axes, panel: BagplotFigure) -> None:
    blue = COLOURS[1]
    for outline, shade in ((panel.loop, 0.14), (panel.bag, 0.32)):
        if len(outline) > 1:
            axes.add_patch(Polygon(outline, facecolor=blue, alpha=shade, linewidth=0, zorder=1))
            axes.add_patch(
                Polygon(outline, fill=False, edgecolor=blue, linewidth=0.5, alpha=0.7, zorder=1.2)
            )
    inner = [(point.x, point.y) for point in panel.points if not point.outlier]
    outer = [(point.x, point.y) for point in panel.points if point.outlier]
    for places, colour, size in ((inner, "#4d4d4d", 5.0), (outer, COLOURS[2], 9.0)):
        xs, ys = [place[0] for place in places], [place[1] for place in places]
        axes.scatter(xs, ys, s=size, color=colour, linewidths=0, zorder=3, clip_on=False)
    axes.scatter(*panel.median, s=26, marker="+", color="black", linewidths=1.0, zorder=4)
    _set_limits(axes, panel)


def _set_limits(axes: Axes, panel: BagplotFigure) -> None:
    places = [(point.x, point.y) for point in panel.points] + [*panel.bag, *panel.loop]
    for set_limits, values in (
        (axes.set_xlim, [place[0] for place in places]),
        (axes.set_ylim, [place[1] for place in places]),
    ):
        low, high = min(values), max(values)
        margin = 0.08 * (high - low) or 0.05 * abs(high) or 0.05
        set_limits(low - margin, high + margin)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_locator(MaxNLocator(4))
    # A winning number ends at 1; above it there is only the room for its mark.
    bottom, top = axes.get_ylim()
    axes.set_yticks([tick for tick in axes.get_yticks() if bottom <= tick <= min(top, 1.0)])
    axes.spines["left"].set_bounds(bottom, min(top, 1.0))
    axes.tick_params(labelsize=5.5)
    axes.grid(True, color=FAINT, linewidth=0.35)
    axes.set_axisbelow(True)


def _label_outliers(drawing: Drawing, axes: Axes, panel: BagplotFigure) -> None:
    labels = [
        Label(f"without {point.name}", point.x, point.y, LABEL_POINTS)
        for point in panel.points
        if point.outlier
    ]
    others = [(point.x, point.y) for point in panel.points if not point.outlier]
    write_labels(drawing, axes, labels, [*others, panel.median])
