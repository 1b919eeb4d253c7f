"""Files: opened with a clear sentence when they cannot be, written whole or not at all.

Files and folders that are not finished yet are made beside their place and known by their name.
Each is locked as long as its process lives, and the operating system ends the lock with the
process, kill -9 included. So whoever writes to the same place next can tell what nobody will
finish any more, and removes it.

`exclusively` lets one process at a time do something. Its lock is an exclusive transaction on a
small SQLite file: the operating system releases it when the process is gone, on every system that
SQLite runs on.

Checksums of files that were published are compared with those of the files on disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from rankwise.errors import RankwiseError
from rankwise.sanitize import path_text

_MOST_LOOKED_AT = 1000
_NOTHING = "nothing was left behind"
_LONGEST_NAME = 255


class CannotWrite(RankwiseError):
    """A file or a folder cannot be written: why, and what became of what was begun."""

    def __init__(self, path: str | Path, cause: str, left: str = _NOTHING) -> None:
        self.cause = cause
        super().__init__(f"cannot write {path_text(path)}: {cause}; {left}")


def is_file(path: str | Path) -> bool:
    """Whether there is a file; a name that the system cannot even look up, too long, is none."""
    return _look_at(path, Path.is_file)


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder; as `is_file`."""
    return _look_at(path, Path.is_dir)


def is_there(path: str | Path) -> bool:
    """Whether there is anything; as `is_file`."""
    return _look_at(path, Path.exists)


def _look_at(path: str | Path, question: Callable[[Path], bool]) -> bool:
    # Until Python 3.14 these raise where a name is too long or a folder may not be looked into.
    try:
        return question(Path(path))
    except (OSError, ValueError):
        return False


def resolve(path: str | Path, *, home: bool = False) -> Path:
    """The path from the root, with links followed, and with `home` the `~` of a user."""
    try:
        place = Path(path).expanduser() if home else Path(path)
        return place.resolve()
    except (OSError, RuntimeError, ValueError) as error:
        # A user who is not there, links that lead in a circle, names that no system takes.
        reason = getattr(error, "strerror", None) or error
        raise RankwiseError(f"cannot find {path_text(path)}: {reason}") from error


@contextlib.contextmanager
def readable(path: str | Path) -> Iterator[BinaryIO]:
    """Open `path` for reading bytes; every way this can fail becomes one sentence."""
    try:
        opened = Path(path).open("rb")  # noqa: SIM115  # The block that it is for may raise as well.
    except (OSError, ValueError) as error:
        raise RankwiseError(reading_failure(path, error)) from error
    try:
        with opened as stream:
            yield stream
    except OSError as error:
        raise RankwiseError(reading_failure(path, error)) from error


def read_bounded(path: str | Path, most_bytes: int, what: str) -> bytes:
    """The content of a file that is not larger than anything that is `what` would be."""
    with readable(path) as stream:
        content = stream.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise RankwiseError(f"{path} is larger than {most_bytes >> 20} MB: it is no {what}")
    return content


@contextlib.contextmanager
def written_whole(path: str | Path) -> Iterator[BinaryIO]:
    """Write under another name beside `path`; rename when all went well, else leave nothing.

    The rename is atomic on one file system, so a reader sees the old file or the new one. What a
    killed process left beside the same path is removed. A device or a pipe is written as it is.
    """
    # It brings random numbers along, which commands that write nothing do not need.

    target = _find_target(path)
    try:
        if is_there(target) and not is_file(target):
            with target.open("wb") as stream:
                yield stream
            return
        with unfinished_file(target) as (temporary, handle):
            with os.fdopen(handle, "wb") as stream:
                yield cast(BinaryIO, stream)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.chmod(_permissions(target))
            temporary.replace(target)
    except OSError as error:
        raise writing_failure(path, error) from error


@contextlib.contextmanager
def written_together(path: str | Path) -> Iterator[Path]:
    """A folder for a file and what belongs beside it: put there when all went well, else gone.

    Nothing is moved before everything is written, so that a full disk leaves none of it.
    """

    target = _find_target(path)
    with contextlib.ExitStack() as held:
        try:
            work = held.enter_context(unfinished_folder(target))
        except OSError as error:
            raise writing_failure(path, error) from error
        try:
            yield work
        except CannotWrite as error:
            raise CannotWrite(path, error.cause) from error
        try:
            for made in sorted(work.rglob("*")):
                place = target.parent / made.relative_to(work)
                if is_folder(made):
                    make_folder(place)
                else:
                    made.replace(place)
        except OSError as error:
            raise writing_failure(path, error) from error


@contextlib.contextmanager
def made_folder(path: str | Path) -> Iterator[Path]:
    """A folder with those above it; the new ones among them are gone if anything fails."""
    folder = Path(path)
    new = [place for place in (folder, *folder.parents) if not is_there(place)]
    try:
        yield make_folder(folder)
    except BaseException:
        with contextlib.suppress(OSError):
            for place in new:
                place.rmdir()
        raise


def _find_target(path: str | Path) -> Path:
    """The file that is written: what a link leads to, not the link (`/dev/stdout`)."""
    refuse_name(path)
    target = resolve(path) if _look_at(path, Path.is_symlink) else Path(path)
    if is_folder(target):
        raise RankwiseError(f"cannot write {target}: it is a directory; name a file in it")
    return target


def write_text(path: str | Path, text: str) -> None:
    """Write `text` as UTF-8 with line feeds, whole or not at all."""
    with written_whole(path) as stream:
        stream.write(text.encode("utf-8"))


def make_folder(path: str | Path) -> Path:
    """Make a folder and those above it; an existing one is fine."""
    folder = Path(path)
    refuse_name(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise writing_failure(folder, error) from error
    return folder


def refuse_unwritable(path: str | Path, *, folder: bool = False) -> None:
    """Refuse a place where no file, or no folder, can be written: better before work than after."""
    target = Path(path)
    refuse_name(target)
    if folder:
        _refuse_folder(target)
    elif is_folder(target):
        raise RankwiseError(f"cannot write {target}: it is a directory; name a file in it")
    elif not is_folder(target.parent):
        raise RankwiseError(f"cannot write {target}: the folder {target.parent} does not exist")
    elif not os.access(target.parent, os.W_OK | os.X_OK):
        raise RankwiseError(f"cannot write {target}: permission denied in {target.parent}")


def refuse_name(path: str | Path) -> None:
    """Refuse a name that the system does not take, which is else found when all is done."""
    try:
        Path(path).lstat()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RankwiseError(f"cannot write {path_text(path)}: {reason}") from error


def _refuse_folder(target: Path) -> None:
    """A folder is made with those above it, so that the first of them that is there decides."""
    there = next(place for place in (target, *target.absolute().parents) if is_there(place))
    if not is_folder(there):
        raise RankwiseError(f"cannot write {target}: {there} is a file, a folder was expected")
    if not os.access(there, os.W_OK | os.X_OK):
        raise RankwiseError(f"cannot write {target}: permission denied in {there}")


def reading_failure(path: str | Path, error: OSError | ValueError) -> str:
    """The sentence for a file that cannot be read."""
    shown = path_text(path)
    if isinstance(error, FileNotFoundError):
        return f"cannot read {shown}: there is no such file{did_you_mean(path)}"
    if isinstance(error, IsADirectoryError):
        return f"cannot read {shown}: it is a directory, a file was expected"
    if isinstance(error, PermissionError):
        return f"cannot read {shown}: permission denied"
    return f"cannot read {shown}: {getattr(error, 'strerror', None) or error}"


def did_you_mean(path: str | Path, others: Iterable[str] = ()) -> str:
    """`; did you mean 'x.csv'?` where a file beside it, or one of `others`, is called nearly so."""
    from difflib import get_close_matches

    target = Path(path)
    beside: list[str] = []
    with contextlib.suppress(OSError), os.scandir(target.parent) as found:
        beside = [one.name for one in islice(found, _MOST_LOOKED_AT)]
    known = [name for name in (*others, *beside) if name != target.name]
    near = get_close_matches(target.name[:_LONGEST_NAME], known, n=1, cutoff=0.7)
    if not near:
        return ""
    meant = near[0] if near[0] in others else str(target.with_name(near[0]))
    return f"; did you mean {meant!r}?"


def writing_failure(path: str | Path, error: OSError) -> RankwiseError:
    """What is raised for a file that cannot be written."""
    if isinstance(error, FileNotFoundError):
        return RankwiseError(f"cannot write {path}: the folder {Path(path).parent} does not exist")
    return CannotWrite(path, error.strerror or str(error))


def _permissions(target: Path) -> int:
    """Those of the file being replaced, else what the process would give a new file."""
    if is_there(target):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def plain_name(text: str, otherwise: str = "unnamed") -> str:
    """A name read from outside as the name of a file: letters, digits, - _ and inner dots."""
    marks = (mark if mark.isalnum() or mark in "-_." else "-" for mark in text)
    return "".join(marks).strip(".") or otherwise


try:
    import fcntl
except ImportError:  # Windows has other locks: there a file that is open cannot be removed.
    fcntl = None  # type: ignore[assignment]

UNFINISHED_ENDING = ".unfinished"
# Room for the rest of the name where the place has the longest name that there can be.
_LONGEST_BEGINNING = 80


@contextlib.contextmanager
def unfinished_file(target: Path) -> Iterator[tuple[Path, int]]:
    """A new file beside `target`, and its handle; it is gone afterwards where it was not moved.

    Whoever uses the handle closes it.
    """
    remove_abandoned(target)
    path, handle = _make_unfinished(target, folder=False)
    # A second handle keeps the lock until the file has been moved to its place.
    held = os.dup(handle) if fcntl is not None else -1
    try:
        yield path, handle
    finally:
        path.unlink(missing_ok=True)
        _close_lock(held)


@contextlib.contextmanager
def unfinished_folder(target: Path) -> Iterator[Path]:
    """A new folder beside `target`, for its owner only; it is gone afterwards if not moved."""
    import shutil

    remove_abandoned(target)
    path, held = _make_unfinished(target, folder=True)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        _close_lock(held)


def remove_abandoned(target: Path) -> None:
    """Remove what killed processes left beside `target`; what cannot be removed stays."""
    beginning = _begin_name(target)
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if entry.name.startswith(beginning) and entry.name.endswith(UNFINISHED_ENDING):
                _remove_unlocked(Path(entry.path))


def is_unfinished(name: str, target: str) -> bool:
    """Whether a file of this name was to become `target`."""
    return name.startswith(_begin_name(Path(target))) and name.endswith(UNFINISHED_ENDING)


def _begin_name(target: Path) -> str:
    return f".{target.name[:_LONGEST_BEGINNING]}."


def _make_unfinished(target: Path, *, folder: bool) -> tuple[Path, int]:
    import secrets

    while True:
        path = target.with_name(f"{_begin_name(target)}{secrets.token_hex(4)}{UNFINISHED_ENDING}")
        try:
            handle = _create_locked(path, folder)
        except FileExistsError:
            continue
        if handle < 0 or not _try_lock(handle, wait=True) or _is_unlocked_file_there(path, handle):
            return path, handle
        # Somebody took it for abandoned before it was locked.
        os.close(handle)


def _create_locked(path: Path, folder: bool) -> int:
    """Make a file or a folder; its handle, or -1 where a folder has none."""
    if not folder:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        return os.open(path, flags, 0o600)
    path.mkdir(0o700)
    return os.open(path, os.O_RDONLY) if fcntl is not None else -1


def _close_lock(handle: int) -> None:
    if handle >= 0:
        os.close(handle)


def _try_lock(handle: int, *, wait: bool) -> bool:
    """Lock a file; whether that could be done, which not every file system can."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_unlocked_file_there(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except OSError:
        return False


def _remove_unlocked(path: Path) -> None:
    import shutil

    if fcntl is None:
        with contextlib.suppress(OSError):
            path.unlink()
        return
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            if not _try_lock(handle, wait=False):
                return
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        finally:
            os.close(handle)


@contextlib.contextmanager
def exclusively(
    path: str | Path,
    busy: str,
    patience_seconds: float = 0.0,
    *,
    what: str | Path | None = None,
) -> Iterator[None]:
    """Hold the lock file `path`; where another process has it, wait, then raise `busy`.

    `what` is what the lock guards, which messages name.
    """
    import sqlite3

    folder, guarded = Path(path).parent, what or path
    refused = f"cannot write {guarded}: its folder {folder} may not be written"
    try:
        connection = sqlite3.connect(path, timeout=patience_seconds, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise RankwiseError(f"{refused} ({error})") from error
    with contextlib.closing(connection):
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            locked = "locked" in str(error)
            raise RankwiseError(busy if locked else f"{refused} ({error})") from error
        yield


PIECE = 1 << 20


def compute_checksum(path: str | Path, algorithm: str = "sha256") -> str:
    """The hexadecimal checksum of a file, read in pieces."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    with readable(path) as stream:
        while piece := stream.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def verify_checksums(path: str | Path, checksums: Mapping[str, str]) -> None:
    """Refuse a file whose checksum is not the published one."""
    for algorithm, expected in checksums.items():
        found = compute_checksum(path, algorithm)
        if found != expected:
            raise WrongChecksumError(
                f"{path} must have the {algorithm} checksum {expected}, found {found}: "
                "it is damaged or another release"
            )


class WrongChecksumError(RankwiseError):
    """A file is not the one whose checksum was published."""
