"""Which tasks of a store count, what goes with those that are removed, and what is refused."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.results.result_validation import Record, inspect_records
from rankwise.results.store.schema import APPLICATION, VERSION
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome, Tried
from tests.stores import difference, reading

NAME = TaskName("LETOR 3.0", "OHSUMED", "MIN", 1, "ListNet", "listnet", 0, "letor3")
NULL = replace(NAME, version="NULL")


def done(
    mean: float = 0.25, *, queries: tuple[str, ...] = ("7", "8"), **more: object
) -> TaskOutcome:
    """With the values of each query on test, and without those on validation."""
    figures = (
        StoredValue("test", "letor3", "MAP", mean, queries, np.array([mean - 0.125, mean + 0.125])),
        StoredValue("validation", "letor3", "MAP", 0.5),
    )
    return TaskOutcome("done", values=figures, **more)  # type: ignore[arg-type]


def store_of(path: Path, *tasks: tuple[str, TaskName, TaskOutcome]) -> Path:
    with Store.open(path) as store:
        for key, name, outcome in tasks:
            store.add(key, name, {"of": key}, outcome)
    return path


@pytest.mark.parametrize("settings", ["the same", "others"])
def test_versions_of_a_data_set_do_not_supersede_each_other(settings: str, tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("min", NAME, {"measures": "the same"}, done(0.25))
        store.add("null", NULL, {"measures": settings}, done(0.5))
    assert [task.key for task in reading(path).tasks()] == ["min", "null"]
    assert {one.name.version: one.value for one in reading(path).values()} == {
        "MIN": 0.25,
        "NULL": 0.5,
    }


def test_values_per_query_of_superseded_tasks_do_not_appear(tmp_path: Path) -> None:
    old, new = done(0.25, queries=("1", "2")), done(0.5, queries=("3", "4"))
    path = store_of(
        tmp_path / "s.sqlite",
        ("old", NAME, old),
        ("old 2", replace(NAME, fold=2), old),
        ("new", NAME, new),
    )
    found = reading(path).per_query("MAP", "letor3")
    assert [(name.fold, ids) for name, (ids, _) in found.items()] == [(1, ["3", "4"])]
    np.testing.assert_array_equal(found[NAME][1], [0.375, 0.625])


def test_combinations_of_failed_tasks_are_not_counted(tmp_path: Path) -> None:
    tried = (Tried({"a": 1}, None, 0.1, "too steep"), Tried({"a": 2}, 0.5, 0.1))
    path = store_of(
        tmp_path / "s.sqlite",
        ("done", NAME, done(tried=tried)),
        ("failed", replace(NAME, fold=2), TaskOutcome.failure("time", "too long", tried=tried)),
        ("unasked", replace(NAME, fold=3), done(tried=tried)),
    )
    found = reading(path).untrained_combinations(["done", "failed"])
    assert found == Counter({("ListNet", "too steep"): 1})


def test_a_parameter_of_one_value_is_not_tuned(tmp_path: Path) -> None:
    tried = (Tried({"a": 1, "b": "x"}, 0.4, 0.1), Tried({"a": 2, "b": "x"}, 0.5, 0.1))
    path = store_of(
        tmp_path / "s.sqlite",
        ("grid", NAME, done(tried=tried)),
        ("single", replace(NAME, fold=2), done(tried=tried[:1])),
    )
    numbers = {task.key: task.number for task in reading(path).tasks(superseded=True)}
    found = reading(path).tuned_parameters()
    assert (found[numbers["grid"]], found[numbers["single"]]) == (["a"], [])


def test_lists_of_queries_that_nobody_needs_go_with_the_last_task(tmp_path: Path) -> None:
    path = store_of(
        tmp_path / "s.sqlite",
        ("one", NAME, done(queries=("1", "2"))),
        ("other", replace(NAME, fold=2), done(queries=("3", "4"))),
    )
    with Store.open(path) as store:
        store.remove(["one"])
        left = store._file.connection.execute("SELECT ids FROM queries").fetchall()
        assert left == [('["3","4"]',)]
        assert store._file.connection.execute("SELECT count(*) FROM figures").fetchone() == (2,)


def test_reading_refuses_somebody_elses_database_of_the_same_number(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE tasks (number)")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute(f"PRAGMA application_id = {APPLICATION + 1}")
        connection.commit()
    with pytest.raises(RankwiseError, match="another SQLite database"), Store.read(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
    with Store.read(path) as store:
        assert store._file.select("SELECT count(*) FROM tasks") == [(0,)]


def test_a_difference_counts_from_beyond_the_tolerance(tmp_path: Path) -> None:
    one = store_of(tmp_path / "one.sqlite", ("k", NAME, done(0.25)))
    near = store_of(tmp_path / "near.sqlite", ("k", NAME, done(0.25 + 1e-9)))
    far = store_of(tmp_path / "far.sqlite", ("k", NAME, done(0.375)))
    assert [(c.before, c.after) for c in difference(one, near)] == [(0.25, 0.25 + 1e-9)]
    assert difference(one, near, tolerance=1e-8) == []
    assert difference(one, far, tolerance=0.125) == []
    assert len(difference(one, far, tolerance=0.1249)) == 1
    assert difference(one, one) == []


def test_differences_are_told_for_each_version_of_a_data_set(tmp_path: Path) -> None:
    one = store_of(tmp_path / "one.sqlite", ("a", NAME, done(0.25)), ("b", NULL, done(0.5)))
    other = store_of(tmp_path / "other.sqlite", ("a", NAME, done(0.375)), ("b", NULL, done(0.5)))
    (change,) = difference(one, other)
    assert (change.version, change.before, change.after) == ("MIN", 0.25, 0.375)
    swapped = store_of(tmp_path / "swapped.sqlite", ("a", NULL, done(0.25)))
    assert [(c.version, c.before, c.after) for c in difference(one, swapped)] == [
        ("MIN", 0.25, None), ("NULL", 0.5, 0.25)]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "hinted"), [("1.01", True), ("100", True), ("100.5", False), ("250", False)]
)
def test_what_cannot_be_percent_gets_no_hint_at_percent(value: str, hinted: bool) -> None:
    cells = {"collection": "c", "dataset": "d", "method": "m", "measure": "NDCG", "value": value}
    (problem,) = inspect_records([Record(2, cells)], "f.csv").problems
    assert problem.kind == "range"
    assert ("divide by 100" in problem.sentence) is hinted
