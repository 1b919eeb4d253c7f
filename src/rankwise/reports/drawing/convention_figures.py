"""Figures 1 and 2 of Busa-Fekete et al. (2012): NDCG at cut-offs, by training convention."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankwise.data.sources import DEFINITION
from rankwise.errors import MissingExtra
from rankwise.experiments.conventions import Curve
from rankwise.files import written_whole

# Blue, black and red as in the paper, in Okabe and Ito's shades; dashes tell them apart in grey.
_STYLES = {"yahoo": ("#0072B2", "-"), DEFINITION: ("#1a1a1a", "--"), "letor4": ("#D55E00", ":")}
_OTHERS = ("#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#0072B2", "#D55E00", "#1a1a1a")


def write_convention_figures(curves: Sequence[Curve], folder: Path) -> list[Path]:
    """`figure-1` and `figure-2` as SVG and PNG; the paths written.

    Figure 1 has a row for each method that was trained under several conventions and a column for
    each evaluating tool, and says of which a convention only chose the model; Figure 2 shows all
    methods trained by the definition, where there are any.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra("drawing figures for print", "figures") from error
    from rankwise.reports.drawing.style import SETTINGS

    with matplotlib.rc_context(SETTINGS):
        drawings = {"figure-1": _by_training(curves)}
        if any(curve.trained == DEFINITION for curve in curves):
            drawings["figure-2"] = _by_method(curves)
        return [
            _save(drawing, folder / f"{name}.{ending}")
            for name, drawing in drawings.items()
            for ending in ("svg", "png")
        ]


def _by_training(curves: Sequence[Curve]) -> Any:
    trained: dict[str, set[str]] = {}
    for curve in curves:
        trained.setdefault(curve.method, set()).add(curve.trained)
    methods = [method for method, tools in trained.items() if len(tools) > 1]
    drawing, axes, tools = _panels(curves, len(methods))
    for row, method in enumerate(methods):
        for column, tool in enumerate(tools):
            chosen = [one for one in curves if (one.method, one.evaluated) == (method, tool)]
            for curve in chosen:
                _draw(axes[row][column], curve, curve.trained, *_STYLES.get(
                    curve.trained, (_OTHERS[0], "-.")))  # fmt: skip
            shaped = " (chosen only)" if any(one.chosen_only for one in chosen) else ""
            axes[row][column].set_title(f"{method}{shaped}, evaluated by {tool}", fontsize=7)
    _finish(drawing, axes, "trained under")
    return drawing


def _by_method(curves: Sequence[Curve]) -> Any:
    chosen = [curve for curve in curves if curve.trained == DEFINITION]
    methods = list(dict.fromkeys(curve.method for curve in chosen))
    drawing, axes, tools = _panels(curves, 1)
    for curve in chosen:
        axis = axes[0][tools.index(curve.evaluated)]
        _draw(axis, curve, curve.method, _OTHERS[methods.index(curve.method) % len(_OTHERS)], "-")
        axis.set_title(f"trained by the definition, evaluated by {curve.evaluated}", fontsize=7)
    _finish(drawing, axes, "method")
    return drawing


def _panels(curves: Sequence[Curve], rows: int) -> tuple[Any, Any, list[str]]:
    from rankwise.reports.drawing.style import new_drawing

    tools = list(dict.fromkeys(curve.evaluated for curve in curves))
    drawing = new_drawing(3.0 * max(1, len(tools)), 2.3 * max(1, rows))
    axes = drawing.subplots(max(1, rows), max(1, len(tools)), squeeze=False)
    return drawing, axes, tools


def _draw(axis: Any, curve: Curve, label: str, colour: str, line: str) -> None:
    axis.errorbar(curve.cut_offs, curve.means, yerr=curve.errors, label=label, color=colour,
                  linestyle=line, linewidth=1.0, elinewidth=0.4, capsize=1.5)  # fmt: skip


def _finish(drawing: Any, axes: Any, title: str) -> None:
    for axis in axes.flat:
        axis.set_xlabel("cut-off")
        axis.set_ylabel("NDCG")
    axes[0][0].legend(title=title, title_fontsize=6.5)
    drawing.tight_layout()


def _save(drawing: Any, path: Path) -> Path:
    stream = io.BytesIO()
    ending = path.suffix[1:]
    metadata = {"Date": None} if ending == "svg" else {}
    drawing.savefig(stream, format=ending, metadata=metadata, dpi=200)
    with written_whole(path) as target:
        target.write(stream.getvalue())
    return path
