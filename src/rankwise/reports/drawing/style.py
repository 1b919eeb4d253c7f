"""What all print figures share: sizes, colours that colour-blind readers can tell apart, text.

Names are written beside marks in a drawing, placed in typographical points.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from rankwise.reports.figures import FRONT, OTHER, RANK_2, Axis
from rankwise.reports.label_placement import measure_gaps, place_labels
from rankwise.tables.displayed_names import shown

COLUMN = 3.5
PAGE = 7.1
LANDSCAPE = 9.8
DPI = 400

# Okabe and Ito's blue and vermilion; shapes differ too, so that grey print still tells them apart.
COLOURS = {FRONT: "#0072B2", RANK_2: "#D55E00", OTHER: "#8a8a8a"}
MARKERS = {FRONT: "o", RANK_2: "D", OTHER: "o"}
OWN = "#007a5a"
INK = "#1a1a1a"
FAINT = "#d9d9d9"

SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 7.0,
    "axes.labelsize": 7.0,
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.unicode_minus": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.fontsize": 6.5,
    "legend.frameon": False,
    "text.usetex": False,
    "text.color": INK,
    "savefig.dpi": DPI,
    "svg.hashsalt": "rankwise",
    "hatch.linewidth": 0.3,
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}


def new_drawing(width: float, height: float) -> Figure:
    """An empty figure of that many inches, on a canvas of its own."""
    drawing = Figure(figsize=(width, height), dpi=DPI)
    FigureCanvasAgg(drawing)
    return drawing


def text_size(
    drawing: Figure, name: str, points: float, weight: str = "normal"
) -> tuple[float, float]:
    """Width and height in inches of one line of text."""
    text = Text(0, 0, shown(name), size=points, weight=weight, parse_math=False)
    text.set_figure(drawing)
    box = text.get_window_extent()
    return box.width / drawing.dpi, box.height / drawing.dpi


def fit(drawing: Figure, name: str, points: float, inches: float, weight: str = "normal") -> str:
    """The name as it is shown, or as much of its beginning as there is room for."""
    text = shown(name)
    while len(text) > 1 and text_size(drawing, text, points, weight)[0] > inches:
        text = f"{text.removesuffix('…')[:-1]}…"
    return text


def widest(drawing: Figure, names: tuple[str, ...], points: float) -> float:
    """Width in inches of the longest of `names`."""
    return max((text_size(drawing, name, points)[0] for name in names), default=0.0)


def write(axes: Axes, x: float, y: float, name: str, **properties: Any) -> Text:
    """Write a name from a file: as it stands, never as mathematics."""
    return axes.text(x, y, shown(name), parse_math=False, **properties)


def end_axes(axes: Axes, x: Axis | None, y: Axis | None) -> None:
    """Let axes and their grid end where the range of each ends: a share goes to 1, not beyond.

    The room for names around them stays. An axis of rows is None.
    """
    wide = axes.get_xlim() if x is None else (x.low, x.high)
    high = axes.get_ylim() if y is None else (y.low, y.high)
    if x is not None:
        axes.spines["bottom"].set_bounds(*wide)
        axes.set_xticks(_inner_ticks(axes.get_xticks(), x))
        for tick in axes.get_xticks():
            _draw_grid_line(axes, (tick, tick), high)
    if y is not None:
        axes.spines["left"].set_bounds(*high)
        axes.set_yticks(_inner_ticks(axes.get_yticks(), y))
        for tick in axes.get_yticks():
            _draw_grid_line(axes, wide, (tick, tick))


def _draw_grid_line(axes: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    axes.add_line(Line2D(x, y, color=FAINT, linewidth=0.35, zorder=0.5))


def _inner_ticks(ticks: Iterable[float], axis: Axis) -> list[float]:
    slack = 1e-9 * ((axis.high - axis.low) or 1.0)
    return [float(tick) for tick in ticks if axis.low - slack <= tick <= axis.high + slack]


def make_locator(axis: Axis, most: int) -> MaxNLocator:
    """Ticks at 1, 2 or 5 times a power of ten."""
    return MaxNLocator(most, integer=axis.whole, steps=[1, 2, 5, 10])


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
        _places_in_points(drawing, axes, [(label.x, label.y) for label in labels]),
        sizes + np.array([3.0, 0.4]),
        _places_in_points(drawing, axes, obstacles),
        radius=MARK_RADIUS,
        frame=(window.width * 72 / drawing.dpi, window.height * 72 / drawing.dpi),
        lines=_places_in_points(drawing, axes, lines),
    )
    marks = _places_in_points(drawing, axes, [*((one.x, one.y) for one in labels), *obstacles])
    for label, size, centre, distance in zip(
        labels, sizes, placement.centres, placement.distances, strict=True
    ):
        if not np.isnan(distance):
            mark = _places_in_points(drawing, axes, [(label.x, label.y)])[0]
            near = np.clip(mark, centre - size / 2, centre + size / 2)
            ends = [_place_in_data(drawing, axes, place) for place in (centre, near)]
            led = distance > LEADER_FROM or is_nearer_another(mark, centre, size, marks)
            _write_label(axes, label, ends[0], ends[1] if led else None)


def is_nearer_another(mark: Array, centre: Array, size: Array, marks: Array) -> bool:
    """Whether a label stands nearer to another mark than to its own: it then needs a leader."""
    gaps = measure_gaps(centre[None], size / 2, np.concatenate([mark[None], marks]))[0]
    return bool((gaps[1:] < gaps[0] - 1e-9).any())


def _places_in_points(drawing: Drawing, axes: Axes, places: Sequence[tuple[float, float]]) -> Array:
    """Typographical points from the lower left corner of the axes."""
    pixels = axes.transData.transform(np.array(places, dtype=np.float64).reshape(-1, 2))
    corner = axes.get_window_extent().p0
    return np.asarray((pixels - corner) * 72 / drawing.dpi)


def _place_in_data(drawing: Drawing, axes: Axes, centre: Array) -> tuple[float, float]:
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
