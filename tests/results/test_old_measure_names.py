"""Stores of former versions name measures as tables did then; they are read by today's names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankwise.results import Store, TaskName, read_results
from rankwise.results.task_records import StoredValue, TaskOutcome

NAME = TaskName("c", "d", None, 1, "m", "ranker", 0, "definition")
OLD = {
    "R@10": "Recall@10",
    "Rprec": "RPrecision",
    "OPA": "PairwiseAccuracy",
    "RBP@0.8": "RBP",
    "AP": "MAP",
    "ndcg@10": "NDCG@10",
    "NDCG(gain=linear)@5": "NDCG(gain=linear)@5",
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    values = tuple(
        StoredValue("test", "definition", old, place / 10, ("q",), np.array([place / 10]))
        for place, old in enumerate(OLD)
    )
    with Store.open(tmp_path / "old.sqlite") as opened:
        opened.add("key", NAME, {}, TaskOutcome("done", values=values))
    return tmp_path / "old.sqlite"


def test_a_table_has_todays_names_and_the_same_values(store: Path) -> None:
    table = read_results(store)
    assert table.measure.tolist() == list(OLD.values())
    assert table.value.tolist() == [place / 10 for place in range(len(OLD))]


@pytest.mark.parametrize(("old", "new"), OLD.items())
def test_values_per_query_are_found_by_both_names(store: Path, old: str, new: str) -> None:
    with Store.read(store) as opened:
        for name in (old, new):
            (found,) = opened.per_query(name, "definition").values()
            assert found.values.tolist() == [list(OLD).index(old) / 10]


def test_a_store_does_not_differ_from_one_with_todays_names(store: Path, tmp_path: Path) -> None:
    values = tuple(
        StoredValue("test", "definition", new, place / 10) for place, new in enumerate(OLD.values())
    )
    with Store.open(tmp_path / "new.sqlite") as opened:
        opened.add("key", NAME, {}, TaskOutcome("done", values=values))
    with Store.read(store) as old, Store.read(tmp_path / "new.sqlite") as new:
        assert old.difference(new) == []
