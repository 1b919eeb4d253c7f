"""Figures of single queries: they say what the facts say, and end where their measure ends."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.comparison import Comparison, compare
from rankwise.comparison.query_values import read_query_tables
from rankwise.comparison.significance_tests.query_table import (
    QueryTable,
    compare_with,
    compute_means,
    find_disputed,
)
from rankwise.reports.comparison_report import make_report
from rankwise.reports.figures import FRONT, OTHER, Bar, Bars, HeatMap, QueryScatter
from rankwise.reports.query_figures import (
    choose_methods,
    format_p_value,
    make_differences,
    make_disputed,
    make_means,
    make_measure_axis,
    make_query_figures,
    make_query_scatter,
)

from .made_queries import METHODS, QUERIES, make_store


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    return compare(make_store(tmp_path_factory.mktemp("one") / "results.sqlite"))


@pytest.fixture(scope="module")
def table(comparison: Comparison) -> QueryTable:
    return read_query_tables(comparison)[0]


def test_means_are_those_of_the_queries_with_their_intervals(table: QueryTable) -> None:
    figure = make_means(table, "MAP")
    facts = compute_means(table, "MAP")
    assert [bar.name for bar in figure.bars] == [one.method for one in facts]
    assert [(bar.value, bar.low, bar.high) for bar in figure.bars] == [
        (one.mean, one.interval.low, one.interval.high) for one in facts
    ]
    assert [bar.note for bar in figure.bars] == [f"{one.mean:.4f}" for one in facts]


def test_differences_tell_what_is_more_than_luck(table: QueryTable) -> None:
    figure = make_differences(table, "NDCG@10")
    facts = {one.system: one for one in compare_with(table, "NDCG@10")}
    better, level = figure.bars
    assert (better.name, level.name) == ("better", METHODS[2])
    assert (better.front, level.front) == (FRONT, OTHER)
    assert better.value == facts["better"].difference
    assert better.note == format_p_value(facts["better"].adjusted_p_value)
    assert figure.reference == 0.0
    assert figure.axis.low == -figure.axis.high


def test_another_baseline_turns_the_differences(table: QueryTable) -> None:
    here = {bar.name: bar.value for bar in make_differences(table, "MAP").bars}
    there = {bar.name: bar.value for bar in make_differences(table, "MAP", "better").bars}
    assert there["bm25"] == pytest.approx(-here["better"])


def test_a_scatter_has_every_query_and_names_the_widest(table: QueryTable) -> None:
    figure = make_query_scatter(table, "MAP", "bm25", "better")
    assert len(figure.points) == QUERIES
    named = {point.name for point in figure.points if point.labelled}
    widest = find_disputed(table, "MAP", 6, ("bm25", "better"))
    assert named == {table.queries[place] for place in widest}
    assert (figure.x.low, figure.x.high) == (figure.y.low, figure.y.high)


def test_disputed_queries_are_a_grid_of_all_methods(table: QueryTable) -> None:
    figure = make_disputed(table, "MAP")
    assert len(figure.cells) == len(figure.rows) * len(METHODS)
    first = find_disputed(table, "MAP", 1)[0]
    assert figure.rows[0] == f"query {table.queries[first]}"
    assert [column.name for column in figure.columns] == choose_methods(table, "MAP")


@pytest.mark.parametrize("count", [39, 40, 41])
def test_the_forty_best_methods_are_drawn_and_the_baseline_always(count: int) -> None:
    methods = tuple(f"m{number}" for number in range(count))
    values = np.tile(np.arange(count)[:, None] / count, (1, 3))
    table = QueryTable("", "d", "definition", methods, ("q", "r", "s"), {"MAP": values})
    best_first = methods[::-1]
    drawn = list(best_first) if count <= 40 else [*best_first[:39], "m0"]
    assert choose_methods(table, "MAP") == drawn
    figure = make_means(table, "MAP")
    assert [bar.name for bar in figure.bars] == drawn
    assert ("The 40 best of 41 methods." in figure.caption) == (count > 40)


@pytest.mark.parametrize(
    ("ends", "expected"),
    [((0.2, 0.99), (0.2 - 0.06 * 0.79, 1.0)), ((0.001, 0.9), (0.0, 0.9 + 0.06 * 0.899))],
)
def test_axes_never_leave_the_range_of_the_measure(
    ends: tuple[float, float], expected: tuple[float, float]
) -> None:
    axis = make_measure_axis("MAP", [Bar("", ends[0]), Bar("", ends[1])])
    assert (axis.low, axis.high) == pytest.approx(expected)


def test_a_report_of_one_data_set_draws_queries_and_no_sample_of_data_sets(
    comparison: Comparison,
) -> None:
    report = make_report(comparison, "one")
    kinds = {type(figure) for figure in report.query_figures}
    assert kinds == {Bars, HeatMap, QueryScatter}
    assert report.planes == ()
    drawn = {figure.name for figure in report.all_figures}
    assert drawn.isdisjoint({"strengths", "win-matrix", "funnel", "without-one-measure"})
    assert any("Bradley-Terry" in remark for remark in report.remarks)
    (finding,) = report.findings
    assert finding.startswith("On made, better has the best NDCG@10, ")
    assert "which is more than luck (p < 0.0001" in finding


def test_figures_of_several_data_sets_have_names_of_their_own(table: QueryTable) -> None:
    alone = {figure.name for figure in make_query_figures(table)}
    beside = {figure.name for figure in make_query_figures(table, single=False)}
    assert alone.isdisjoint(beside)
    assert len(alone) == len(beside) == 5
