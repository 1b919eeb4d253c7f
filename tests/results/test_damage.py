"""A store that is not what was written shows no figure: it says so, and what is damaged."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.results import read_results
from rankwise.results.store.database_file import DamagedStore
from rankwise.results.store.schema import digest_content
from rankwise.results.store.store import Store, describe_task, verify_store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome, Tried
from tests.stores import reading

NAME = TaskName("LETOR 3.0", "OHSUMED", "MIN", 1, "ListNet", "listnet", 0, "letor3")
QUERIES = tuple(map(str, range(60)))


def outcome(seed: int) -> TaskOutcome:
    rng = np.random.default_rng(seed)
    return TaskOutcome(
        "done",
        parameters={"rate": 0.1 * seed},
        facts={"rounds": seed},
        tried=(Tried({"rate": 0.1}, 0.5, 1.0), Tried({"rate": 0.2}, None, 0.5, "it cannot")),
        values=tuple(
            StoredValue(part, "letor3", measure, float(values.mean()), QUERIES, values)
            for part in ("test", "validation")
            for measure in ("MAP", "NDCG@10")
            for values in [rng.random(len(QUERIES))]
        ),
        seconds=1.5,
        environment={"python": "3.11"},
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two methods on four folds, one of them run again with other code."""
    path = tmp_path_factory.mktemp("whole") / "s.sqlite"
    with Store.open(path) as store:
        for code in ("old", "new"):
            for method in ("ListNet", "AdaRank") if code == "old" else ("ListNet",):
                for fold in range(1, 5):
                    name = replace(NAME, method=method, fold=fold)
                    inputs = {"code": code, "fold": fold, "data": {"train": str(fold)}}
                    store.add(f"{code} {method} {fold}", name, inputs, outcome(fold))
    return path


def look(path: Path) -> dict[str, Any]:
    """All that can be asked of a store, as plain values; raises as the commands do."""
    with Store.read(path) as store, store.snapshot():
        tasks = store.tasks(superseded=True)
        return {
            "table": list(store.table(all_tools=True).rows()),
            "validation": store.values(part="validation"),
            "tasks": [task.key for task in store.tasks()],
            "left out": store.explain_left_out(),
            "garbage": store.garbage(),
            "per query": {
                name: (ids, values.tobytes())
                for name, (ids, values) in store.per_query("MAP", "letor3").items()
            },
            "in full": [describe_task(store, task.key) for task in tasks],
            "tuned": store.tuned_parameters(),
            "pace": store.typical_seconds(),
        }


def flip(whole: Path, target: Path, bit: int) -> None:
    content = bytearray(whole.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    target.write_bytes(content)


def flip_bits(whole: Path, folder: Path, number: int, seed: int) -> tuple[int, int]:
    """Flip single bits: how many stores were refused, and how many stayed as they were."""
    expected, moments = look(whole), random.Random(seed)
    size, refused, unharmed = 8 * whole.stat().st_size, 0, 0
    for _ in range(number):
        target = folder / "flipped.sqlite"
        bit = moments.randrange(size)
        flip(whole, target, bit)
        try:
            found = look(target)
        except RankwiseError as error:
            assert "\n" not in str(error), bit
            refused += 1
            try:
                assert verify_store(target).damages, (bit, error)
            except RankwiseError as said:
                assert "damaged" not in str(said), bit
        else:
            assert found == expected, bit
            unharmed += 1
        for beside in folder.glob("flipped.sqlite*"):
            beside.unlink()
    return refused, unharmed


def test_a_flipped_bit_changes_no_figure(whole: Path, tmp_path: Path) -> None:
    refused, unharmed = flip_bits(whole, tmp_path, 300, seed=1)
    assert refused > 30 and refused + unharmed == 300


@pytest.mark.slow
def test_twenty_thousand_flipped_bits_change_no_figure(whole: Path, tmp_path: Path) -> None:
    refused, unharmed = flip_bits(whole, tmp_path, 20_000, seed=2)
    print(f"20,000 flipped bits: {refused} refused, {unharmed} without effect")


CHANGES = {
    "a mean": "UPDATE figures SET mean = mean + 1e-15 WHERE number = 17",
    "a measure": "UPDATE figures SET measure = 'NDCG@1' WHERE measure = 'NDCG@10' AND number = 18",
    "a figure less": "DELETE FROM figures WHERE number = 19",
    "a figure more": "INSERT INTO figures VALUES (999, 5, 'test', 'yahoo', 'MAP', 0.5, NULL)",
    "a method": "UPDATE tasks SET method = 'Other' WHERE number = 2",
    "an ending": "UPDATE tasks SET ending = 'failed' WHERE number = 2",
    "a turn": "UPDATE tasks SET turn = 10000 WHERE number = 1",
    "a generation": "UPDATE tasks SET generation = 'x' WHERE number = 1",
    "a task less": "DELETE FROM tasks WHERE number = 12",
    "all tasks": "DELETE FROM tasks",
    "the total": "UPDATE total SET tasks = tasks + 1",
    "no total": "DELETE FROM total",
    "parameters": "UPDATE tasks SET parameters = '{' WHERE number = 3",
    "a number as text": "UPDATE tasks SET seconds = 'long' WHERE number = 3",
    "bytes as text": "UPDATE tasks SET reason = X'ff' WHERE number = 3",
    "no text": "UPDATE tasks SET method = CAST(X'ff41' AS TEXT) WHERE number = 3",
}
HANGING = {
    "values": ("UPDATE per_query SET content = zeroblob(480) WHERE figure = 17", "values of MAP"),
    "fewer values": ("UPDATE per_query SET content = X'00' WHERE figure = 17", "values of MAP"),
    "no values": ("DELETE FROM per_query WHERE figure = 17", "values of MAP"),
    "queries": ("UPDATE queries SET ids = '[\"1\"]'", "values of MAP"),
    "tried": ("UPDATE tried SET value = 0.6 WHERE task = 2 AND place = 0", "what tuning tried"),
    "inputs": ("UPDATE tasks SET inputs = '{}' WHERE number = 4", "inputs or facts"),
    "environment": ("UPDATE environments SET content = '{'", "environment"),
}


def change(whole: Path, folder: Path, statement: str) -> Path:
    path = folder / "changed.sqlite"
    shutil.copy(whole, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    return path


@pytest.mark.parametrize("what", CHANGES)
def test_every_change_to_what_counts_is_refused_by_every_reader(
    what: str, whole: Path, tmp_path: Path
) -> None:
    path = change(whole, tmp_path, CHANGES[what])
    readers: list[Callable[[], Any]] = [
        lambda: reading(path).table(),
        lambda: reading(path).per_query("MAP", "letor3"),
        lambda: reading(path).paired("MAP", "letor3"),
        lambda: read_results(path),
    ]
    for read in readers:
        with pytest.raises(DamagedStore, match=r"is damaged: .*; nothing of it is shown: "):
            read()
    assert verify_store(path).damages


@pytest.mark.parametrize("what", HANGING)
def test_what_hangs_on_a_task_is_refused_where_it_is_read(
    what: str, whole: Path, tmp_path: Path
) -> None:
    statement, sentence = HANGING[what]
    path = change(whole, tmp_path, statement)
    with pytest.raises(DamagedStore):
        look(path)
    assert any(sentence in one.sentence for one in verify_store(path).damages)


def test_a_whole_store_has_no_damage(whole: Path) -> None:
    found = verify_store(whole)
    assert (found.tasks, found.figures, found.damages) == (12, 12 * 4, ())
    assert found.query_values == 12 * 4 * len(QUERIES)


@pytest.mark.parametrize("what", [*CHANGES, *HANGING])
def test_what_is_damaged_can_be_removed_and_added_again(
    what: str, whole: Path, tmp_path: Path
) -> None:
    statement = CHANGES[what] if what in CHANGES else HANGING[what][0]
    path = change(whole, tmp_path, statement)
    with Store.open(path) as store:
        store.remove_damaged()
        assert store.damages() == []
        kept = store.endings()
        store.add("again", NAME, {}, outcome(1))
        assert store.endings() == {**kept, "again": "done"}
    assert not verify_store(path).damages
    with Store.read(whole) as before, Store.read(path) as after:
        known = {task.key: before.values(keys=[task.key]) for task in before.tasks(superseded=True)}
        for key in kept:
            found = after.values(keys=[key])
            assert [one[1:] for one in found] == [one[1:] for one in known[key]]


def test_nothing_damaged_is_sealed_by_a_plan_that_asks_for_it(whole: Path, tmp_path: Path) -> None:
    path = change(whole, tmp_path, CHANGES["a method"])
    with Store.open(path) as store:
        for write in (
            lambda: store.claim({"old ListNet 2": NAME}),
            lambda: store.collect_garbage(),
            lambda: store.endings(),
        ):
            with pytest.raises(DamagedStore, match="1 of 12 tasks are not what was stored"):
                write()
    assert len(verify_store(path).damages) == 1


def test_writing_keeps_the_digests_right(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        for fold in (1, 2, 3):
            store.add(str(fold), replace(NAME, fold=fold), {}, outcome(fold))
            assert store.damages() == []
        store.claim({"2": replace(NAME, fold=2, method="renamed"), "new": NAME})
        assert store.damages() == []
        store.add("1", NAME, {}, TaskOutcome.failure("error", "no"))
        assert store.damages() == []
        store.remove(["3", "unknown"])
        store.collect_garbage(failed=True)
        assert store.damages() == []
        assert store.endings() == {"2": "done"}


def test_a_row_of_another_table_or_kind_is_not_what_was_stored() -> None:
    digests = {
        digest_content(table, 1, content)
        for table in ("queries", "per_query", "environments")
        for content in ("[]", b"[]")
    }
    assert len(digests) == 6
