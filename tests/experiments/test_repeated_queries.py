"""Queries that several folds test count once, however they are compared."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.data.reading import read, write
from rankwise.results.store_summary import read_store_queries
from tests.experiments.running import planned, run_here
from tests.experiments.test_leaks import renamed

NAMES = ("one", "other")
WEIGHTS = np.random.default_rng(0).random((2, 12))
"""Weights without ties, which would be broken by the order of rows."""


@pytest.fixture
def copies(folds: Path, tmp_path: Path) -> Path:
    """Fold 1, and four copies of it, with the scores of two systems."""
    home = tmp_path / "copies"
    for number in range(1, 6):
        shutil.copytree(folds / "Fold1", home / f"Fold{number}")
        test = read(home / f"Fold{number}/test.txt")
        for column, name in enumerate(NAMES):
            np.savetxt(tmp_path / f"{name}{number}.scores", test.features @ WEIGHTS[column])
    return home


def compared(data: Path, scores: dict[str, str]) -> tuple[int, float, tuple[str, ...]]:
    found = rw.significance(data, scores, "MAP")
    return found.comparisons[0].queries, found.comparisons[0].result.p_value, found.remarks


def test_copies_of_a_fold_are_no_further_queries(copies: Path, tmp_path: Path) -> None:
    single = {name: tmp_path / f"{name}1.scores" for name in NAMES}
    queries, expected, _ = compared(copies / "Fold1/test.txt", single)
    patterns = {name: tmp_path / f"{name}{{fold}}.scores" for name in NAMES}
    found, p_value, remarks = compared(copies, patterns)
    assert (found, p_value) == (queries, pytest.approx(expected, rel=1e-9))
    assert remarks[0].startswith("20 of 25 queries were tested in an earlier fold too")
    # Under other names they are the same queries.
    for number in (2, 3):
        path = copies / f"Fold{number}/test.txt"
        test = renamed(read(path), f"copy{number}-")
        write(test, path)
        for column, name in enumerate(NAMES):
            np.savetxt(tmp_path / f"{name}{number}.scores", test.features @ WEIGHTS[column])
    found, p_value, _ = compared(copies, patterns)
    assert (found, p_value) == (queries, pytest.approx(expected, rel=1e-9))
    (table,) = rw.tabulate_queries(copies, tmp_path / "one{fold}.scores", dataset="copies")
    assert len(table.queries) == queries


def test_a_method_is_placed_by_copies_of_a_fold_with_a_remark(
    copies: Path, folds: Path, tmp_path: Path
) -> None:
    said = "20 of 25 queries were tested in an earlier fold too"
    pattern = tmp_path / "one{fold}.scores"
    own = rw.tabulate_scores(copies, pattern, dataset="MQ2008", collection="LETOR 4.0")
    assert [remark[: len(said)] for remark in own.remarks] == [said]
    assert any(said in remark for remark in rw.place(own, "tax2015_results").remarks)
    for number in range(1, 6):
        np.savetxt(tmp_path / f"one{number}.scores", read(folds / f"Fold{number}/test.txt").labels)
    assert rw.tabulate_scores(folds, pattern, dataset="MQ2008").remarks == ()


def test_a_store_counts_a_query_once(copies: Path, folds: Path, tmp_path: Path) -> None:
    """Of folds of one test file, and of data whose folds share queries with consent."""
    rankers = ["OneFeature", {"name": "linear-regression"}]
    told = [{"path": str(copies), "shared_queries": True}]
    single = [{"path": str(copies), "shared_queries": True, "dataset": "single"}]
    store = tmp_path / "s.sqlite"
    run_here(planned(copies, *rankers, data=told), store)
    once = tmp_path / "once.sqlite"
    run_here(planned(copies, *rankers, data=single, folds=[1]), once)
    found, expected = (rw.significance(one, measures="MAP") for one in (store, once))
    assert found.comparisons[0].queries == expected.comparisons[0].queries == 5
    assert found.comparisons[0].result.p_value == pytest.approx(
        expected.comparisons[0].result.p_value
    )
    assert any("20 of 25 queries" in remark for remark in found.remarks)
    # Whole folds count as they are.
    whole = tmp_path / "whole.sqlite"
    run_here(planned(folds, *rankers), whole)
    assert rw.significance(whole, measures="MAP").comparisons[0].queries == 25
    for path, queries in ((store, 5), (whole, 25)):
        (table,) = read_store_queries(path)
        assert len(table.queries) == queries
