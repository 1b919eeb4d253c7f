from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.results import read_results
from rankwise.results.store.schema import APPLICATION, VERSION
from rankwise.results.store.store import Store, is_store, verify_store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome, Tried
from tests.stores import difference, reading

NAME = TaskName("LETOR 3.0", "OHSUMED", "MIN", 1, "ListNet", "listnet", 0, "letor3")
VALUES = np.array([0.1, np.nan, 1 / 3])


def outcome(mean: float = 0.25) -> TaskOutcome:
    queries = ("7", "8", "ü")
    return TaskOutcome(
        "done",
        parameters={"learning_rate": 0.1, "layers": "none"},
        facts={"round": 3},
        tried=(Tried({"a": 1}, 0.5, 1.0), Tried({"a": 2}, None, 0.5, "it cannot")),
        values=(
            StoredValue("test", "letor3", "MAP", mean, queries, VALUES),
            StoredValue("test", "yahoo", "NDCG@10", 0.75, queries, VALUES),
            StoredValue("validation", "letor3", "MAP", 0.5),
        ),
        seconds=2.0,
        peak_bytes=10**8,
        environment={"python": "3.11"},
    )


def test_what_is_put_in_comes_out(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("k1", NAME, {"seed": 0}, outcome())
        assert store.endings() == {"k1": "done"}
    (task,) = reading(path).tasks()
    assert (task.key, task.name, task.seconds) == ("k1", NAME, 2.0)
    assert task.parameters == {"learning_rate": 0.1, "layers": "none"}
    assert reading(path).tried(task.number) == list(outcome().tried)
    ((ids, values),) = reading(path).per_query("MAP", "letor3").values()
    assert ids == ["7", "8", "ü"]
    np.testing.assert_array_equal(values, VALUES)
    assert [mean.value for mean in reading(path).values(part="validation")] == [0.5]


def test_measures_have_their_names_in_tables_and_are_found_by_any(tmp_path: Path) -> None:
    asked = {"AP": "MAP", "R@10": "Recall@10", "NDCG(gain=linear)@5": "NDCG(gain=linear)@5"}
    for place, names in enumerate((list(asked), list(asked.values()))):
        with Store.open(tmp_path / str(place)) as store:
            figures = [StoredValue("test", "letor3", one, 0.5, ("7",), VALUES[:1]) for one in names]
            store.add("k", NAME, {}, TaskOutcome("done", values=tuple(figures)))
    assert read_results(tmp_path / "0").measure.tolist() == list(asked.values())
    for name in (*asked, *asked.values()):
        assert len(reading(tmp_path / "0").per_query(name, "letor3")) == 1
    assert difference(tmp_path / "0", tmp_path / "1") == []


def test_the_table_holds_the_data_sets_own_tool_unless_all_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("k1", NAME, {}, outcome())
        store.add("k2", replace(NAME, fold=2), {}, outcome(0.75))
    table = reading(path).table()
    assert table.measures() == ["MAP"]
    assert table.aggregate_folds().value.tolist() == [(0.25 + 0.75) / 2]
    assert reading(path).table(all_tools=True).measures() == ["MAP", "NDCG@10"]


def test_the_last_of_a_name_counts_and_the_others_can_be_removed(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("old", NAME, {}, outcome(0.1))
        store.add("failed", NAME, {}, TaskOutcome.failure("error", "no"))
    # A failure does not give way to older figures, which are kept for another plan.
    assert [task.key for task in reading(path).tasks()] == ["failed"]
    assert reading(path).values() == []
    with Store.open(path) as store:
        assert store.garbage() == []
        store.add("new", NAME, {}, outcome(0.2))
    assert [mean.value for mean in reading(path).values() if mean.measure == "MAP"] == [0.2]
    with Store.open(path) as store:
        assert store.garbage() == ["old", "failed"]
        assert store.garbage(failed=True) == ["old", "failed"]
        assert store.collect_garbage(failed=True) == 2
        for table, left in (("tasks", 1), ("figures", 3), ("per_query", 2), ("tried", 2),
                            ("queries", 1), ("environments", 1)):  # fmt: skip
            found = store._file.connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert (table, found[0]) == (table, left)


def test_what_a_plan_asked_for_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("a", NAME, {}, outcome(0.1))
        store.add("b", NAME, {}, outcome(0.2))
        store.claim({"a": NAME, "not yet run": NAME})
        assert store.garbage() == ["b"]
    assert [task.key for task in reading(path).tasks()] == ["a"]


def test_a_failure_that_was_mended_is_no_longer_shown(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("failed", NAME, {}, TaskOutcome.failure("error", "no"))
        store.add("new", NAME, {}, outcome())
    assert [task.key for task in reading(path).tasks()] == ["new"]


def test_names_and_reasons_that_are_no_text_are_kept_as_codes(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    name = replace(NAME, dataset="caf\udce9")
    with Store.open(path) as store:
        store.add("k", name, {"path": "\udce9"}, TaskOutcome.failure("error", "bad \udce9"))
        store.claim({"k": name})
    (task,) = reading(path).tasks()
    assert (task.name.dataset, task.reason) == ("caf\\udce9", "bad \\udce9")


def test_a_link_to_a_store_meets_the_same_lock(tmp_path: Path) -> None:
    path, link = tmp_path / "s.sqlite", tmp_path / "elsewhere" / "t.sqlite"
    link.parent.mkdir()
    link.symlink_to(path)
    busy = pytest.raises(RankwiseError, match="being written by another run")
    with Store.open(path), busy, Store.open(link):
        pass


@pytest.mark.parametrize("running", [True, False])
def test_a_store_of_two_names_is_not_written_under_either(running: bool, tmp_path: Path) -> None:
    path, link = tmp_path / "s.sqlite", tmp_path / "t.sqlite"
    with Store.open(path) as store:
        store.add("k", NAME, {}, outcome())
        if running:
            link.hardlink_to(path)
            with pytest.raises(RankwiseError, match="a store must have one name, found a file of"):
                Store.open(link)
            store.add("k2", replace(NAME, fold=2), {}, outcome())
    if not running:
        link.hardlink_to(path)
    for name in (path, link):
        with pytest.raises(RankwiseError, match="make a copy of it with cp, or remove the other"):
            Store.open(name)
    link.unlink()
    with Store.open(path) as store:
        assert len(store.tasks()) == 1 + running


def test_names_that_no_table_can_hold_are_exported_as_codes(tmp_path: Path) -> None:
    path, table = tmp_path / "s.sqlite", tmp_path / "t.csv"
    with Store.open(path) as store:
        for number, method in enumerate(("two\nlines", "two lines", "\x1b[31mred", "a\u202eb")):
            store.add(str(number), replace(NAME, method=method), {}, outcome())
    reading(path).export(table)
    assert read_results(table).method.tolist() == [
        "two\\u000alines", "two lines", "\\u001b[31mred", "a\\u202eb"]  # fmt: skip


def test_reading_leaves_no_log_behind(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("k", NAME, {}, outcome())
        reading(path).tasks()
    reading(path).tasks()
    assert sorted(one.name for one in tmp_path.iterdir()) == [".s.sqlite-writer", "s.sqlite"]


def test_a_store_is_known_by_its_name_or_by_how_it_begins(tmp_path: Path) -> None:
    with Store.open(tmp_path / "results.store"):
        pass
    (tmp_path / "results.csv").write_text("collection,dataset\n")
    assert is_store(tmp_path / "results.store")
    assert is_store("there is none.sqlite")
    assert not is_store(tmp_path / "results.csv")
    assert not is_store(tmp_path / "there is none.csv")


def test_a_damaged_store_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        for number in range(40):
            store.add(str(number), replace(NAME, fold=number), {}, outcome())
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(bytes(content))
    with pytest.raises(RankwiseError, match=r"is damaged: .*malformed.*; nothing of it is shown"):
        reading(path).tasks()


def test_a_key_added_again_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("k", NAME, {}, TaskOutcome.failure("time", "too long"))
        store.add("k", NAME, {}, outcome())
    assert [task.ending for task in reading(path).tasks(superseded=True)] == ["done"]


def test_differences_name_the_figure_and_what_is_missing(tmp_path: Path) -> None:
    one, other = tmp_path / "one.sqlite", tmp_path / "other.sqlite"
    for path, mean in ((one, 0.25), (other, 0.26)):
        with Store.open(path) as store:
            store.add("k", NAME, {}, outcome(mean))
    assert difference(one, one) == []
    (change,) = difference(one, other)
    assert (change.measure, change.before, change.after) == ("MAP", 0.25, 0.26)
    assert difference(one, other, tolerance=0.02) == []
    with Store.open(other) as store:
        store.remove(["k"])
    assert {change.after for change in difference(one, other)} == {None}


def test_two_writers_are_refused_and_readers_are_not(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("k", NAME, {}, outcome())
        with pytest.raises(RankwiseError, match="being written by another run"), Store.open(path):
            pass
        assert len(reading(path).tasks()) == 1
    with Store.open(path):
        pass


@pytest.mark.parametrize("version", [0, 1, VERSION - 1, VERSION + 1])
def test_a_store_of_another_layout_is_refused_and_left_as_it_is(
    version: int, tmp_path: Path
) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("k", NAME, {}, outcome())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    for opening in (Store.open, Store.read, verify_store):
        with pytest.raises(RankwiseError, match="; nothing was changed: read it with") as refused:
            opening(path)
        assert f"another Rankwise (store version {version}, this one knows" in str(refused.value)
    assert path.read_bytes() == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM tasks").fetchone() == (1,)


def test_somebody_elses_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE addresses (name)")
    with pytest.raises(RankwiseError, match="found another SQLite database"), Store.open(path):
        pass
    path.write_text("not a database, but long enough to be looked at as one" * 40)
    with pytest.raises(RankwiseError, match="no SQLite database"), Store.open(path):
        pass


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW v AS WITH RECURSIVE n AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT * FROM n",
        "CREATE TRIGGER t AFTER INSERT ON tasks BEGIN DELETE FROM tasks; END",
    ],
)
def test_what_somebody_put_into_a_store_to_be_run_is_refused(
    statement: str, tmp_path: Path
) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        store.add("k", NAME, {}, outcome())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
    for opening in (Store.open, Store.read):
        with pytest.raises(RankwiseError, match="holds tables only, found views or triggers"):
            opening(path)


def test_an_empty_file_is_no_store_until_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    path.touch()
    with pytest.raises(RankwiseError, match="must be a store, found an empty file"):
        Store.read(path)
    with Store.open(path) as store:
        assert store.tasks() == reading(path).tasks() == []


def test_a_new_store_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_places_where_no_store_can_be_are_said(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="it is a directory"), Store.open(tmp_path):
        pass
    with pytest.raises(RankwiseError, match="does not exist"), Store.open(tmp_path / "no/s.sqlite"):
        pass
    with pytest.raises(RankwiseError, match="no such file"):
        reading(tmp_path / "s.sqlite").tasks()


def test_a_write_that_fails_half_way_leaves_nothing_of_the_task(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    twice = StoredValue("test", "letor3", "MAP", 0.5)
    with Store.open(path) as store:
        store.add("k1", NAME, {}, outcome())
        with pytest.raises(RankwiseError, match="what was stored before is kept"):
            store.add("k1", NAME, {}, TaskOutcome("done", values=(twice, twice)))
        store.add("k2", replace(NAME, fold=2), {}, outcome())
    assert [task.key for task in reading(path).tasks()] == ["k1", "k2"]
    assert len(reading(path).values()) == 4


@pytest.mark.parametrize("tolerance", [float("nan"), -1.0])
def test_a_tolerance_that_is_no_number_lets_no_difference_pass(
    tolerance: float, tmp_path: Path
) -> None:
    for name, mean in (("a", 0.25), ("b", 0.75)):
        with Store.open(tmp_path / name) as store:
            value = StoredValue("test", "letor3", "MAP", mean)
            store.add("k", NAME, {}, TaskOutcome("done", values=(value,)))
    assert len(difference(tmp_path / "a", tmp_path / "b", 0.1)) == 1
    with pytest.raises(RankwiseError, match="the tolerance must be a number from 0"):
        difference(tmp_path / "a", tmp_path / "b", tolerance)
