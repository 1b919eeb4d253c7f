"""The critical-difference diagram (Demšar 2006): average ranks, bars over what cannot be told apart."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from rankwise.reports.figures import CriticalDifference
from rankwise.reports.matplotlib_renderer.style import (
    COLOURS,
    COLUMN,
    INK,
    PAGE,
    new_drawing,
    text_size,
    widest,
    write,
)

NAME_POINTS = 6.5
LINE = 0.14
RULER = 0.52
GROUP = 0.065
MANY = 10


def draw(figure: CriticalDifference) -> Drawing:
    """Draw the better half on the left, the other half on the right, ranks on the ruler above."""
    width = COLUMN if len(figure.names) <= MANY else PAGE
    half = math.ceil(len(figure.names) / 2)
    lanes = _lanes(figure.groups)
    bars = GROUP * (max(lanes, default=0) + 1)
    height = RULER + bars + LINE * half + 0.12
    drawing = new_drawing(width, height)
    axes = drawing.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    side = widest(drawing, figure.names, NAME_POINTS) + 0.34
    axes.set_xlim(*_inches_to_ranks(figure, width, side))
    axes.set_ylim(height, 0)
    _draw_ruler(axes, figure)
    _draw_methods(axes, figure, half, RULER + bars, side, width)
    for (first, last), lane in zip(figure.groups, lanes, strict=True):
        _draw_group(axes, figure, first, last, RULER + GROUP * (lane + 0.6))
    return drawing


def _inches_to_ranks(figure: CriticalDifference, width: float, side: float) -> tuple[float, float]:
    """The ranks at the drawing's edges, so that ranks 1 to n lie between the names."""
    count = max(len(figure.names), 2)
    scale = (count - 1) / (width - 2 * side)
    return 1 - side * scale, count + side * scale


def _draw_ruler(axes: Axes, figure: CriticalDifference) -> None:
    count = max(len(figure.names), 2)
    axes.plot([1, count], [RULER - 0.06] * 2, color=INK, linewidth=0.8)
    for rank in range(1, count + 1):
        axes.plot([rank, rank], [RULER - 0.12, RULER - 0.06], color=INK, linewidth=0.6)
        text = write(axes, rank, RULER - 0.14, str(rank), size=6.0)
        text.set(ha="center", va="bottom")
    end = 1 + figure.difference
    axes.plot([1, end], [0.16, 0.16], color=INK, linewidth=1.0)
    for edge in (1, end):
        axes.plot([edge, edge], [0.13, 0.19], color=INK, linewidth=0.8)
    text = write(axes, (1 + end) / 2, 0.125, f"CD = {figure.difference:.2f}", size=6.0)
    text.set(ha="center", va="bottom")


def _draw_methods(
    axes: Axes, figure: CriticalDifference, half: int, top: float, side: float, width: float
) -> None:
    low, high = axes.get_xlim()
    scale = (high - low) / width
    pairs = list(zip(figure.names, figure.ranks, strict=True))
    for position, (name, rank) in enumerate(pairs):
        left = position < half
        line = position if left else len(pairs) - 1 - position
        y = top + LINE * (line + 0.6)
        edge = 1 - 0.06 * scale if left else max(len(pairs), 2) + 0.06 * scale
        axes.plot([rank, rank, edge], [RULER - 0.06, y, y], color="#777777", linewidth=0.5)
        outwards = -0.03 * scale if left else 0.03 * scale
        text = write(axes, edge + outwards, y, f"{name}", size=NAME_POINTS)
        text.set(ha="right" if left else "left", va="center_baseline")
        text = write(axes, edge - outwards, y - 0.01, f"{rank:.2f}", size=4.8, color="#555555")
        text.set(ha="left" if left else "right", va="bottom")


def _draw_group(axes: Axes, figure: CriticalDifference, first: int, last: int, y: float) -> None:
    axes.plot(
        [figure.ranks[first], figure.ranks[last]],
        [y, y],
        color=COLOURS[1],
        linewidth=2.0,
        solid_capstyle="round",
    )


def _lanes(groups: tuple[tuple[int, int], ...]) -> list[int]:
    """For each group the first line on which it touches no earlier group."""
    ends: list[int] = []
    chosen = []
    for first, last in groups:
        lane = next((lane for lane, end in enumerate(ends) if end < first), len(ends))
        ends[lane : lane + 1] = [last]
        chosen.append(lane)
    return chosen
