"""Grids: the heat map of a sparse table and the win matrix, as large as their names need."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Rectangle

from rankwise.reports.drawing.style import (
    FAINT,
    INK,
    LANDSCAPE,
    PAGE,
    new_drawing,
    text_size,
    widest,
    write,
)
from rankwise.reports.figures import GridCell, HeatMap, Matrix

NAME_POINTS = 5.0
CELL_POINTS = 4.6
GAP = 0.05
ROW = 0.098
LEGEND = 0.36
SCALE = 1.5
SCALE_POINTS = 5.5
TEXT_FROM = 0.2
UPRIGHT_COLUMNS = 80
HEAT_CELL = 0.3
HEADING_POINTS, SMALLEST_HEADING = 6.0, 4.0
HATCH = "#dcdcdc"

# Both go from light to dark evenly and stay apart for every kind of colour blindness.
SEQUENTIAL = LinearSegmentedColormap.from_list(
    "rankwise-sequential", ["#dfe3ee", "#a6bddb", "#3690c0", "#045a8d", "#023858"]
)
DIVERGING = LinearSegmentedColormap.from_list(
    "rankwise-diverging", ["#b35806", "#f1a340", "#f7f7f7", "#998ec3", "#542788"]
)


@dataclass(frozen=True)
class _Layout:
    """Inches: the grid's place in the drawing and the size of one field."""

    width: float
    height: float
    left: float
    bottom: float
    cell_width: float
    cell_height: float
    rows: int
    columns: int


@dataclass(frozen=True)
class _Headings:
    """The headings of groups of columns, all of one size: above them, or upright where narrow."""

    groups: tuple[tuple[str, int], ...]
    points: float
    upright: bool
    height: float

    @classmethod
    def of(cls, figure: HeatMap, cell_width: float) -> _Headings:
        """The headings of a heat map whose columns have this width, in inches."""
        found = groupby(figure.columns, key=lambda column: column.group)
        groups = tuple((name, len(list(members))) for name, members in found)
        ruler = new_drawing(1, 1)
        widths = [text_size(ruler, name, HEADING_POINTS, "bold")[0] for name, _ in groups]
        rooms = [columns * cell_width - 0.5 * GAP for _, columns in groups]
        fitting = min((room / width for room, width in zip(rooms, widths, strict=True) if width),
                      default=1.0)  # fmt: skip
        points = HEADING_POINTS * min(fitting, 1.0)
        if points >= SMALLEST_HEADING:
            return cls(groups, points, False, 0.16 + GAP)
        points = min(HEADING_POINTS, NAME_POINTS)
        return cls(groups, points, True, max(widths) * points / HEADING_POINTS + 2 * GAP)


def draw_heat_map(figure: HeatMap) -> Drawing:
    """Draw results as shades, methods down, data sets across under their measures."""
    names = tuple(column.name for column in figure.columns)
    headings = _Headings.of(figure, _cell_width(figure.rows, names, HEAT_CELL))
    drawing, layout = _sized(
        figure.rows, names, figure.scale, heading=headings.height, widest_cell=HEAT_CELL,
        square=False,
    )  # fmt: skip
    axes = _grid(drawing, layout)
    _draw_cells(axes, layout, figure.cells, SEQUENTIAL, [cell.text for cell in figure.cells])
    _write_names(axes, layout, figure.rows, names)
    _write_groups(axes, layout, headings, names)
    _draw_scale(drawing, layout, SEQUENTIAL, figure.scale)
    return drawing


def draw_matrix(figure: Matrix) -> Drawing:
    """Draw how often the method of the row beats the method of the column."""
    drawing, layout = _sized(
        figure.names, figure.names, figure.scale, heading=0.0, widest_cell=0.24, square=True
    )
    axes = _grid(drawing, layout)
    shares = [f"{cell.shade:.2f}".removeprefix("0") for cell in figure.cells]
    _draw_cells(axes, layout, figure.cells, DIVERGING, shares)
    _write_names(axes, layout, figure.names, figure.names)
    _draw_scale(drawing, layout, DIVERGING, figure.scale)
    return drawing


def _sized(
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    scale: str,
    *,
    heading: float,
    widest_cell: float,
    square: bool,
) -> tuple[Drawing, _Layout]:
    """An empty drawing in which all names and fields fit, no wider than a page on its side."""
    ruler = new_drawing(1, 1)
    left = widest(ruler, rows, NAME_POINTS) + 2 * GAP
    top = widest(ruler, columns, NAME_POINTS) + 2 * GAP + heading
    cell_width = _cell_width(rows, columns, widest_cell)
    cell_height = cell_width if square else max(ROW, min(0.14, 0.5 * cell_width))
    grid_height = cell_height * max(len(rows), 1)
    width = left + cell_width * max(len(columns), 1) + GAP
    height = top + grid_height + LEGEND
    # A grid of few columns is narrower than its scale with the words beside it.
    legend = left + SCALE + 0.1 + text_size(ruler, scale, SCALE_POINTS)[0] + GAP
    width = max(width, left + SCALE + 0.1, min(legend, PAGE))
    drawing = new_drawing(width, height)
    return drawing, _Layout(
        width, height, left, LEGEND, cell_width, cell_height, len(rows), len(columns)
    )


def _cell_width(rows: tuple[str, ...], columns: tuple[str, ...], widest_cell: float) -> float:
    """What the page leaves for each column beside the names of the rows."""
    left = widest(new_drawing(1, 1), rows, NAME_POINTS) + 2 * GAP
    room = (PAGE if len(columns) <= UPRIGHT_COLUMNS else LANDSCAPE) - left - GAP
    return min(widest_cell, room / max(len(columns), 1))


def _grid(drawing: Drawing, layout: _Layout) -> Axes:
    axes = drawing.add_axes(
        (
            layout.left / layout.width,
            layout.bottom / layout.height,
            layout.cell_width * layout.columns / layout.width,
            layout.cell_height * layout.rows / layout.height,
        )
    )
    axes.set_xlim(0, max(layout.columns, 1))
    axes.set_ylim(max(layout.rows, 1), 0)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.set_facecolor("white")
    # What has no result shows the hatching; results are drawn over it.
    axes.add_patch(
        Rectangle(
            (0, 0),
            layout.columns,
            layout.rows,
            facecolor="white",
            edgecolor=HATCH,
            hatch="//////",
            linewidth=0,
            zorder=0,
        )
    )
    for row in range(0, layout.rows + 1):
        axes.axhline(row, color=FAINT, linewidth=0.25, zorder=0, clip_on=False)
    return axes


def _draw_cells(
    axes: Axes, layout: _Layout, cells: tuple[GridCell, ...], colours: Colormap, texts: list[str]
) -> None:
    fields = [Rectangle((cell.column, cell.row), 1, 1) for cell in cells]
    shades = colours(np.array([cell.shade for cell in cells]))
    axes.add_collection(
        PatchCollection(fields, facecolors=shades, edgecolors="white", linewidths=0.3)
    )
    if layout.cell_width < TEXT_FROM:
        return
    for cell, shade, content in zip(cells, shades, texts, strict=True):
        ink = "white" if np.dot(shade[:3], [0.299, 0.587, 0.114]) < 0.5 else INK
        middle = (cell.column + 0.5, cell.row + 0.5)
        text = write(axes, *middle, content, size=CELL_POINTS, color=ink)
        text.set(ha="center", va="center_baseline")


def _write_names(
    axes: Axes, layout: _Layout, rows: tuple[str, ...], columns: tuple[str, ...]
) -> None:
    away = GAP / layout.cell_width
    for row, name in enumerate(rows):
        text = write(axes, -away, row + 0.5, name, size=NAME_POINTS)
        text.set(ha="right", va="center_baseline")
    for column, name in enumerate(columns):
        text = write(axes, column + 0.5, -GAP / layout.cell_height, name, size=NAME_POINTS)
        text.set(ha="center", va="bottom", rotation=90)


def _write_groups(axes: Axes, layout: _Layout, headings: _Headings, names: tuple[str, ...]) -> None:
    """The measures above their columns, with a rule between two of them."""
    top = widest(new_drawing(1, 1), names, NAME_POINTS) + 2 * GAP
    height = -top / layout.cell_height
    above = height - 0.5 * GAP / layout.cell_height
    start = 0
    for group, columns in headings.groups:
        end = start + columns
        axes.plot(
            [start + 0.15, end - 0.15], [height, height], color=INK, linewidth=0.6, clip_on=False
        )
        middle = (start + end) / 2
        text = write(axes, middle, above, group, size=headings.points, weight="bold")
        text.set(ha="center", va="bottom", rotation=90 if headings.upright else 0)
        if start:
            axes.axvline(start, color=INK, linewidth=0.5, zorder=3)
        start = end


def _draw_scale(drawing: Drawing, layout: _Layout, colours: Colormap, title: str) -> None:
    length = min(SCALE, layout.width - layout.left - 2 * GAP)
    axes = drawing.add_axes(
        (
            layout.left / layout.width,
            (LEGEND - 0.13) / layout.height,
            length / layout.width,
            0.06 / layout.height,
        )
    )
    bar = drawing.colorbar(
        ScalarMappable(Normalize(0, 1), colours), cax=axes, orientation="horizontal"
    )
    bar.outline.set_linewidth(0.4)
    bar.set_ticks([0, 0.5, 1])
    axes.tick_params(labelsize=5.0, length=1.5, width=0.4, pad=1)
    beside = length + 0.1
    text = axes.text(
        beside / length, 0.5, title, size=SCALE_POINTS, transform=axes.transAxes, parse_math=False
    )
    text.set(ha="left", va="center_baseline")
    if layout.left + beside + text_size(drawing, title, SCALE_POINTS)[0] > layout.width:
        text.set(position=(-0.06, 0.5), ha="right")
