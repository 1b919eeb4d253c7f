"""Published against here: what is matched, what is left out, whose results are optimistic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studies.published_against_here import (
    compare_published,
    main,
    make_difference_bars,
    make_difference_table,
)

from rankwise.errors import RankwiseError
from rankwise.results.benchmark_runs import DenseTable, write_dense
from rankwise.results.result_table import ResultTable
from tests.literature.made_dense import make_dense

OWN = "Cao et al. (2007)"
"""Who proposed ListNet, by Table A.5."""
OTHERS = "official LETOR 3.0 baseline"


@pytest.fixture(scope="module")
def dense() -> DenseTable:
    return make_dense()


def _here(dense: DenseTable, method: str, dataset: str, measure: str, tool: str) -> float:
    found = dense.results.where(method=method, dataset=dataset, measure=measure, tool=tool)
    return float(found.value.item())


def _row(method: str, value: float, source: str | None = OTHERS, **cells: Any) -> dict[str, Any]:
    basis = {"collection": "LETOR 4.0", "dataset": "MQ2008", "measure": "NDCG@10"}
    return {**basis, "method": method, "value": value, "source": source, **cells}


def test_the_difference_is_published_less_here_by_the_same_convention(dense: DenseTable) -> None:
    rows = [
        _row("ListNet", 0.5),
        _row("ListNet", 0.6, dataset="OHSUMED", collection="LETOR 3.0", measure="MAP"),
        _row("LambdaMART", 0.7, tool="definition", source="a study"),
    ]
    found = compare_published(dense, ResultTable.from_rows(rows))
    # Without a tool LETOR's own script is meant.
    assert [one.here for one in found] == [
        _here(dense, "ListNet", "MQ2008", "NDCG@10", "letor4"),
        _here(dense, "ListNet", "OHSUMED", "MAP", "letor3"),
        _here(dense, "LambdaMART", "MQ2008", "NDCG@10", "definition"),
    ]
    assert [one.difference for one in found] == [one.published - one.here for one in found]
    assert {one.name for one in found.datasets} == {"LETOR 4.0 MQ2008", "LETOR 3.0 OHSUMED"}


def test_groups_are_means_with_their_spread(dense: DenseTable) -> None:
    here = {name: _here(dense, name, "MQ2008", "MAP", "letor4") for name in ("ListNet", "CA")}
    rows = [_row(name, value + 0.02, measure="MAP") for name, value in here.items()]
    rows.append(_row("ListNet", _here(dense, "ListNet", "MQ2007", "MAP", "letor4") - 0.01,
                     dataset="MQ2007", measure="MAP"))  # fmt: skip
    found = compare_published(dense, ResultTable.from_rows(rows))
    groups = {one.name: one for one in found.methods}
    assert groups["ListNet"].mean == pytest.approx((0.02 - 0.01) / 2)
    assert groups["ListNet"].spread == pytest.approx(np.std([0.02, -0.01], ddof=1))
    assert (groups["ListNet"].results, groups["ListNet"].higher) == (2, 1)
    assert groups["CA"].spread is None and groups["CA"].lower is None
    (origin,) = found.origins
    # The means of two methods, .005 and .02: t of one degree of freedom is 12.706.
    assert origin.upper == pytest.approx(0.0125 + 12.7062 * np.std([0.005, 0.02], ddof=1) / 2**0.5,
                                         rel=1e-4)  # fmt: skip
    assert [one.name for one in found.methods] == ["CA", "ListNet"]


def test_results_of_own_studies_are_told_from_those_of_others(dense: DenseTable) -> None:
    here = _here(dense, "ListNet", "MQ2008", "MAP", "letor4")
    rows = [
        _row("ListNet", here + 0.03, OWN, measure="MAP"),
        _row("ListNet", here + 0.01, OTHERS, measure="MAP", note="again"),
        _row("ListNet", here, f"{OWN} | {OTHERS}", dataset="MQ2007", measure="MAP"),
    ]
    found = compare_published(dense, ResultTable.from_rows(rows))
    assert [one.name for one in found.origins] == ["own", "others", "unclear"]
    assert found.origins[0].mean == pytest.approx(0.03)
    assert found.own_less_others is not None
    assert found.own_less_others.mean == pytest.approx(0.02)
    assert "own studies print +0.0300 against here, others +0.0100" in found.describe()


def test_what_cannot_be_compared_is_left_out_and_counted(dense: DenseTable) -> None:
    rows = [
        _row("ListNet", 0.5),
        _row("ListNet", 0.5, dataset="TD2003", collection="LETOR 3.0"),
        _row("FRank", 0.5),
        _row("ListNet", 0.5, measure="P@1"),
        _row("CA", 0.5, fold="1"),
        _row("LambdaMART", 0.5, tool="xgboost"),
        _row("CA", 0.5, dataset="OHSUMED", collection="LETOR 3.0", version="MIN"),
    ]
    found = compare_published(dense, ResultTable.from_rows(rows))
    assert len(found) == 1
    assert found.remarks == (
        "left out: 2 published results on data sets that were not run here",
        "left out: 1 published results of methods that were not run here",
        "left out: 1 published results in measures or of methods without a mean there",
        "left out: 1 published results of single folds",
        "left out: 1 published results by another convention than any tool here, or by an unknown "
        "one",
    )


def test_nothing_to_compare_is_refused_with_the_reasons(dense: DenseTable) -> None:
    table = ResultTable.from_rows([_row("FRank", 0.5)])
    with pytest.raises(RankwiseError, match="found none; left out: 1 published results of methods"):
        compare_published(dense, table)


def test_fronts_survive_where_the_same_methods_win(dense: DenseTable) -> None:
    own = dense.results.where(tool="letor4", measure=("MAP", "NDCG@10"))
    rows = [{**row, "source": OTHERS, "value": row["value"] + 0.01} for row in own.rows()]
    same = compare_published(dense, ResultTable.from_rows(rows))
    assert [one.of for one in same.fronts] == ["all results", "shared results"]
    assert same.fronts[1].survivors == same.fronts[1].published
    assert same.kendall == pytest.approx(1.0)
    assert f"on the front here too: {', '.join(same.fronts[1].survivors)}" in same.describe()[-2]
    turned = [{**row, "value": 1.0 - row["value"]} for row in rows]
    other = compare_published(dense, ResultTable.from_rows(turned))
    assert other.kendall == pytest.approx(-1.0)
    assert other.fronts[1].survivors == ()
    assert other.describe()[-2].endswith("on the front here too: none")


def test_the_measures_can_be_chosen(dense: DenseTable) -> None:
    rows = [_row("ListNet", 0.5), _row("ListNet", 0.5, measure="MAP")]
    found = compare_published(dense, ResultTable.from_rows(rows), measures="map")
    assert [one.measure for one in found] == ["MAP"]


def test_figure_and_table_have_every_method_and_result(dense: DenseTable) -> None:
    found = compare_published(dense)
    figure = make_difference_bars(found)
    assert [bar.name for bar in figure.bars] == [one.name for one in found.methods]
    assert figure.reference == 0.0
    for bar, group in zip(figure.bars, found.methods, strict=True):
        assert bar.value == group.mean
        assert group.spread is None or bar.high == group.mean + group.spread
    assert len(make_difference_table(found).rows) == len(found)


def test_differences_are_printed_written_and_drawn(
    dense: DenseTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "dense"
    write_dense(dense, folder)
    pairs = tmp_path / "pairs.csv"
    words = ("--measures", "MAP", "--csv", str(pairs), "-o", str(tmp_path / "out"))
    main([str(folder), "tax2015_results", *words])
    shown = capsys.readouterr()
    assert "Published less here, by who published it" in shown.out
    assert "published results are higher than here" in shown.out
    assert "left out:" in shown.err
    lines = pairs.read_text().splitlines()
    assert lines[0] == "method,dataset,measure,published,here,difference,origin"
    assert len(lines) == 1 + len(compare_published(folder, measures="MAP"))
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {f"published-against-here.{end}" for end in ("png", "svg")}


def test_the_page_of_findings_shows_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs/findings/dense.md").read_text("utf-8")
    block = page.partition("$ python studies/published_against_here.py\n")[2].partition("```")[0]
    expected = [line.strip() for line in block.splitlines() if line.strip() not in ("", "…")]
    main([])
    printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert len(expected) > 20
    assert [line for line in expected if line not in printed] == []
