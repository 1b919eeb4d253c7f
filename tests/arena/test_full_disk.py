"""A full disk: one sentence, and nothing left that would stand in the way of the next try."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from rankwise.arena import task_creation
from rankwise.arena.arena import Arena
from rankwise.arena.participation import OPERATOR, StorageFailure
from rankwise.arena.storage.stored_records import add_task
from rankwise.arena.task_creation import create_arena, create_task
from rankwise.errors import RankwiseError
from tests.arena.playing import join, noise, submit
from tests.full_disk import largest_file, resource


def list_files(folder: Path) -> list[str]:
    """What is there but for the files that an open database keeps beside it."""
    found = (str(path.relative_to(folder)) for path in folder.rglob("*"))
    return sorted(name for name in found if not name.endswith(("-wal", "-shm")))


# The key, arena.toml, the database, its tables and the package, one after the other.
@pytest.mark.parametrize("size", [10, 100, 2000, 30_000, 90_000])
def test_an_arena_is_made_whole_or_not_at_all(size: int, folds: Path, tmp_path: Path) -> None:
    home = tmp_path / "arena"
    with largest_file(size), pytest.raises(RankwiseError) as caught:
        create_task(home, folds, name="made", seed=1)
    said = str(caught.value)
    assert "\n" not in said and "sqlalchemy" not in said.lower() and "SQL" not in said
    assert not home.exists()
    create_task(home, folds, name="made", seed=1)
    with Arena.open(home) as arena:
        assert arena.audit().sound


def test_a_folder_that_was_there_stays_with_what_is_in_it(
    folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full when all but the task itself is written."""

    def fill(*arguments: Any) -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
        add_task(*arguments)

    (tmp_path / "notes.txt").write_text("mine")
    monkeypatch.setattr(task_creation, "add_task", fill)
    with largest_file(1 << 30), pytest.raises(StorageFailure, match="take what is written"):
        create_task(tmp_path, folds, name="made", seed=1)
    assert list_files(tmp_path) == ["notes.txt"]


def test_a_folder_of_a_package_that_cannot_be_written_is_one_sentence(
    folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any, **named: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(task_creation.tempfile, "TemporaryDirectory", fail)
    with pytest.raises(RankwiseError, match=r"cannot write .*made\.zip: No space left on device"):
        create_task(tmp_path / "arena", folds, name="made")
    assert list_files(tmp_path) == []


def test_a_second_task_that_fails_leaves_the_first_as_it_was(folds: Path, tmp_path: Path) -> None:
    home = tmp_path / "arena"
    create_task(home, folds, name="made", seed=1)
    before = list_files(home)
    for size in (2000, 60_000):
        with largest_file(size), pytest.raises(RankwiseError):
            create_task(home, folds, name="second", seed=1)
        assert list_files(home) == before
    with Arena.open(home) as arena:
        assert [task.name for task in arena.tasks()] == ["made"] and arena.audit().sound
    create_task(home, folds, name="second", seed=1)


def test_what_is_asked_of_an_open_arena_is_one_sentence(folds: Path, tmp_path: Path) -> None:
    settings = create_arena(tmp_path / "arena")
    create_task(settings, folds, name="made", seed=1)
    with Arena.open(settings) as arena:
        account = join(arena)
        for ask in (
            lambda: arena.invite("reader", "", OPERATOR),
            lambda: arena.reveal("made", OPERATOR),
            lambda: submit(arena, account, noise(arena, 1)),
        ):
            with largest_file(2000), pytest.raises(StorageFailure, match="nothing was changed"):
                ask()
        assert arena.task("made").open and arena.entries("made", account) == ()
        assert submit(arena, account, noise(arena, 1)).new and arena.audit().sound


def test_data_that_are_not_there_leave_no_arena(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError):
        create_task(tmp_path / "arena", tmp_path / "nothing")
    assert list_files(tmp_path) == []
