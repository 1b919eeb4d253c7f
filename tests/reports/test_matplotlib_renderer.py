from __future__ import annotations

import hashlib
import subprocess
import sys
import warnings
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from rankwise.comparison.method_ranking import Comparison
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.reports.certainty_figures import make_bagplots
from rankwise.reports.comparison_report import Report
from rankwise.reports.drawing.renderer import FORMATS, _draw, _render_all, render, save
from rankwise.reports.drawing.style import COLUMN, SETTINGS
from rankwise.reports.figures import (
    Axis,
    BagplotFigure,
    Bagplots,
    Bars,
    CriticalDifference,
    Figure,
    HeatMap,
    LeftOut,
    Matrix,
    PlottedPoint,
    Scatter,
)
from rankwise.reports.ranking_figures import (
    make_head_to_head,
    make_heat_map,
    make_planes,
    make_published_planes,
)

from .conftest import HOSTILE

KINDS = ("Scatter", "Bars", "HeatMap", "Matrix", "CriticalDifference", "Bagplots")


def of_kind(report: Report, kind: str) -> Figure:
    figures = (*report.planes[-1:], *report.figures)
    return next(figure for figure in figures if type(figure).__name__ == kind)


def drawn(figure: Figure) -> Drawing:
    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        drawing = _draw(figure)
        drawing.draw_without_rendering()
        return drawing


def boxes(texts: list[Text]) -> list[Bbox]:
    return [text.get_window_extent() for text in texts if text.get_text() and text.get_visible()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_a_whole_file_in_every_format_and_the_same_twice(
    made_report: Report, kind: str
) -> None:
    figure = of_kind(made_report, kind)
    files = {name: render(figure, name) for name in FORMATS}
    assert files["png"].startswith(b"\x89PNG\r\n")
    assert ElementTree.fromstring(files["svg"]).tag.endswith("svg")
    assert files["pdf"].startswith(b"%PDF-")
    assert files["pdf"].rstrip().endswith(b"%%EOF")
    assert files == _render_all(figure, FORMATS)


def test_another_process_draws_the_same_bytes() -> None:
    program = (
        "import hashlib, sys\n"
        "from rankwise.reports.drawing.renderer import FORMATS, _render_all\n"
        "from rankwise.reports.ranking_figures import make_published_planes\n"
        "for content in _render_all(make_published_planes()[0], FORMATS).values():\n"
        "    print(hashlib.sha256(content).hexdigest())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    here = _render_all(make_published_planes()[0], FORMATS).values()
    assert run.stdout.split() == [hashlib.sha256(content).hexdigest() for content in here]


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_is_cut_off_at_the_edge(made_report: Report, kind: str) -> None:
    drawing = drawn(of_kind(made_report, kind))
    inches = drawing.get_tightbbox()
    assert inches.x0 >= -0.005
    assert inches.y0 >= -0.005
    assert inches.x1 <= drawing.get_figwidth() + 0.005
    assert inches.y1 <= drawing.get_figheight() + 0.005


@pytest.mark.parametrize("figure", make_published_planes(), ids=lambda figure: figure.name)
def test_the_labels_of_the_published_figures_do_not_overlap(figure: Scatter) -> None:
    (axes,) = drawn(figure).axes
    assert_labels_apart(list(axes.texts), sum(point.labelled for point in figure.points))


def test_the_labels_of_the_computed_figures_do_not_overlap(tax: Comparison) -> None:
    for figure in make_planes(tax):
        (axes,) = drawn(figure).axes
        assert_labels_apart(list(axes.texts), sum(point.labelled for point in figure.points))


def assert_labels_apart(labels: list[Text], expected: int) -> None:
    assert len(labels) == expected
    found = boxes(labels)
    for one, other in combinations(found, 2):
        shared = Bbox.intersection(one, other)
        assert shared is None or shared.width * shared.height == 0
    window = labels[0].axes.get_window_extent()  # type: ignore[union-attr]
    for box in found:
        assert window.padded(1).x0 <= box.x0
        assert box.x1 <= window.padded(1).x1


def test_row_names_of_the_real_grids_do_not_overlap(tax: Comparison) -> None:
    for figure in (make_heat_map(tax), make_head_to_head(tax)):
        names = set(figure.rows if isinstance(figure, HeatMap) else figure.names)
        axes = drawn(figure).axes[0]
        rows = [t for t in axes.texts if t.get_text() in names and t.get_rotation() == 0]
        assert len(rows) == len(names)
        for one, other in combinations(boxes(rows), 2):
            assert not one.overlaps(other)


def test_every_measure_has_a_rule_above_its_own_columns_and_no_other(made: Comparison) -> None:
    figure = make_heat_map(made)
    groups = [column.group for column in figure.columns]
    axes = drawn(figure).axes[0]
    # The rules stand above the first row, which begins at 0.
    rules = sorted(
        (min(xs), max(xs))
        for line in axes.lines
        for xs, ys in [(np.asarray(line.get_xdata()), np.asarray(line.get_ydata()))]
        if max(ys) < 0
    )
    assert len(rules) == len(set(groups)) > 1
    for (left, right), group in zip(rules, dict.fromkeys(groups), strict=True):
        first, last = groups.index(group), groups.index(group) + groups.count(group)
        assert first < left < right < last
        assert left - first == pytest.approx(last - right)


def test_a_scatter_has_the_width_of_a_column(made_report: Report) -> None:
    assert drawn(of_kind(made_report, "Scatter")).get_figwidth() == COLUMN


def test_names_are_never_read_as_mathematics(made_report: Report) -> None:
    drawing = drawn(of_kind(made_report, "Bars"))
    texts = [text for text in drawing.findobj(Text) if isinstance(text, Text)]
    named = [text for text in texts if text.get_text().startswith(HOSTILE[2][:10])]
    assert named
    assert not any(text.get_parse_math() for text in named)


AXIS = Axis("a", 0, 1)


@pytest.mark.parametrize(
    "figure",
    [
        Scatter("empty", "", "", AXIS, AXIS, ()),
        Scatter("one", "", "", Axis("a", 3, 3), AXIS, (PlottedPoint("m" * 300, 3, 1, 1, True),)),
        Bars("empty", "", "", AXIS, ()),
        HeatMap("empty", "", "", "scale", (), (), ()),
        Matrix("empty", "", "", "scale", (), ()),
        CriticalDifference("two", "", "", 9.0, ("a" * 90, "b"), (1.4, 1.6), ((0, 1),)),
        Bagplots(
            "flat", "", "", "x", "y",
            (BagplotFigure("m", (LeftOut("d", 1.0, 1.0),), (1.0, 1.0), ((1.0, 1.0),),
                           ((1.0, 1.0),), 1),),
        ),
    ],
    ids=lambda figure: f"{type(figure).__name__}-{figure.name}",
)  # fmt: skip
def test_the_least_figures_are_drawn_too(figure: Figure) -> None:
    assert render(figure, "png").startswith(b"\x89PNG")


def test_files_bear_the_name_of_the_figure(made: Comparison, tmp_path: Path) -> None:
    figure = make_bagplots(made)
    assert figure is not None
    paths = save(figure, tmp_path, ["svg", "png"])
    assert [path.name for path in paths] == [f"{figure.name}.svg", f"{figure.name}.png"]
    assert paths[0].read_bytes() == render(figure, "svg")


def test_another_format_is_refused() -> None:
    with pytest.raises(RankwiseError, match="png, svg, pdf; found the format 'bmp'"):
        render(make_published_planes()[0], "bmp")


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match="the extra 'figures'; install them: pip install"):
        render(make_published_planes()[0])
