"""Figures and tables of estimators and of holes: data first, then drawn in both renderers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankwise.comparison import Comparison, HoleStudy, compare_table, lay_holes, rank_by
from rankwise.comparison.estimators import ESTIMATORS
from rankwise.reports.comparison_report import make_report, write_report
from rankwise.reports.comparison_tables import (
    make_error_table,
    make_estimated_table,
    make_recovery_table,
    make_steps_table,
    make_truth_table,
)
from rankwise.reports.drawing.renderer import FORMATS, _render_all, render
from rankwise.reports.page.content import make_page
from rankwise.reports.ranking_figures import (
    make_error_bars,
    make_estimate_bars,
    make_hole_figures,
    make_recovery_bars,
)
from tests.comparison.tables import dense_facts, punched, table_of

from .test_matplotlib_renderer import drawn


@pytest.fixture(scope="module")
def dense() -> Comparison:
    return compare_table(table_of(dense_facts(10, 6, signal=2.0, noise=0.5)))


@pytest.fixture(scope="module")
def study(dense: Comparison) -> HoleStudy:
    pattern = punched(dense_facts(10, 9, signal=0.0, noise=1.0), 0.5)
    table = table_of([(m, f"old{d}", e, v) for m, d, e, v in pattern])
    return lay_holes(dense, table, draws=4)


def test_a_bar_is_the_score_with_its_interval(dense: Comparison) -> None:
    found = rank_by(dense, "bradley-terry")
    figure = make_estimate_bars(found)
    assert [(bar.name, bar.value, bar.low, bar.high) for bar in figure.bars] == [
        (one.method, one.score, one.lower, one.upper) for one in found.rows
    ]
    assert figure.axis.low <= min(bar.low or bar.value for bar in figure.bars)


def test_kendall_s_tau_has_a_bar_for_each_kind_and_estimator(study: HoleStudy) -> None:
    figure = make_recovery_bars(study)
    assert [(bar.value, bar.low, bar.high) for bar in figure.bars] == [
        (one.kendall, one.kendall_low, one.kendall_high) for one in study.recoveries
    ]
    assert len({bar.name for bar in figure.bars}) == 2 * len(ESTIMATORS)


def test_errors_of_ranks_are_grouped_by_the_number_of_results(study: HoleStudy) -> None:
    figure = make_error_bars(study)
    known = [one for one in study.steps if one.pattern == "random" and one.rank_error is not None]
    assert set(figure.groups) == {one.sizes for one in known}
    for series, name in zip(figure.series, ESTIMATORS, strict=True):
        assert series.values == tuple(one.rank_error for one in known if one.estimator == name)


def test_figures_are_whole_files_and_the_same_twice(study: HoleStudy, dense: Comparison) -> None:
    for figure in (*make_hole_figures(study), make_estimate_bars(rank_by(dense, "mean-rank"))):
        files = {name: render(figure, name) for name in FORMATS}
        assert files["png"].startswith(b"\x89PNG\r\n")
        assert files == _render_all(figure, FORMATS)
        assert drawn(figure).axes


def test_the_page_and_the_folder_have_them(
    study: HoleStudy, dense: Comparison, tmp_path: Path
) -> None:
    from dataclasses import replace

    estimated = replace(dense, estimated=rank_by(dense, "mixed-model"))
    report = make_report(estimated, "Holes", holes=study)
    names = [figure.name for figure in report.figures[:3]]
    assert names == ["ranking-by-mixed-model", "holes-kendall", "holes-rank-error"]
    page = make_page(report)
    assert all(name in page for name in names)
    written = {path.name for path in write_report(report, tmp_path, [])}
    assert {"ranking-by-mixed-model.csv", "holes.csv", "holes-by-results.csv",
            "holes-truth.csv"} < written  # fmt: skip


def test_the_page_draws_them(
    study: HoleStudy, dense: Comparison, tmp_path: Path, browser: Any
) -> None:
    path = tmp_path / "page.html"
    path.write_text(make_page(make_report(dense, "Holes", holes=study)), "utf-8")
    browser.get(path.as_uri())
    shown = "return document.documentElement.textContent.includes(arguments[0])"
    for figure in make_hole_figures(study):
        assert browser.execute_script(shown, figure.title)
    bars = "return document.querySelectorAll('rect[class^=series-]').length"
    assert browser.execute_script(bars) >= len(ESTIMATORS)


def test_tables_have_all_facts(study: HoleStudy, dense: Comparison) -> None:
    table = make_recovery_table(study)
    assert [row[:4] for row in table.rows] == [
        (one.estimator, one.pattern, one.draws, one.kendall) for one in study.recoveries
    ]
    assert len(make_steps_table(study).rows) == len(study.steps)
    assert len(make_truth_table(study).rows) == len(study.truth)
    errors = make_error_table(study)
    assert [row[0] for row in errors.rows] == list(ESTIMATORS)
    ranked = make_estimated_table(rank_by(dense, "mean-rank"))
    assert ranked.rows[0][:2] == (1, "m00")
    assert ranked.best
