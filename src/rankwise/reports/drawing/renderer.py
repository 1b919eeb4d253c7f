"""Figures for print: every kind drawn with matplotlib as PNG, SVG or PDF, the same bytes each time.

Widths are those of a two-column paper (3.5 in and 7.1 in). Titles and captions are left to the
paper. Names come from files, so none of them is ever read as mathematical markup.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.errors import MissingExtra, RankwiseError
from rankwise.files import written_whole
from rankwise.reports.figures import (
    Bagplots,
    Bars,
    CriticalDifference,
    Figure,
    GroupedBars,
    HeatMap,
    LearningCurves,
    Lines,
    Matrix,
    QueryScatter,
    Scatter,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


FORMATS = ("png", "svg", "pdf")

# A date or a version in the file would make two equal figures differ.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": "Rankwise"},
    "pdf": {"CreationDate": None, "Creator": "Rankwise", "Producer": None},
}


def render(figure: Figure, file_format: str = "png") -> bytes:
    """The figure as the bytes of a PNG, SVG or PDF file."""
    return _render_all(figure, [file_format])[file_format]


def save(figure: Figure, folder: str | Path, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Write `figure` under its own name in `folder`, one file a format, and return the paths."""
    paths = []
    for file_format, content in _render_all(figure, formats).items():
        path = Path(folder) / f"{figure.name}.{file_format}"
        with written_whole(path) as stream:
            stream.write(content)
        paths.append(path)
    return paths


def _render_all(figure: Figure, formats: Iterable[str]) -> dict[str, bytes]:
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        raise MissingExtra("drawing figures for print", "figures") from error
    from rankwise.reports.drawing.style import SETTINGS

    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        # A name in a script the font lacks shows boxes; the file is still good.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        drawing = _draw(figure)
        return {file_format: _encode(drawing, file_format) for file_format in formats}


def _draw(figure: Figure) -> Drawing:
    from rankwise.reports.drawing import bars, grids, lines, points, ranks

    match figure:
        case Scatter():
            return points.draw_scatter(figure)
        case QueryScatter():
            return points.draw_query_scatter(figure)
        case Bars():
            return bars.draw_bars(figure)
        case GroupedBars():
            return bars.draw_grouped_bars(figure)
        case HeatMap():
            return grids.draw_heat_map(figure)
        case Matrix():
            return grids.draw_matrix(figure)
        case CriticalDifference():
            return ranks.draw_critical_difference(figure)
        case Bagplots():
            return ranks.draw_bagplots(figure)
        case Lines():
            return lines.draw_lines(figure)
        case LearningCurves():
            return lines.draw_learning_curves(figure)


def _encode(drawing: Drawing, file_format: str) -> bytes:
    if file_format not in _METADATA:
        raise RankwiseError(
            f"a figure can be written as {', '.join(FORMATS)}; found the format {file_format!r}"
        )
    stream = io.BytesIO()
    drawing.savefig(stream, format=file_format, metadata=_METADATA[file_format])
    return stream.getvalue()
