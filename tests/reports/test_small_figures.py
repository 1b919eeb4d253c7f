"""Figures of small and awkward tables: no text is cut or stands on another, no mark hides one."""

from __future__ import annotations

from itertools import combinations

import pytest
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text

from rankwise.comparison import Comparison, compare_table
from rankwise.reports.comparison_report import make_report
from rankwise.reports.drawing.grids import SMALLEST_HEADING
from rankwise.reports.figures import Figure, HeatMap, Scatter
from rankwise.reports.ranking_figures import make_heat_map
from rankwise.results.result_table import ResultTable

from .test_matplotlib_renderer import drawn

LONG = "A method whose name nobody can say (with settings)"


def table(datasets: int, measures: list[str], values: dict[str, float]) -> Comparison:
    """Every method with its value on all data sets and measures."""
    rows = [
        {"collection": "L", "dataset": f"d{n}", "method": method, "measure": one, "value": value}
        for n in range(datasets)
        for one in measures
        for method, value in values.items()
    ]  # fmt: skip
    return compare_table(ResultTable.from_rows(rows))


TABLES = {
    "one data set": table(1, ["NDCG@10"], {"ListNet": 0.4, "RankSVM": 0.3}),
    "long names": table(1, ["NDCG@10"], {LONG: 0.4, "RankSVM": 0.3}),
    "measures of long names": table(
        1, ["MAP", "NDCG(gain=linear)@10", "P@1"], {"ListNet": 0.4, "RankSVM": 0.3}
    ),
    "one place": table(2, ["MAP"], {"ListNet": 0.4, "RankSVM": 0.4, "FRank": 0.4, "MART": 0.1}),
    "two methods": table(3, ["MAP"], {"a": 0.4, "b": 0.3}),
}


def figures(comparison: Comparison) -> list[Figure]:
    """All that the command writes of it."""
    report = make_report(comparison, "small")
    return [*report.planes, *report.figures]


def words(drawing: Drawing) -> list[Text]:
    """All texts that are drawn; axes keep labels of ticks beyond their ends, which are not."""
    found = [
        text for text in drawing.findobj(Text) if text.get_visible() and text.get_text().strip()
    ]
    beyond = {
        id(tick.label1)
        for axes in drawing.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    return [text for text in found if id(text) not in beyond]


@pytest.mark.parametrize("name", TABLES)
def test_no_text_is_cut_and_none_stands_on_another(name: str) -> None:
    for figure in figures(TABLES[name]):
        drawing = drawn(figure)
        texts = words(drawing)
        boxes = [text.get_window_extent() for text in texts]
        window = drawing.bbox.padded(1)
        for text, box in zip(texts, boxes, strict=True):
            assert window.x0 <= box.x0 and box.x1 <= window.x1, (figure.name, text.get_text())
            assert window.y0 <= box.y0 and box.y1 <= window.y1, (figure.name, text.get_text())
        for (text, one), (word, other) in combinations(zip(texts, boxes, strict=True), 2):
            shared = one.intersection(one, other)
            apart = shared is None or min(shared.width, shared.height) <= 1.0
            assert apart, (figure.name, text.get_text(), word.get_text())


def test_headings_have_one_size_that_can_be_read() -> None:
    for comparison in TABLES.values():
        figure = make_heat_map(comparison)
        assert isinstance(figure, HeatMap)
        groups = {column.group for column in figure.columns}
        headings = [
            text
            for text in words(drawn(figure))
            if text.get_text() in groups and text.get_weight() == "bold"
        ]
        assert len(headings) == len(groups)
        assert len({text.get_fontsize() for text in headings}) == 1
        assert headings[0].get_fontsize() >= SMALLEST_HEADING


def test_a_mark_that_covers_others_has_a_ring() -> None:
    shared = [one for one in figures(TABLES["one place"]) if isinstance(one, Scatter)]
    alone = [one for one in figures(TABLES["two methods"]) if isinstance(one, Scatter)]
    for figure, expected in (*((one, 1) for one in shared), *((one, 0) for one in alone)):
        drawing = drawn(figure)
        rings = [
            ring
            for axes in drawing.axes
            for ring in axes.collections
            if len(ring.get_offsets()) and len(ring.get_facecolor()) == 0
        ]
        assert sum(len(ring.get_offsets()) for ring in rings) == expected
        said = [text.get_text() for text in words(drawing)]
        assert ("Several at one place" in said) == bool(expected)
