"""Values one under the other: a dot a method, a whisker where an interval is known.

Bars in groups stand beside each other, a line across a bar at what was published of it.
"""

from __future__ import annotations

from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rankwise.reports.drawing.points import padded
from rankwise.reports.drawing.style import (
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
from rankwise.reports.figures import OTHER, Axis, Bar, Bars, GroupedBars
from rankwise.tables.displayed_names import shown

ROW = 0.115
NAME_POINTS, NOTE_POINTS, TITLE_POINTS = 6.0, 5.5, 7.0
BELOW, ABOVE, RIGHT, GAP = 0.38, 0.06, 0.08, 0.06
LEAST_AXIS = 1.1


def draw_bars(figure: Bars) -> Drawing:
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


# Okabe and Ito's colours, then lighter ones; dark and light alternate, so that grey print helps.
SERIES = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#4d4d4d", "#F0E442",
    "#332288", "#AA4499",
)  # fmt: skip
AXES_HEIGHT, AXES_BELOW, AXES_LEFT, AXES_RIGHT, LEGEND_LINE = 2.3, 0.28, 0.42, 0.06, 0.15
FILLED = 0.84
MOST_IN_COLUMN = 12
GROUP_NAME_POINTS, LEGEND_POINTS = 6.5, 6.0


def draw_grouped_bars(figure: GroupedBars) -> Drawing:
    """Draw the groups at column width where there are few bars, else at page width."""
    bars = len(figure.groups) * max(len(figure.series), 1)
    width = COLUMN if bars <= MOST_IN_COLUMN and len(figure.groups) <= 4 else PAGE
    columns, rows = _shape_legend(figure, width)
    height = AXES_HEIGHT + LEGEND_LINE * rows
    drawing = new_drawing(width, height)
    above = LEGEND_LINE * rows + 0.08
    axes = drawing.add_axes(
        (
            AXES_LEFT / width,
            AXES_BELOW / height,
            1 - (AXES_LEFT + AXES_RIGHT) / width,
            1 - (AXES_BELOW + above) / height,
        )
    )
    axes.set_xlim(-0.5, max(len(figure.groups), 1) - 0.5)
    axes.set_ylim(figure.axis.low, figure.axis.high + 0.02 * (figure.axis.high - figure.axis.low))
    axes.yaxis.set_major_locator(make_locator(figure.axis, 6))
    axes.set_ylabel(figure.axis.title, labelpad=2, parse_math=False)
    axes.set_xticks([])
    end_axes(axes, None, figure.axis)
    _draw_series(axes, figure)
    for place, group in enumerate(figure.groups):
        text = write(axes, place, -0.03, group, transform=axes.get_xaxis_transform())
        text.set(ha="center", va="top", size=GROUP_NAME_POINTS)
    _draw_legend(drawing, figure, columns)
    return drawing


def _draw_series(axes: Axes, figure: GroupedBars) -> None:
    each = FILLED / max(len(figure.series), 1)
    for number, series in enumerate(figure.series):
        for place, value in enumerate(series.values):
            left = place - FILLED / 2 + number * each
            if value is not None:
                axes.bar(left, value - figure.axis.low, each * 0.92, figure.axis.low, align="edge",
                         color=SERIES[number % len(SERIES)], linewidth=0, zorder=2)  # fmt: skip
            known = series.published[place] if place < len(series.published) else None
            if known is not None:
                ends = [left - 0.04 * each, left + 0.96 * each]
                if lies_within(known, value, figure.axis):
                    axes.plot(ends, [known, known], color="white", linewidth=2.2, zorder=3)
                axes.plot(ends, [known, known], color=INK, linewidth=1.0, zorder=3.1)


def lies_within(known: float, value: float | None, axis: Axis) -> bool:
    """Whether a line lies inside its bar, far enough from the end that a white edge hides none."""
    return value is not None and known < value - 0.03 * (axis.high - axis.low)


def _shape_legend(figure: GroupedBars, width: float) -> tuple[int, int]:
    """How many names stand beside each other, and in how many lines."""
    names = [shown(series.name) for series in figure.series]
    names += ["published"] if _has_published(figure) else []
    ruler = new_drawing(1, 1)
    widest = max((text_size(ruler, name, LEGEND_POINTS)[0] for name in names), default=0.0)
    columns = max(1, min(len(names), int((width - AXES_LEFT) / (widest + 0.3))))
    return columns, -(-len(names) // columns)


def _draw_legend(drawing: Drawing, figure: GroupedBars, columns: int) -> None:
    handles: list[Patch | Line2D] = [
        Patch(color=SERIES[number % len(SERIES)], label=shown(series.name))
        for number, series in enumerate(figure.series)
    ]
    if _has_published(figure):
        handles.append(Line2D([], [], color=INK, linewidth=1.0, label="published"))
    made = drawing.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(AXES_LEFT / drawing.get_figwidth(), 1.0),
        ncols=columns, fontsize=LEGEND_POINTS, handlelength=0.9, handletextpad=0.4,
        columnspacing=1.0, borderpad=0.1, labelspacing=0.35, borderaxespad=0.2,
    )  # fmt: skip
    for text in made.get_texts():
        text.set_parse_math(False)


def _has_published(figure: GroupedBars) -> bool:
    return any(one is not None for series in figure.series for one in series.published)
