"""Figures as data: what is drawn, never how; each renderer draws every kind.

The kinds are frozen dataclasses of names and numbers. `encode_figure` turns one into lists and
dictionaries, which is what the page embeds; `rankwise.reports.matplotlib_renderer` draws the same
objects for print.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FRONT = 1
RANK_2 = 2
OTHER = 0


@dataclass(frozen=True)
class Axis:
    """A linear axis: its title, its range, and whether only whole numbers make sense on it."""

    title: str
    low: float
    high: float
    whole: bool = False


@dataclass(frozen=True)
class PlottedPoint:
    """One method in a scatter: `front` is 1 on the Pareto front, 2 on the rank-2 front, else 0.

    `labelled` asks for a printed name; `detail` is what a reader gets when pointing at it.
    """

    name: str
    x: float
    y: float
    front: int = OTHER
    labelled: bool = False
    detail: str = ""


@dataclass(frozen=True)
class Scatter:
    """Methods in the plane, as in Figures 1-5 of Tax, Bockting and Hiemstra (2015)."""

    name: str
    title: str
    caption: str
    x: Axis
    y: Axis
    points: tuple[PlottedPoint, ...]

    def staircase(self) -> tuple[tuple[float, float], ...]:
        """The border of what the front dominates: right along each optimum, then down."""
        optima = sorted({(point.x, point.y) for point in self.points if point.front == FRONT})
        steps: list[tuple[float, float]] = []
        for x, y in optima:
            if steps:
                steps.append((steps[-1][0], y))
            steps.append((x, y))
        return tuple(steps)


@dataclass(frozen=True)
class Bar:
    """A value with, where it is known, the interval around it."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    front: int = OTHER
    detail: str = ""


@dataclass(frozen=True)
class Bars:
    """Values of methods one under the other, with their intervals."""

    name: str
    title: str
    caption: str
    axis: Axis
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class GridCell:
    """One filled field of a grid: where it is, its shade in [0, 1], and its text."""

    row: int
    column: int
    shade: float
    text: str


@dataclass(frozen=True)
class GridColumn:
    """A column of a heat map; neighbours with the same `group` stand under one heading."""

    group: str
    name: str


@dataclass(frozen=True)
class HeatMap:
    """A sparse table as a grid: a field without a result stays empty."""

    name: str
    title: str
    caption: str
    scale: str
    rows: tuple[str, ...]
    columns: tuple[GridColumn, ...]
    cells: tuple[GridCell, ...]


@dataclass(frozen=True)
class Matrix:
    """Method against method; the shade is centred on one half, where neither is better."""

    name: str
    title: str
    caption: str
    scale: str
    names: tuple[str, ...]
    cells: tuple[GridCell, ...]


@dataclass(frozen=True)
class CriticalDifference:
    """Average ranks on a line, best first; `groups` are the pairs (first, last) of positions
    between which no difference reaches the critical one (Demšar 2006)."""

    name: str
    title: str
    caption: str
    difference: float
    names: tuple[str, ...]
    ranks: tuple[float, ...]
    groups: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class LeftOut:
    """Where a method stands when one data set (or measure, or study) is left out."""

    name: str
    x: float
    y: float
    outlier: bool = False


@dataclass(frozen=True)
class BagplotFigure:
    """A bivariate box plot (Rousseeuw, Ruts and Tukey 1999): depth median, bag, loop, outliers.

    `held` is the number of points in the bag.
    """

    name: str
    points: tuple[LeftOut, ...]
    median: tuple[float, float]
    bag: tuple[tuple[float, float], ...]
    loop: tuple[tuple[float, float], ...]
    held: int


@dataclass(frozen=True)
class Bagplots:
    """One bagplot a method beside each other, as in Figure 6 of the cross-benchmark paper."""

    name: str
    title: str
    caption: str
    x_title: str
    y_title: str
    panels: tuple[BagplotFigure, ...]


@dataclass(frozen=True)
class PlottedLine:
    """A line through points from left to right; `labelled` asks for a printed name."""

    name: str
    points: tuple[tuple[float, float], ...]
    labelled: bool = False


@dataclass(frozen=True)
class Lines:
    """Lines over one axis, such as weights along a parameter."""

    name: str
    title: str
    caption: str
    x: Axis
    y: Axis
    lines: tuple[PlottedLine, ...]


Figure = Scatter | Bars | HeatMap | Matrix | CriticalDifference | Bagplots | Lines


def encode_figure(figure: Figure) -> dict[str, Any]:
    """The figure as dictionaries and lists, its kind under `kind`."""
    return {"kind": type(figure).__name__, **asdict(figure)}
