from __future__ import annotations

import json

from rankwise.reports.comparison_report import Report
from rankwise.reports.figures import Axis, PlottedPoint, Scatter, encode_figure

AXIS = Axis("x", 0, 9)


def scatter(*places: tuple[float, float, int]) -> Scatter:
    points = tuple(PlottedPoint(str(n), x, y, front) for n, (x, y, front) in enumerate(places))
    return Scatter("s", "", "", AXIS, AXIS, points)


def test_the_staircase_goes_down_before_it_goes_right() -> None:
    figure = scatter((9, 1, 1), (1, 9, 1), (4, 5, 1), (3, 3, 0), (2, 2, 2))
    assert figure.staircase() == ((1, 9), (1, 5), (4, 5), (4, 1), (9, 1))


def test_optima_at_one_place_are_one_step() -> None:
    assert scatter((1, 9, 1), (1, 9, 1)).staircase() == ((1, 9),)


def test_without_a_front_there_is_no_staircase() -> None:
    assert scatter((1, 1, 0)).staircase() == ()


def test_every_kind_is_plain_data(made_report: Report) -> None:
    figures = (*made_report.planes, *made_report.figures)
    kinds = {encode_figure(figure)["kind"] for figure in figures}
    assert kinds == {"Scatter", "Bars", "HeatMap", "Matrix", "CriticalDifference", "Bagplots"}
    for figure in figures:
        data = encode_figure(figure)
        assert json.loads(json.dumps(data, allow_nan=False))["name"] == figure.name


def test_figures_have_names_of_their_own(made_report: Report) -> None:
    names = [figure.name for figure in (*made_report.planes, *made_report.figures)]
    assert len(set(names)) == len(names)
