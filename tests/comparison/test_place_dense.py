"""Methods placed among those of one protocol: a made-up dense table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.comparison import compare, place
from rankwise.comparison.comparing import find_dense, gather_results
from rankwise.errors import RankwiseError
from rankwise.results.benchmark_runs import DenseQueries, DenseTable, write_dense
from rankwise.results.result_table import ResultTable
from tests.literature.made_dense import DATA, MadeData, make_dense


@pytest.fixture(scope="module")
def dense() -> DenseTable:
    return make_dense()


def _mine(dense: DenseTable, gain: float, of: str = "LambdaMART") -> tuple[DenseQueries, ...]:
    draw = np.random.default_rng(9)
    return tuple(
        replace(one, methods=("mine",), values={
            measure: (values[one.methods.index(of)] + gain
                      + draw.normal(0, 0.05, values.shape[1]))[np.newaxis]
            for measure, values in one.values.items()
        })
        for one in dense.queries
    )  # fmt: skip


def _means(queries: tuple[DenseQueries, ...]) -> ResultTable:
    return ResultTable.from_rows(
        {**one.subject._asdict(), "method": "mine", "measure": "MAP", "tool": "definition",
         "value": float(one.values["MAP"].mean())}
        for one in queries
    )  # fmt: skip


def test_a_better_and_an_equal_method_are_told_from_the_best(dense: DenseTable) -> None:
    for gain, finding in ((0.03, "better"), (0.0, "not separable")):
        queries = _mine(dense, gain)
        placed = place(_means(queries), dense, queries=queries, resamples=1)
        (verdicts,) = placed.verdicts
        assert (verdicts.unit, verdicts.measure, len(verdicts)) == ("queries", "NDCG@10", 8)
        assert verdicts["LambdaMART"].finding == finding
        assert verdicts["Best Single Feature"].finding == "better"
        assert placed["mine"].place is not None


def test_a_folder_is_taken_as_the_table_is(dense: DenseTable, tmp_path: Path) -> None:
    write_dense(dense, tmp_path)
    queries = _mine(dense, 0.01)
    one, two = (
        place(_means(queries), table, queries=queries, measures="MAP", resamples=1)
        for table in (dense, tmp_path)
    )
    assert one.placements == two.placements
    for ours, theirs in zip(one.verdicts[0], two.verdicts[0], strict=True):
        assert (ours.rival, ours.finding) == (theirs.rival, theirs.finding)
        assert ours.difference == pytest.approx(theirs.difference, abs=1e-6)
    assert compare(tmp_path).rows == compare(dense).rows


def test_means_alone_are_judged_over_data_sets() -> None:
    data = [MadeData("Made", f"d{n}", None, "definition", 60, 0.4 + 0.02 * n) for n in range(6)]
    dense = make_dense(data=data)
    own = _means(_mine(dense, 0.1))
    (verdicts,) = place(own, dense, measures="MAP", resamples=1).verdicts
    assert (verdicts.unit, verdicts.better_than_all) == ("data sets", True)
    assert {one.datasets for one in verdicts} == {6}


def test_few_data_sets_without_values_of_queries_give_no_verdict(dense: DenseTable) -> None:
    placed = place(_means(_mine(dense, 0.1)), dense, resamples=1)
    assert placed.verdicts == ()
    assert any(one.startswith("no verdict on mine") for one in placed.remarks)


def test_a_method_that_lacks_queries_is_not_judged_by_the_rest(dense: DenseTable) -> None:
    whole = _mine(dense, 0.0)
    half = replace(
        whole[0],
        queries=whole[0].queries[:50],
        folds=whole[0].folds[:50],
        values={measure: values[:, :50] for measure, values in whole[0].values.items()},
    )
    placed = place(_means(whole), dense, queries=(half, *whole[1:]), resamples=1)
    assert placed.verdicts[0].datasets == ("MQ2007", "MQ2008", "cranfield")
    assert "no verdict on mine by OHSUMED: it lacks 55 of 105 queries, by fold and id" in (
        placed.remarks
    )


def test_a_version_that_is_not_named_is_the_published_one(dense: DenseTable) -> None:
    whole = _mine(dense, 0.0)
    unnamed = tuple(replace(one, subject=one.subject._replace(version=None)) for one in whole)
    placed = place(_means(whole), dense, queries=unnamed, resamples=1)
    assert len(placed.verdicts[0].datasets) == 4
    other = tuple(replace(one, subject=one.subject._replace(version="MIN")) for one in whole)
    assert place(_means(whole), dense, queries=other, resamples=1).verdicts == ()


def test_published_tables_give_no_verdict() -> None:
    rows = [{"collection": "LETOR 4.0", "dataset": "MQ2008", "method": "mine", "measure": "MAP",
             "value": 0.48}]  # fmt: skip
    placed = place(ResultTable.from_rows(rows), resamples=1)
    assert placed.verdicts == ()
    assert not any("verdict" in one for one in placed.remarks)


def test_own_runs_and_published_figures_never_mix_in_silence(dense: DenseTable) -> None:
    with pytest.raises(RankwiseError, match=r"must have one .* but .* has"):
        compare("tax2015_results", dense)
    found = gather_results("tax2015_results", dense, conflicts="first")
    assert "own runs of one protocol (rankwise_dense)" in found.remarks[-1]
    alone = compare(dense)
    assert not any("protocol" in one for one in alone.remarks)


def test_rows_of_two_tools_are_one_result(dense: DenseTable) -> None:
    found = compare(dense, measures="NDCG@10")
    assert set(found.table.tool) == {"letor3", "letor4", "definition"}
    assert len(found.table.where(measure="NDCG@10")) == 8 * len(DATA)


def test_what_is_no_dense_table_is_none(tmp_path: Path) -> None:
    assert find_dense(tmp_path) is None
    assert find_dense("tax2015_results") is None
    shipped = find_dense("rankwise_dense")
    assert shipped is not None and len(shipped.results)
