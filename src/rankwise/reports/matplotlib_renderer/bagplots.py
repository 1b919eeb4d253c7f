"""Bagplots beside each other: bag, loop, depth median and the named outliers of each method."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Polygon
from matplotlib.ticker import MaxNLocator

from rankwise.reports.figures import BagplotFigure, Bagplots
from rankwise.reports.matplotlib_renderer.labelling import Label, write_labels
from rankwise.reports.matplotlib_renderer.style import COLOURS, FAINT, fit, new_drawing

ACROSS = 3
LABEL_POINTS, TITLE_POINTS = 5.0, 7.0
# Inches: a panel with the room around it, and the margins that hold the shared titles.
PANEL_WIDTH, PANEL_HEIGHT = 2.3, 1.8
LEFT, BELOW, RIGHT = 0.2, 0.2, 0.1
INNER = (0.34, 0.2, 1.9, 1.38)


def draw(figure: Bagplots) -> Drawing:
    """Draw up to three bagplots a row, each with axes of its own."""
    across = min(ACROSS, max(len(figure.panels), 1))
    down = math.ceil(len(figure.panels) / across) or 1
    width, height = LEFT + PANEL_WIDTH * across + RIGHT, BELOW + PANEL_HEIGHT * down
    drawing = new_drawing(width, height)
    for number, panel in enumerate(figure.panels):
        row, column = divmod(number, across)
        left, bottom = LEFT + PANEL_WIDTH * column, BELOW + PANEL_HEIGHT * (down - 1 - row)
        x, y, panel_width, panel_height = INNER
        axes = drawing.add_axes(
            (
                (left + x) / width,
                (bottom + y) / height,
                panel_width / width,
                panel_height / height,
            )
        )
        title = fit(drawing, panel.name, TITLE_POINTS, INNER[2] + 0.3, "bold")
        axes.set_title(title, size=TITLE_POINTS, weight="bold", pad=3, parse_math=False)
        _draw_panel(axes, panel)
        _label_outliers(drawing, axes, panel)
    drawing.text(0.02 / width, 0.5, figure.y_title, rotation=90, ha="left", va="center")
    drawing.text(
        (LEFT + width - RIGHT) / 2 / width, 0.03 / height, figure.x_title, ha="center", va="bottom"
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
