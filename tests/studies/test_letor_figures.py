"""LETOR's Figures 4 and 5 for own runs, beside published counts, and bars in groups drawn."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import matplotlib
import pytest
from studies.letor_figures import main, make_letor_figures

import rankwise as rw
from rankwise.comparison import Comparison, compare_table
from rankwise.errors import RankwiseError
from rankwise.reports.drawing.renderer import FORMATS, _render_all, render
from rankwise.reports.figures import GroupedBars
from rankwise.results.published.published_tables import read_shipped
from rankwise.results.result_table import ResultTable
from tests.reports.test_matplotlib_renderer import drawn

METHODS = ("ListNet", "RankBoost", "AdaRank-MAP")
DATASETS = ("OHSUMED", "TD2003")


def compare_own(scale: float = 1.0) -> Comparison:
    """The official results of three baselines as if they had been run here, P@1 besides."""
    printed = read_shipped().where(
        method=METHODS, dataset=DATASETS, measure=("NDCG@3", "NDCG@10", "MAP")
    )
    rows = [{**row, "value": scale * row["value"], "source": "rankwise bench"}
            for row in printed.rows()]  # fmt: skip
    rows += [
        {"collection": "LETOR 3.0", "dataset": dataset, "method": method, "measure": "P@1",
         "value": 0.1 * place, "source": "rankwise bench"}
        for dataset, (place, method) in product(DATASETS, enumerate(METHODS))
    ]  # fmt: skip
    return compare_table(ResultTable.from_rows(rows))


def test_own_counts_that_are_the_published_ones_lie_on_the_lines() -> None:
    four, five = make_letor_figures(compare_own())
    assert (four.name, four.groups) == ("letor-figure-4", ("NDCG@3", "NDCG@10"))
    assert (five.name, five.groups) == ("letor-figure-5", ("P@1", "MAP"))
    for figure, place in ((four, 0), (four, 1), (five, 1)):
        for series in figure.series:
            assert series.values[place] == series.published[place]


def test_counts_are_winning_numbers_over_all_data_sets() -> None:
    _, five = make_letor_figures(compare_own())
    counts = {series.name: series.values[0] for series in five.series}
    assert counts == {"AdaRank-MAP": 4.0, "RankBoost": 2.0, "ListNet": 0.0}
    assert all(series.published[0] is None for series in five.series), "P@1 was not reprinted"


def test_what_others_published_is_not_counted_as_run_here(tmp_path: Path) -> None:
    assert make_letor_figures(rw.compare()) == ()
    with pytest.raises(RankwiseError, match="2 methods and 2 data sets that were run here"):
        main(["dearank_tables_2_to_5", "-o", str(tmp_path)])


def test_both_figures_of_a_table_are_written(tmp_path: Path) -> None:
    rw.write_results(compare_own().table, tmp_path / "own.csv")
    main([str(tmp_path / "own.csv"), "-o", str(tmp_path / "out")])
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {f"letor-figure-{n}.{end}" for n in (4, 5) for end in ("png", "svg")}


@pytest.mark.parametrize("figure", make_letor_figures(compare_own()), ids=lambda one: one.name)
def test_both_figures_are_whole_files_in_every_format(figure: GroupedBars) -> None:
    files = {name: render(figure, name) for name in FORMATS}
    assert files["pdf"].startswith(b"%PDF-")
    assert files == _render_all(figure, FORMATS)
    drawing = drawn(figure)
    heights = [
        patch.get_height()
        for patch in drawing.axes[0].patches
        if isinstance(patch, matplotlib.patches.Rectangle)
    ]
    expected = [value for series in figure.series for value in series.values]
    assert sorted(heights) == sorted(one for one in expected if one is not None)
