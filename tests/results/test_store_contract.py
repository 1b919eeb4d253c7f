"""What the docstring of `Store` promises to whoever reads and writes one."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.results import read_results
from rankwise.results.store.schema import dump_canonical
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome

NAME = TaskName("LETOR 3.0", "OHSUMED", "MIN", 1, "ListNet", "listnet", 0, "letor3")


def done(mean: float = 0.25) -> TaskOutcome:
    values = np.array([mean, mean])
    return TaskOutcome(
        "done", values=(StoredValue("test", "letor3", "MAP", mean, ("1", "2"), values),)
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "s.sqlite"
    with Store.open(found) as store:
        store.add("k1", NAME, {}, done())
    return found


def test_a_reader_sees_a_task_as_soon_as_it_is_added(path: Path) -> None:
    with Store.read(path) as reader, Store.open(path) as writer:
        writer.add("k2", replace(NAME, fold=2), {}, done())
        assert [task.key for task in reader.tasks()] == ["k1", "k2"]


def test_within_a_snapshot_nothing_changes(path: Path) -> None:
    with Store.read(path) as reader, Store.open(path) as writer:
        with reader.snapshot():
            assert len(reader.tasks()) == 1
            writer.add("k2", replace(NAME, fold=2), {}, done())
            with reader.snapshot():
                assert len(reader.tasks()) == len(reader.values()) == 1
            assert len(reader.values()) == 1
        assert len(reader.tasks()) == len(reader.values()) == 2


def test_a_writer_reads_what_it_wrote(path: Path) -> None:
    with Store.open(path) as store:
        store.add("k1", NAME, {}, done(0.5))
        assert [one.value for one in store.values()] == [0.5]


def test_reading_changes_nothing(path: Path) -> None:
    with Store.read(path) as store:
        for write in (
            lambda: store.add("k2", NAME, {}, done()),
            lambda: store.claim({"k1": NAME}),
            lambda: store.remove(["k1"]),
            lambda: store.collect_garbage(),
        ):
            with pytest.raises(RankwiseError, match="is open for reading; open it with Store"):
                write()
        assert [task.key for task in store.tasks()] == ["k1"]


def test_nothing_is_written_within_a_snapshot(path: Path) -> None:
    with Store.open(path) as store:
        refused = pytest.raises(RankwiseError, match="cannot be written within a snapshot")
        with store.snapshot(), refused:
            store.add("k2", NAME, {}, done())
        store.add("k2", replace(NAME, fold=2), {}, done())
        assert len(store.tasks()) == 2


def test_a_closed_store_says_so_and_lets_others_write(path: Path) -> None:
    store = Store.open(path)
    store.close()
    store.close()
    with pytest.raises(RankwiseError, match="it was closed; open it again"):
        store.tasks()
    with Store.open(path) as other:
        assert len(other.tasks()) == 1


def test_a_failure_to_open_leaves_no_lock(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(RankwiseError, match="no SQLite database"):
        Store.open(path)
    path.write_bytes(content)
    with Store.open(path) as store:
        assert len(store.tasks()) == 1


KILLED = """
import os, signal, sys
from dataclasses import replace
from rankwise.results.store.store import Store
from rankwise.results.store.task_writing import write_task
from tests.results.test_store_contract import NAME, done

store = Store.open(sys.argv[1])
for number in range(2, 12):
    store.add(f"k{number}", replace(NAME, fold=number), {}, done())
store._file.connection.execute("BEGIN IMMEDIATE")
write_task(store._file.connection, "half", NAME, {}, done(), None)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_leaves_whole_tasks_and_the_right_to_write(path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    with Store.open(path) as store:
        assert [task.key for task in store.tasks()] == [f"k{n}" for n in range(1, 12)]
        assert len(store.values()) == len(store.per_query("MAP", "letor3")) == 11


def test_the_values_come_back_to_the_bit(tmp_path: Path) -> None:
    awkward = np.array([0.1 + 0.2, 1 / 3, 5e-324, -0.0, np.nan])
    outcome = TaskOutcome(
        "done", values=(StoredValue("test", "letor3", "MAP", 1 / 3, tuple("abcde"), awkward),)
    )
    with Store.open(tmp_path / "s.sqlite") as store:
        store.add("k", NAME, {}, outcome)
        (found,) = store.per_query("MAP", "letor3").values()
        assert found.values.tobytes() == awkward.tobytes()
        assert store.values()[0].value == 1 / 3


def test_a_store_is_short_in_a_terminal(path: Path) -> None:
    with Store.open(path) as store:
        store.add("k2", replace(NAME, fold=2), {}, TaskOutcome.failure("error", "no"))
        assert repr(store) == f"Store({str(path)!r}, 1 done, 1 failed)"
    assert repr(store) == f"Store({str(path)!r}, closed)"
    with Store.read(path) as store:
        assert repr(store) == f"Store({str(path)!r}, 1 done, 1 failed, reading)"


def test_a_notebook_shows_how_the_tasks_of_a_method_ended(path: Path) -> None:
    with Store.open(path) as store:
        store.add("k2", replace(NAME, method="<b>"), {}, TaskOutcome.failure("error", "no"))
        shown = store._repr_html_()
    assert "<td>OHSUMED</td><td>ListNet</td>" in shown
    assert "<td>&lt;b&gt;</td>" in shown
    assert "closed" in store._repr_html_()


def test_a_frame_has_a_row_for_each_value(path: Path) -> None:
    with Store.read(path) as store:
        frame = store.to_frame()
        assert store.to_frame(part="validation").empty
    assert list(frame.columns) == [
        "collection", "dataset", "version", "fold", "method", "ranker", "seed",
        "measure", "tool", "value",
    ]  # fmt: skip
    assert frame.to_dict("records")[0]["value"] == 0.25


def test_an_exported_table_is_the_table(path: Path, tmp_path: Path) -> None:
    with Store.read(path) as store:
        table = store.export(tmp_path / "t.csv")
        assert table == store.table()
    assert read_results(tmp_path / "t.csv") == table == read_results(path)


def test_failures_are_the_tasks_that_failed(path: Path) -> None:
    with Store.open(path) as store:
        store.add("k2", replace(NAME, fold=2), {}, TaskOutcome.failure("time", "too long"))
        assert [task.key for task in store.failures()] == ["k2"]


def test_equal_contents_are_equal_texts() -> None:
    assert dump_canonical({"b": [1, 2.5], "a": "ü"}) == '{"a":"ü","b":[1,2.5]}'
    assert dump_canonical({"a": "\udce9"}) == '{"a":"\\udce9"}'
