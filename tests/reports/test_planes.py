from __future__ import annotations

import pytest

import rankwise.reports.ranking_figures
from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.reports.ranking_figures import (
    MOST_MEASURES,
    make_cross_plane,
    make_measure_plane,
    make_planes,
)
from rankwise.results.result_table import ResultTable

from .conftest import made_table


def test_one_measure_is_drawn_against_data_sets_and_all_against_the_ideal(
    made: Comparison,
) -> None:
    single = make_measure_plane(made, "MAP")
    rows = {row.method: row for row in made.per_measure["MAP"]}
    assert single.x.title == "Number of data sets"
    assert all((p.x, p.y) == (rows[p.name].datasets, rows[p.name].nwn) for p in single.points)
    across = make_cross_plane(made)
    assert across.x.title == "Ideal Winning Number"
    assert all(p.x == made.by_method[p.name].iwn for p in across.points)


def test_fronts_are_marked_and_labelled_with_the_baselines(
    made: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rankwise.reports.ranking_figures, "FEW_METHODS", len(made.rows) - 1)
    points = make_cross_plane(made).points
    assert [p.name for p in points if p.front == 1] == list(made.front())
    assert [p.name for p in points if p.front == 2] == list(made.second_front())
    labelled = {p.name for p in points if p.labelled}
    assert labelled == {*made.front(), *made.second_front(), "Linear Regression"}


def test_of_few_methods_all_are_labelled(made: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rankwise.reports.ranking_figures, "FEW_METHODS", len(made.rows))
    assert all(point.labelled for point in make_cross_plane(made).points)


def test_equally_tested_methods_stand_in_the_middle() -> None:
    rows = [
        {"collection": "", "dataset": "d", "method": m, "measure": "MAP", "value": 0.1 * n}
        for n, m in enumerate("abc")
    ]
    axis = make_measure_plane(compare_table(ResultTable.from_rows(rows)), "MAP").x
    assert (axis.low, axis.high) == (0.0, 2.0)


def test_one_measure_alone_has_no_plane_across_measures() -> None:
    figures = make_planes(compare_table(made_table(), ["MAP"]))
    assert [figure.name for figure in figures] == ["nwn-map"]


def test_many_measures_keep_those_with_most_methods() -> None:
    rows = [
        {"collection": "", "dataset": "d", "method": m, "measure": f"P@{k}", "value": 0.1 * n}
        for k in range(1, MOST_MEASURES + 3)
        for n, m in enumerate("abc" if k != 1 else "ab")
    ]
    figures = make_planes(compare_table(ResultTable.from_rows(rows)))
    assert len(figures) == MOST_MEASURES + 1
    assert "nwn-p-1" not in {figure.name for figure in figures}


def test_the_certainty_axis_starts_at_nought_unless_all_are_far_from_it(made: Comparison) -> None:
    spread = make_cross_plane(made)
    least, most = min(p.x for p in spread.points), max(p.x for p in spread.points)
    assert (spread.x.low == 0) == (least <= most / 2)
    assert spread.x.low <= least


def test_strict_dominance_is_named_in_the_caption() -> None:
    assert (
        "better on both axes"
        in make_cross_plane(compare_table(made_table(), dominance="strict")).caption
    )
