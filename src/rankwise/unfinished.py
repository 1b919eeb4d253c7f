"""Files and folders that are not finished yet: made beside their place, known by their name.

Each is locked as long as its process lives, and the operating system ends the lock with the
process, kill -9 included. So whoever writes to the same place next can tell what nobody will
finish any more, and removes it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has other locks: there a file that is open cannot be removed.
    fcntl = None  # type: ignore[assignment]

ENDING = ".unfinished"
# Room for the rest of the name where the place has the longest name that there can be.
_LONGEST_NAME = 80


@contextlib.contextmanager
def unfinished_file(target: Path) -> Iterator[tuple[Path, int]]:
    """A new file beside `target`, and its handle; it is gone afterwards where it was not moved.

    Whoever uses the handle closes it.
    """
    remove_abandoned(target)
    path, handle = _make(target, folder=False)
    # A second handle keeps the lock until the file has been moved to its place.
    held = os.dup(handle) if fcntl is not None else -1
    try:
        yield path, handle
    finally:
        path.unlink(missing_ok=True)
        _close(held)


@contextlib.contextmanager
def unfinished_folder(target: Path) -> Iterator[Path]:
    """A new folder beside `target`, for its owner only; it is gone afterwards if not moved."""
    remove_abandoned(target)
    path, held = _make(target, folder=True)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        _close(held)


def remove_abandoned(target: Path) -> None:
    """Remove what killed processes left beside `target`; what cannot be removed stays."""
    beginning = _begin_name(target)
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if entry.name.startswith(beginning) and entry.name.endswith(ENDING):
                _remove_unlocked(Path(entry.path))


def is_unfinished(name: str, target: str) -> bool:
    """Whether a file of this name was to become `target`."""
    return name.startswith(_begin_name(Path(target))) and name.endswith(ENDING)


def _begin_name(target: Path) -> str:
    return f".{target.name[:_LONGEST_NAME]}."


def _make(target: Path, *, folder: bool) -> tuple[Path, int]:
    while True:
        path = target.with_name(f"{_begin_name(target)}{secrets.token_hex(4)}{ENDING}")
        try:
            handle = _create(path, folder)
        except FileExistsError:
            continue
        if handle < 0 or not _lock(handle, wait=True) or _is_there(path, handle):
            return path, handle
        # Somebody took it for abandoned before it was locked.
        os.close(handle)


def _create(path: Path, folder: bool) -> int:
    """Make a file or a folder; its handle, or -1 where a folder has none."""
    if not folder:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        return os.open(path, flags, 0o600)
    path.mkdir(0o700)
    return os.open(path, os.O_RDONLY) if fcntl is not None else -1


def _close(handle: int) -> None:
    if handle >= 0:
        os.close(handle)


def _lock(handle: int, *, wait: bool) -> bool:
    """Lock a file; whether that could be done, which not every file system can."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_there(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except OSError:
        return False


def _remove_unlocked(path: Path) -> None:
    if fcntl is None:
        with contextlib.suppress(OSError):
            path.unlink()
        return
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            if not _lock(handle, wait=False):
                return
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        finally:
            os.close(handle)
