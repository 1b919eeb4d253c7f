"""The folder of a build: its mark, one build at a time in it, and new things put there whole."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.files import is_folder, make_folder, readable, write_text
from rankwise.locks import exclusively
from rankwise.unfinished import is_unfinished

MARK = "build.txt"
MARK_TEXT = "A folder of rankwise build; data-card.json says what is in it.\n"
FEATURES_MARK_TEXT = f"{MARK_TEXT}Its features come from metadata; no build goes on in it.\n"
WORK = ".building"
_LOCK = ".build-lock"


def is_mark(path: Path) -> bool:
    """Whether a file is the mark of a build, and not another file of the same name."""
    return path.name == MARK and _describe_beginning(path).startswith(MARK_TEXT)


def prepare_folder(directory: str | Path) -> Path:
    """The folder of a build: new, empty, or one that a build has been in before."""
    home = make_folder(directory)
    names = list_names(home)
    # What a build leaves that is killed while it writes its mark; writing the mark removes it.
    others = {name for name in names if not is_unfinished(name, MARK)}
    if others and not (MARK in others and _describe_beginning(home / MARK) == MARK_TEXT):
        raise RankwiseError(
            f"cannot build in {home}: it holds other files; name a new or empty folder"
        )
    write_text(home / MARK, MARK_TEXT)
    return home


@contextlib.contextmanager
def open_build_folder(directory: str | Path) -> Iterator[Path]:
    """The prepared folder of a build, which no other build may work in at the same time."""
    home = prepare_folder(directory)
    with lock_folder(home):
        yield home


@contextlib.contextmanager
def lock_folder(home: Path) -> Iterator[None]:
    """Keep other builds out of a folder."""
    busy = f"another build is at work in {home}; wait for it to end, or name another folder"
    with exclusively(home / _LOCK, busy, what=home):
        yield


def list_names(home: Path) -> set[str]:
    """What a folder holds besides its lock, beside which SQLite puts a journal."""
    return {path.name for path in home.iterdir() if not path.name.startswith(_LOCK)}


@contextlib.contextmanager
def make_workshop(home: Path) -> Iterator[Path]:
    """An empty folder beside the place of what is made in it; it does not stay."""
    work = home / WORK
    shutil.rmtree(work, ignore_errors=True)
    try:
        yield make_folder(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def put_in_place(work: Path, home: Path, last: str) -> None:
    """Move what was made to where it belongs; what stood there before goes.

    The file `last` goes first and comes last: where it is, everything is.
    """
    (home / last).unlink(missing_ok=True)
    shutil.rmtree(home / "Relations", ignore_errors=True)
    for path in sorted(work.iterdir(), key=lambda path: path.name == last):
        target = home / path.name
        if is_folder(target):
            shutil.rmtree(target)
        path.replace(target)


def _describe_beginning(mark: Path) -> str:
    with readable(mark) as stream:
        return stream.read(len(FEATURES_MARK_TEXT)).decode("utf-8", "replace")
