"""Names written beside marks in a drawing, placed in typographical points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from rankwise.reports.labels import measure_gaps, place_labels
from rankwise.reports.matplotlib_renderer.style import INK, text_size, write

Array = NDArray[np.float64]

MARK_RADIUS = 2.6
LEADER_FROM = 6.0


@dataclass(frozen=True)
class Label:
    """A name wanted beside the mark at (x, y) of the data, at a size in points."""

    name: str
    x: float
    y: float
    points: float
    colour: str = INK


def write_labels(
    drawing: Drawing,
    axes: Axes,
    labels: Sequence[Label],
    obstacles: Sequence[tuple[float, float]],
    lines: Sequence[tuple[float, float]] = (),
) -> None:
    """Write `labels` (the most important first) where they cover neither each other nor a mark.

    `obstacles` are the marks without labels, `lines` points of lines.
    """
    if not labels:
        return
    sizes = np.array([text_size(drawing, label.name, label.points) for label in labels]) * 72
    window = axes.get_window_extent()
    placement = place_labels(
        _in_points(drawing, axes, [(label.x, label.y) for label in labels]),
        sizes + np.array([3.0, 0.4]),
        _in_points(drawing, axes, obstacles),
        radius=MARK_RADIUS,
        frame=(window.width * 72 / drawing.dpi, window.height * 72 / drawing.dpi),
        lines=_in_points(drawing, axes, lines),
    )
    marks = _in_points(drawing, axes, [*((one.x, one.y) for one in labels), *obstacles])
    for label, size, centre, distance in zip(
        labels, sizes, placement.centres, placement.distances, strict=True
    ):
        if not np.isnan(distance):
            mark = _in_points(drawing, axes, [(label.x, label.y)])[0]
            near = np.clip(mark, centre - size / 2, centre + size / 2)
            ends = [_in_data(drawing, axes, place) for place in (centre, near)]
            led = distance > LEADER_FROM or is_nearer_another(mark, centre, size, marks)
            _write_label(axes, label, ends[0], ends[1] if led else None)


def is_nearer_another(mark: Array, centre: Array, size: Array, marks: Array) -> bool:
    """Whether a label stands nearer to another mark than to its own: it then needs a leader."""
    gaps = measure_gaps(centre[None], size / 2, np.concatenate([mark[None], marks]))[0]
    return bool((gaps[1:] < gaps[0] - 1e-9).any())


def _in_points(drawing: Drawing, axes: Axes, places: Sequence[tuple[float, float]]) -> Array:
    """Typographical points from the lower left corner of the axes."""
    pixels = axes.transData.transform(np.array(places, dtype=np.float64).reshape(-1, 2))
    corner = axes.get_window_extent().p0
    return np.asarray((pixels - corner) * 72 / drawing.dpi)


def _in_data(drawing: Drawing, axes: Axes, centre: Array) -> tuple[float, float]:
    pixels = centre * drawing.dpi / 72 + axes.get_window_extent().p0
    x, y = axes.transData.inverted().transform(pixels)
    return float(x), float(y)


def _write_label(
    axes: Axes, label: Label, place: tuple[float, float], leader: tuple[float, float] | None
) -> None:
    if leader is not None:
        ends = ([label.x, leader[0]], [label.y, leader[1]])
        axes.plot(*ends, color=INK, linewidth=0.35, alpha=0.7, zorder=5.5)
    text = write(axes, *place, label.name, size=label.points, color=label.colour)
    text.set(ha="center", va="center", zorder=6)
    text.set_path_effects([withStroke(linewidth=1.4, foreground="white")])
