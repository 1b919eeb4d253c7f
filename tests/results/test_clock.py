"""Which tasks count does not depend on the clock: it may be set back or forth between runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rankwise.results.store import task_writing
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome

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

    monkeypatch.setattr(task_writing, "datetime", Clock)
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
