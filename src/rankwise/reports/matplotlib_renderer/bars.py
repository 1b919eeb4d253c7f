"""Values one under the other: a dot a method, a whisker where an interval is known."""

from __future__ import annotations

from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from rankwise.reports.figures import OTHER, Bar, Bars
from rankwise.reports.matplotlib_renderer.scatter import padded
from rankwise.reports.matplotlib_renderer.style import (
    COLOURS,
    COLUMN,
    INK,
    MARKERS,
    OWN,
    PAGE,
    end_axes,
    make_locator,
    new_drawing,
    text_size,
    widest,
    write,
)

ROW = 0.115
NAME_POINTS, NOTE_POINTS, TITLE_POINTS = 6.0, 5.5, 7.0
BELOW, ABOVE, RIGHT, GAP = 0.38, 0.06, 0.08, 0.06
LEAST_AXIS = 1.1


def draw(figure: Bars) -> Drawing:
    """Draw one row a method at column width, as high as the rows need.

    Where names and notes leave no room for the axis, it is as wide as a page.
    """
    ruler = new_drawing(1, 1)
    left = widest(ruler, tuple(bar.name for bar in figure.bars), NAME_POINTS) + 2 * GAP
    notes = widest(ruler, tuple(bar.note for bar in figure.bars if bar.note), NOTE_POINTS)
    right = RIGHT + (notes + GAP if notes else 0.0)
    width = COLUMN if COLUMN - left - right >= LEAST_AXIS else PAGE
    height = BELOW + ABOVE + ROW * max(len(figure.bars), 1)
    drawing = new_drawing(width, height)
    axes = drawing.add_axes(
        (left / width, BELOW / height, (width - left - right) / width, 1 - (BELOW + ABOVE) / height)
    )
    _set_axis(drawing, axes, figure, width - left - right)
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
    axes.xaxis.set_major_locator(make_locator(figure.axis, max(2, min(6, int(room / 0.4)))))
    end_axes(axes, figure.axis, None)
    if figure.reference is not None:
        axes.axvline(figure.reference, color=INK, linewidth=0.6, zorder=1)


def _draw_bar(axes: Axes, row: int, bar: Bar) -> None:
    colour = OWN if bar.own else COLOURS[bar.front]
    inches = axes.get_window_extent().width / axes.figure.dpi
    beside = axes.get_yaxis_transform()
    ink = OWN if bar.own else INK
    name = write(axes, -GAP / inches, row, bar.name, transform=beside, size=NAME_POINTS, color=ink)
    name.set(ha="right", va="center")
    if bar.note:
        place = 1 + GAP / inches
        note = write(
            axes, place, row, bar.note, transform=beside, size=NOTE_POINTS, color="#444444"
        )
        note.set(ha="left", va="center")
    if bar.low is not None and bar.high is not None:
        low, high = axes.get_xlim()
        ends = [max(bar.low, low), min(bar.high, high)]
        axes.plot(ends, [row, row], color=colour, linewidth=1.0, alpha=0.6)
    axes.scatter(
        [bar.value],
        [row],
        s=13,
        marker=MARKERS[bar.front],
        facecolors="white" if bar.front == OTHER and not bar.own else colour,
        edgecolors=colour,
        linewidths=0.6,
        zorder=3,
        clip_on=False,
    )
