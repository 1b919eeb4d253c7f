"""Bagplots beside each other: bag, loop, depth median and the named outliers of each method."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Polygon
from matplotlib.ticker import MaxNLocator

from rankwise.reports.figures import Bagplot, Bagplots
from rankwise.reports.matplotlib_renderer.labelling import Label, write_labels
from rankwise.reports.matplotlib_renderer.style import COLOURS, FAINT, PAGE, new_drawing
from rankwise.reports.names import shown

PANEL = 1.95
ACROSS = 3
LABEL_POINTS = 5.0


def draw(figure: Bagplots) -> Drawing:
    """Draw up to three bagplots a row, each with axes of its own."""
    across = min(ACROSS, max(len(figure.panels), 1))
    down = math.ceil(len(figure.panels) / across) or 1
    drawing = new_drawing(PAGE * across / ACROSS, PANEL * down)
    for number, panel in enumerate(figure.panels):
        axes = _panel_axes(drawing, number, across, down)
        _draw_panel(axes, panel)
        axes.set_title(shown(panel.name), size=7, weight="bold", pad=3, parse_math=False)
        if number % across == 0:
            axes.set_ylabel(figure.y_title, labelpad=2, parse_math=False)
        if number + across >= len(figure.panels):
            axes.set_xlabel(figure.x_title, labelpad=2, parse_math=False)
        _label_outliers(drawing, axes, panel)
    return drawing


def _panel_axes(drawing: Drawing, number: int, across: int, down: int) -> Axes:
    row, column = divmod(number, across)
    left, right, below, above = 0.18, 0.03, 0.2, 0.12
    return drawing.add_axes(
        (
            (column + left) / across,
            (down - 1 - row + below) / down,
            (1 - left - right) / across,
            (1 - below - above) / down,
        )
    )


def _draw_panel(axes: Axes, panel: Bagplot) -> None:
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


def _set_limits(axes: Axes, panel: Bagplot) -> None:
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
    axes.tick_params(labelsize=5.5)
    axes.grid(True, color=FAINT, linewidth=0.35)
    axes.set_axisbelow(True)


def _label_outliers(drawing: Drawing, axes: Axes, panel: Bagplot) -> None:
    labels = [
        Label(f"without {point.name}", point.x, point.y, LABEL_POINTS)
        for point in panel.points
        if point.outlier
    ]
    others = [(point.x, point.y) for point in panel.points if not point.outlier]
    write_labels(drawing, axes, labels, [*others, panel.median])
