"""Figures as data: what is drawn, never how; each renderer draws every kind.

The kinds are frozen dataclasses of names and numbers. `encode_figure` turns one into lists and
dictionaries, which is what the page embeds; `rankwise.reports.drawing.renderer` draws the same
objects for print, in the formats of `FIGURE_FORMATS`, which options name.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FRONT = 1
RANK_2 = 2
OTHER = 0
FRONT_MEANINGS = ((FRONT, "Pareto front"), (RANK_2, "Rank-2 front"), (OTHER, "Other methods"))


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

    `labelled` asks for a printed name; `detail` is what a reader gets when pointing at it; `own` is
    a method of the reader's among published ones.
    """

    name: str
    x: float
    y: float
    front: int = OTHER
    labelled: bool = False
    detail: str = ""
    own: bool = False


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
    """A value with, where it is known, the interval around it; `note` is printed behind it."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    front: int = OTHER
    detail: str = ""
    own: bool = False
    note: str = ""


@dataclass(frozen=True)
class Bars:
    """Values of methods one under the other, with their intervals; a line at the `reference`.

    `meanings` say what the marks of each `front` mean; none are explained where it is empty.
    """

    name: str
    title: str
    caption: str
    axis: Axis
    bars: tuple[Bar, ...]
    reference: float | None = None
    meanings: tuple[tuple[int, str], ...] = FRONT_MEANINGS


@dataclass(frozen=True)
class QueryPoint:
    """A query in the plane of two methods: the value of one to the right, of the other upwards."""

    name: str
    x: float
    y: float
    labelled: bool = False


@dataclass(frozen=True)
class QueryScatter:
    """Two methods query by query; above the diagonal the method of the upright axis is better."""

    name: str
    title: str
    caption: str
    x: Axis
    y: Axis
    points: tuple[QueryPoint, ...]


@dataclass(frozen=True)
class BarSeries:
    """One bar in every group, and what was published of it; None where there is nothing."""

    name: str
    values: tuple[float | None, ...]
    published: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class GroupedBars:
    """Bars in groups beside each other, a line across each bar where a published value is known."""

    name: str
    title: str
    caption: str
    axis: Axis
    groups: tuple[str, ...]
    series: tuple[BarSeries, ...]


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
    collection: str = ""


@dataclass(frozen=True)
class HeatMap:
    """A sparse table as a grid: a field without a result is hatched."""

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


@dataclass(frozen=True)
class LearningCurve:
    """A figure that changes along x, with its interval; of the same `group` they share a colour.

    `kind` is how it is drawn: solid, dashed, or flat, a level across the whole figure.
    """

    name: str
    group: str
    kind: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class LearningCurves:
    """Figures that change as something grows by factors, for print only."""

    name: str
    title: str
    caption: str
    x: Axis
    y: Axis
    curves: tuple[LearningCurve, ...]


Figure = (
    Scatter
    | QueryScatter
    | Bars
    | GroupedBars
    | HeatMap
    | Matrix
    | CriticalDifference
    | Bagplots
    | Lines
    | LearningCurves
)


def encode_figure(figure: Figure) -> dict[str, Any]:
    """The figure as dictionaries and lists, its kind under `kind`."""
    return {"kind": type(figure).__name__, **asdict(figure)}


FIGURE_FORMATS = ("png", "svg", "pdf")
DEFAULT_TITLE = "Comparison of ranking methods"
