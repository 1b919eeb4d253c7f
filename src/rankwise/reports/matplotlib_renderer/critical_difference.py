"""The critical-difference diagram (Demšar 2006): ranks, and bars over what is not told apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from rankwise.reports.figures import CriticalDifference
from rankwise.reports.matplotlib_renderer.style import (
    COLOURS,
    COLUMN,
    INK,
    PAGE,
    new_drawing,
    widest,
    write,
)

NAME_POINTS = 6.5
LINE = 0.14
RULER = 0.52
GROUP = 0.065
VALUE = 0.26
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


def draw(figure: CriticalDifference) -> Drawing:
    """Draw the better half on the left, the other half on the right, ranks on the ruler above."""
    ruler = _ruler(figure)
    half = math.ceil(len(figure.names) / 2)
    lanes = _lanes(figure.groups)
    top = RULER + GROUP * (max(lanes, default=0) + 1)
    height = top + LINE * half + 0.12
    drawing = new_drawing(ruler.width, height)
    axes = drawing.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, ruler.width)
    axes.set_ylim(height, 0)
    _draw_ruler(axes, ruler, figure)
    _draw_methods(axes, ruler, figure, half, top)
    for (first, last), lane in zip(figure.groups, lanes, strict=True):
        ends = [ruler.inches(figure.ranks[first]), ruler.inches(figure.ranks[last])]
        y = RULER + GROUP * (lane + 0.6)
        axes.plot(ends, [y, y], color=COLOURS[1], linewidth=2.0, solid_capstyle="round")
    return drawing


def _ruler(figure: CriticalDifference) -> _Ruler:
    """At column width where names and ruler fit, else at page width or what the names need."""
    side = widest(new_drawing(1, 1), figure.names, NAME_POINTS) + VALUE + 0.12
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
        y = top + LINE * ((position if left else len(pairs) - 1 - position) + 0.6)
        outwards, alignment = (-1, "right") if left else (1, "left")
        edge = (ruler.side if left else ruler.width - ruler.side) + 0.06 * outwards
        x = ruler.inches(rank)
        axes.plot([x, x, edge], [RULER - 0.06, y, y], color="#777777", linewidth=0.5)
        value = write(axes, edge + 0.03 * outwards, y, f"{rank:.2f}", size=5.2, color="#555555")
        value.set(ha=alignment, va="center_baseline")
        text = write(axes, edge + VALUE * outwards, y, name, size=NAME_POINTS)
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
