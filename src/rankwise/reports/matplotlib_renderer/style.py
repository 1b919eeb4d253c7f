"""What all print figures share: sizes, colours that colour-blind readers can tell apart, text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator

from rankwise.reports.figures import FRONT, OTHER, RANK_2, Axis
from rankwise.reports.names import shown

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
