"""Which tasks count does not depend on the clock: it may be set back or forth between runs."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rankwise.results.store import store
from rankwise.results.store.schema import TimedTask, order_by_plan
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome
from tests.stores import make_older

NAME = TaskName("LETOR 3.0", "OHSUMED", "MIN", 1, "mine", "mine", 0, "letor3")
YEAR = timedelta(days=365)
SetClock = Callable[[timedelta], None]


def done(mean: float) -> TaskOutcome:
    return TaskOutcome("done", values=(StoredValue("test", "letor3", "MAP", mean),))


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """A clock that goes on by a second with every look at it, and can be set."""
    shown = [datetime(2026, 1, 1, tzinfo=UTC)]

    class Clock:
        @staticmethod
        def now(zone: object) -> datetime:
            shown[0] += timedelta(seconds=1)
            return shown[0]

    def move(by: timedelta) -> None:
        shown[0] += by

    monkeypatch.setattr(store, "datetime", Clock)
    return move


def run(store: Store, code: str, mean: float) -> None:
    """What a run does: it asks for its tasks, and adds those that are not there."""
    names = {f"{code}{fold}": replace(NAME, fold=fold) for fold in (1, 2)}
    known, turns = store.endings(), store.claim(names)
    for key, name in names.items():
        if key not in known:
            store.add(key, name, {"code": code, "fold": name.fold}, done(mean), turn=turns[key])


@pytest.mark.parametrize("moves", list(itertools.product((-YEAR, YEAR), repeat=3)))
def test_what_was_run_last_counts_and_is_kept(
    moves: tuple[timedelta, ...], set_clock: SetClock, tmp_path: Path
) -> None:
    path = tmp_path / "s.sqlite"
    for code, mean, move in zip("abc", (0.1, 0.2, 0.3), moves, strict=True):
        with Store.open(path) as store:
            run(store, code, mean)
            assert [one.value for one in store.values()] == [mean, mean]
        set_clock(move)
    with Store.open(path) as store:
        run(store, "b", 0.2)
        assert [one.value for one in store.values()] == [0.2, 0.2]
        assert sorted(store.garbage()) == ["a1", "a2", "c1", "c2"]
        assert store.collect_garbage() == 4
        assert [one.value for one in store.values()] == [0.2, 0.2]
        run(store, "d", 0.4)
        assert [one.value for one in store.values()] == [0.4, 0.4]


def stamp(path: Path, stamps: dict[str, tuple[str, str]]) -> None:
    """The times of a store of version 3, which had nothing else to go by."""
    make_older(path, 3)
    with closing(sqlite3.connect(path)) as connection:
        for key, times in stamps.items():
            connection.execute(
                "UPDATE tasks SET planned = ?, finished = ? WHERE key = ?", (*times, key)
            )
        connection.commit()


def time(year: int, place: int = 0) -> str:
    moment = datetime(year, 1, 1, tzinfo=UTC) + timedelta(microseconds=place)
    return moment.isoformat(timespec="microseconds")


@pytest.mark.parametrize(
    ("years", "last"),
    [((2025, 2026), "new"), ((2026, 2025), "new")],
    ids=["a clock that went on", "a clock set back"],
)
def test_an_older_store_gets_the_order_in_which_its_tasks_were_added(
    years: tuple[int, int], last: str, tmp_path: Path
) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as store:
        run(store, "old", 0.1)
        run(store, "new", 0.2)
    stamp(path, {
        f"{code}{fold}": (time(year, fold), time(year, 10**6 * fold))
        for code, year in zip(("old", "new"), years, strict=True) for fold in (1, 2)
    })  # fmt: skip
    with Store.open(path) as store:
        assert [task.key for task in store.tasks()] == [f"{last}1", f"{last}2"]
        assert store.garbage() == ["old1", "old2"]


def test_a_plan_that_asked_again_for_older_tasks_comes_last() -> None:
    first = [TimedTask(1, time(2027), time(2025)), TimedTask(2, time(2027, 1), time(2025, 9))]
    second = [TimedTask(3, time(2026), time(2026, 5)), TimedTask(4, time(2026, 1), time(2026, 7))]
    assert order_by_plan([*first, *second]) == [3, 4, 1, 2]


def test_tasks_of_a_plan_stand_in_its_order_whichever_ended_first() -> None:
    tasks = [TimedTask(1, time(2025, 2), time(2025, 3)), TimedTask(2, time(2025, 1), time(2025, 4))]
    assert order_by_plan(tasks) == [2, 1]


def test_a_plan_with_a_clock_set_back_that_ran_twice_comes_last() -> None:
    first = [TimedTask(1, time(2026), time(2026, 5))]
    again = [TimedTask(2, time(2025, 5 * 10**6), time(2025, 9))]
    assert order_by_plan([*first, *again]) == [1, 2]
