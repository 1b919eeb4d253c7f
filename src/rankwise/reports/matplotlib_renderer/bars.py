"""Values one under the other: a dot a method, a whisker where an interval is known."""

from __future__ import annotations

from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import MaxNLocator

from rankwise.reports.figures import OTHER, Bar, Bars
from rankwise.reports.matplotlib_renderer.scatter import padded
from rankwise.reports.matplotlib_renderer.style import (
    COLOURS,
    COLUMN,
    FAINT,
    MARKERS,
    new_drawing,
    text_size,
    widest,
    write,
)

ROW = 0.115
NAME_POINTS, TITLE_POINTS = 6.0, 7.0
BELOW, ABOVE, RIGHT, GAP = 0.38, 0.06, 0.08, 0.06


def draw(figure: Bars) -> Drawing:
    """Draw one row a method at column width, as high as the rows need."""
    height = BELOW + ABOVE + ROW * max(len(figure.bars), 1)
    drawing = new_drawing(COLUMN, height)
    left = widest(drawing, tuple(bar.name for bar in figure.bars), NAME_POINTS) + 2 * GAP
    axes = drawing.add_axes(
        (
            left / COLUMN,
            BELOW / height,
            (COLUMN - left - RIGHT) / COLUMN,
            1 - (BELOW + ABOVE) / height,
        )
    )
    _set_axis(drawing, axes, figure, COLUMN - left - RIGHT)
    for row, bar in enumerate(figure.bars):
        _draw_bar(axes, row, bar)
    return drawing


def _set_axis(drawing: Drawing, axes: Axes, figure: Bars, room: float) -> None:
    axes.set_xlim(*padded(figure.axis, 0.02, 0.02))
    axes.set_ylim(len(figure.bars) - 0.4, -0.6)
    # Beside long names the axis is shorter than its title, which may then go beyond it to the left.
    wide = text_size(drawing, figure.axis.title, TITLE_POINTS)[0] > room
    side: Literal["right", "center"] = "right" if wide else "center"
    axes.set_xlabel(figure.axis.title, labelpad=2, parse_math=False, loc=side)
    axes.set_yticks([])
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=figure.axis.whole))
    axes.grid(True, axis="x", color=FAINT, linewidth=0.35)
    axes.set_axisbelow(True)


def _draw_bar(axes: Axes, row: int, bar: Bar) -> None:
    write(
        axes,
        -GAP / (axes.get_window_extent().width / axes.figure.dpi),
        row,
        bar.name,
        transform=axes.get_yaxis_transform(),
        size=NAME_POINTS,
        ha="right",
        va="center",
    )
    colour = COLOURS[bar.front]
    if bar.low is not None and bar.high is not None:
        axes.plot([bar.low, bar.high], [row, row], color=colour, linewidth=1.0, alpha=0.6)
    axes.scatter(
        [bar.value],
        [row],
        s=13,
        marker=MARKERS[bar.front],
        facecolors="white" if bar.front == OTHER else colour,
        edgecolors=colour,
        linewidths=0.6,
        zorder=3,
        clip_on=False,
    )
