"""Figures and tables of estimators: data first, then drawn in both renderers."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.comparison import Comparison, compare_table, rank_by
from rankwise.reports.comparison_report import make_report, write_report
from rankwise.reports.comparison_tables import (
    make_estimated_table,
)
from rankwise.reports.drawing.renderer import FORMATS, _render_all, render
from rankwise.reports.page.content import make_page
from rankwise.reports.ranking_figures import (
    make_estimate_bars,
)
from tests.comparison.tables import dense_facts, table_of

from .test_matplotlib_renderer import drawn


@pytest.fixture(scope="module")
def dense() -> Comparison:
    return compare_table(table_of(dense_facts(10, 6, signal=2.0, noise=0.5)))


def test_a_bar_is_the_score_with_its_interval(dense: Comparison) -> None:
    found = rank_by(dense, "bradley-terry")
    figure = make_estimate_bars(found)
    assert [(bar.name, bar.value, bar.low, bar.high) for bar in figure.bars] == [
        (one.method, one.score, one.lower, one.upper) for one in found.rows
    ]
    assert figure.axis.low <= min(bar.low or bar.value for bar in figure.bars)


def test_figures_are_whole_files_and_the_same_twice(dense: Comparison) -> None:
    figure = make_estimate_bars(rank_by(dense, "mean-rank"))
    files = {name: render(figure, name) for name in FORMATS}
    assert files["png"].startswith(b"\x89PNG\r\n")
    assert files == _render_all(figure, FORMATS)
    assert drawn(figure).axes


def test_the_page_and_the_folder_have_them(dense: Comparison, tmp_path: Path) -> None:
    from dataclasses import replace

    estimated = replace(dense, estimated=rank_by(dense, "mixed-model"))
    report = make_report(estimated, "Estimated")
    assert report.figures[0].name == "ranking-by-mixed-model"
    assert "ranking-by-mixed-model" in make_page(report)
    written = {path.name for path in write_report(report, tmp_path, [])}
    assert "ranking-by-mixed-model.csv" in written


def test_the_table_has_all_facts(dense: Comparison) -> None:
    ranked = make_estimated_table(rank_by(dense, "mean-rank"))
    assert ranked.rows[0][:2] == (1, "m00")
    assert ranked.best
