"""Learning curves: x grows by factors, bands are intervals, levels go across."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from rankwise.reports.figures import LearningCurve, LearningCurves
from rankwise.reports.matplotlib_renderer.style import COLUMN, FAINT, INK, new_drawing
from rankwise.reports.names import shown

# Okabe and Ito; further groups begin again.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_STYLES = {"solid": "-", "dashed": (0, (3, 2)), "flat": (0, (1, 1))}
_MARKS = {"solid": "o", "dashed": "D", "flat": ""}
_HEIGHT, _BELOW = 2.6, 0.34
_LEFT, _RIGHT, _ABOVE, _LINE = 0.46, 0.08, 0.06, 0.125
# Places on the axis up to which each has its number.
_FEW = 6


def draw(figure: LearningCurves) -> Drawing:
    """Draw at column width, the names below in two columns."""
    rows = (len(figure.curves) + 1) // 2
    below = _BELOW + _LINE * rows + 0.1
    height = _HEIGHT + _LINE * rows
    drawing = new_drawing(COLUMN, height)
    axes = drawing.add_axes(
        (
            _LEFT / COLUMN,
            below / height,
            (COLUMN - _LEFT - _RIGHT) / COLUMN,
            1 - (below + _ABOVE) / height,
        )
    )
    axes.set_xscale("log")
    _mark_places(axes, figure)
    axes.set_xlim(figure.x.low, figure.x.high)
    axes.set_ylim(figure.y.low, figure.y.high)
    axes.set_xlabel(figure.x.title, labelpad=2, parse_math=False)
    axes.set_ylabel(figure.y.title, labelpad=2, parse_math=False)
    axes.grid(True, color=FAINT, linewidth=0.35)
    axes.set_axisbelow(True)
    groups = list(dict.fromkeys(curve.group for curve in figure.curves))
    for curve in figure.curves:
        _draw_curve(axes, curve, groups.index(curve.group), figure)
    drawing.legend(loc="lower center", ncol=2, handlelength=2.6, labelspacing=0.25)
    return drawing


def _mark_places(axes: Axes, figure: LearningCurves) -> None:
    """A few places are marked by themselves: powers of ten say little between 5 and 100."""
    places = sorted({place for curve in figure.curves for place in curve.x})
    if 0 < len(places) <= _FEW:
        axes.set_xticks(places, [f"{place:g}" for place in places])
        axes.set_xticks([], minor=True)


def _draw_curve(axes: Axes, curve: LearningCurve, group: int, figure: LearningCurves) -> None:
    colour = _COLOURS[group % len(_COLOURS)] if curve.group else INK
    name = shown(curve.name).replace("$", r"\$")
    style: dict[str, Any] = {
        "color": colour,
        "linestyle": _STYLES[curve.kind],
        "linewidth": 1.0,
        "label": name,
    }
    if curve.kind == "flat":
        axes.plot([figure.x.low, figure.x.high], [curve.y[0], curve.y[0]], **style)
        return
    axes.plot(curve.x, curve.y, marker=_MARKS[curve.kind], markersize=2.5, **style)
    axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.12, linewidth=0)
