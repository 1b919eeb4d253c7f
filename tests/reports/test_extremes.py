"""Figures of made-up extremes for print: no text cut, no name beside the mark of another."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing
from matplotlib.lines import Line2D
from matplotlib.text import Text

from rankwise.reports.comparison_report import make_report
from rankwise.reports.figures import Figure, QueryPoint, QueryScatter, Scatter

from .made_extremes import EXTREMES
from .test_matplotlib_renderer import drawn
from .test_small_figures import words

# Grids of hundreds of methods take long to draw and are drawn of 100 methods at most anyway.
PLANES = ("Scatter", "Bars", "QueryScatter")


@pytest.fixture(scope="module", params=EXTREMES)
def drawings(request: pytest.FixtureRequest) -> list[tuple[Figure, Drawing]]:
    comparison = EXTREMES[request.param]
    many = len(comparison.rows) > 100
    return [
        (figure, drawn(figure))
        for figure in make_report(comparison, request.param).all_figures
        if not many or type(figure).__name__ in PLANES
    ]


def test_no_text_is_cut_and_none_stands_on_another(
    drawings: list[tuple[Figure, Drawing]],
) -> None:
    for figure, drawing in drawings:
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


def test_every_name_stands_beside_its_own_mark_or_is_led_to_it(
    drawings: list[tuple[Figure, Drawing]],
) -> None:
    for figure, drawing in drawings:
        if isinstance(figure, Scatter):
            points = [(one.name, one.x, one.y) for one in figure.points]
            assert find_strays(drawing, points) == [], figure.name


def test_queries_at_one_place_are_named_beside_it() -> None:
    from rankwise.reports.figures import Axis

    axis = Axis("MAP", 0.0, 1.0)
    places = [(0.0, 1.0)] * 3 + [(0.02, 1.0), (1.0, 0.0), (0.5, 0.5)]
    points = tuple(QueryPoint(f"{n}", x, y, n < 5) for n, (x, y) in enumerate(places))
    drawing = drawn(QueryScatter("q", "q", "", axis, axis, points))
    assert find_strays(drawing, [(f"query {one.name}", one.x, one.y) for one in points]) == []


def find_strays(drawing: Drawing, points: list[tuple[str, float, float]]) -> list[str]:
    """Labels that are nearer to another mark than to their own without a leader to it."""
    (axes,) = drawing.axes
    places = axes.transData.transform([(x, y) for _, x, y in points])
    of_name = dict(zip((name for name, _, _ in points), places, strict=True))
    leaders = [
        axes.transData.transform(line.get_xydata())[0]
        for line in axes.get_lines()
        if isinstance(line, Line2D) and len(line.get_xdata()) == 2 and line.get_alpha() == 0.7
    ]
    strays = []
    for text in axes.findobj(Text):
        own = of_name.get(text.get_text())
        if own is None or not text.get_visible():
            continue
        box = text.get_window_extent()
        gaps = np.linalg.norm(
            np.maximum(np.maximum([box.x0, box.y0] - places, places - [box.x1, box.y1]), 0), axis=1
        )
        mine = float(gaps[np.argmin(np.linalg.norm(places - own, axis=1))])
        led = any(np.linalg.norm(start - own) < 1.0 for start in leaders)
        if not led and float(gaps.min()) < mine - 2.0:
            strays.append(text.get_text())
    return strays
