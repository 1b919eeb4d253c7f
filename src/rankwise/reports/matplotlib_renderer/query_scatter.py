"""Two methods query by query: a dot a query, the diagonal on which both are level."""

from __future__ import annotations

from matplotlib.figure import Figure as Drawing

from rankwise.reports.figures import FRONT, QueryScatter
from rankwise.reports.matplotlib_renderer.labelling import Label, write_labels
from rankwise.reports.matplotlib_renderer.scatter import padded
from rankwise.reports.matplotlib_renderer.style import (
    COLOURS,
    COLUMN,
    INK,
    end_axes,
    make_locator,
    new_drawing,
)

LABEL_POINTS = 5.5
CROWD = 200


def draw(figure: QueryScatter) -> Drawing:
    """Draw a square plane at column width; many queries are drawn smaller and see-through."""
    drawing = new_drawing(COLUMN, COLUMN)
    axes = drawing.add_axes((0.13, 0.115, 0.83, 0.845))
    axes.set_xlim(*padded(figure.x, 0.03, 0.05))
    axes.set_ylim(*padded(figure.y, 0.03, 0.05))
    axes.set_xlabel(figure.x.title, labelpad=2, parse_math=False)
    axes.set_ylabel(figure.y.title, labelpad=2, parse_math=False)
    axes.xaxis.set_major_locator(make_locator(figure.x, 6))
    axes.yaxis.set_major_locator(make_locator(figure.y, 6))
    end_axes(axes, figure.x, figure.y)
    ends = [figure.x.low, figure.x.high]
    axes.plot(ends, ends, color=INK, linewidth=0.6, zorder=1)
    crowded = len(figure.points) > CROWD
    axes.scatter(
        [point.x for point in figure.points],
        [point.y for point in figure.points],
        s=5.0 if crowded else 9.0,
        color=COLOURS[FRONT],
        alpha=0.35 if crowded else 0.6,
        linewidths=0,
        zorder=2,
        clip_on=False,
    )
    labels = [
        Label(f"query {point.name}", point.x, point.y, LABEL_POINTS)
        for point in figure.points
        if point.labelled
    ]
    others = [(point.x, point.y) for point in figure.points if not point.labelled]
    write_labels(drawing, axes, labels, others)
    return drawing
