from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.errors import RankwiseError
from rankwise.reports.comparison_report import Report, make_report, write_report
from rankwise.reports.ranking_figures import RUN_HERE
from rankwise.results.result_table import ResultTable


def test_everything_is_written_and_named(made_report: Report, tmp_path: Path) -> None:
    shares: list[float] = []
    folder = tmp_path / "new" / "report"
    paths = write_report(made_report, folder, ["svg"], shares.append)
    figures = (*made_report.planes, *made_report.figures)
    left_out = [f"without-one-{part}" for part in ("measure", "dataset", "study")]
    names = ("ranking", "measures", "publication-bias", *left_out)
    tables = {f"{name}.{end}" for name in names for end in ("csv", "tex", "md")}
    drawn = {f"figures/{figure.name}.svg" for figure in figures} | {"figures/captions.txt"}
    assert {str(path.relative_to(folder)) for path in paths} == tables | drawn | {"report.html"}
    assert {path for path in folder.rglob("*") if path.is_file()} == set(paths)
    assert shares[-1] == 1.0
    captions = (folder / "figures/captions.txt").read_text("utf-8")
    assert all(figure.caption in captions for figure in figures)


def test_without_formats_no_figure_is_drawn(made_report: Report, tmp_path: Path) -> None:
    write_report(made_report, tmp_path, [])
    assert not (tmp_path / "figures").exists()


def test_the_published_figures_come_only_when_asked_for(made: Comparison) -> None:
    names = {figure.name for figure in make_report(made, "t").figures}
    assert not any(name.startswith("tax2015") for name in names)


def test_what_the_table_does_not_allow_is_remarked_on() -> None:
    rows = [
        {"collection": "", "dataset": "d", "method": m, "measure": "MAP", "value": v}
        for m, v in (("a", 0.1), ("b", 0.2))
    ]
    report = make_report(compare_table(ResultTable.from_rows(rows)), "t")
    assert any(remark.startswith("Friedman's test needs") for remark in report.remarks)
    assert "critical-difference" not in {figure.name for figure in report.figures}


def test_the_summary_counts_what_is_compared(made_report: Report) -> None:
    comparison = made_report.comparison
    assert made_report.summary() == (
        f"8 methods, 6 data sets, {len(comparison.cells)} results in NDCG@10, MAP."
    )


def test_a_file_in_the_way_is_a_sentence(made_report: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RankwiseError, match="cannot write"):
        write_report(made_report, tmp_path / "file", [])


def test_methods_that_were_run_here_have_no_table_of_publication_bias(tmp_path: Path) -> None:
    """Nobody published them, and the figures of it are left out as well."""
    table = ResultTable.from_rows(
        {"collection": "", "dataset": d, "method": m, "measure": "MAP", "value": v,
         "source": f"{RUN_HERE} 1"}
        for d in "xyz" for m, v in (("A", 0.3), ("B", 0.2))
    )  # fmt: skip
    written = write_report(make_report(compare_table(table), "Made"), tmp_path, [])
    assert not any("publication-bias" in path.name for path in written)
