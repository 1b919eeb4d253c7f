"""The file behind a store: who may open it, and what is said when it fails."""

from __future__ import annotations

import contextlib
import re
import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.files import (
    exclusively,
    is_file,
    is_folder,
    is_there,
    reading_failure,
    refuse_name,
    resolve,
)
from rankwise.results.result_validation import escape_unprintable
from rankwise.results.store.schema import create_tables, has_tables

_SQLITE = b"SQLite format 3\0"
_PATIENCE_SECONDS = 60.0


class DamagedStore(RankwiseError):
    """A store is not what was written; its figures are not shown.

    What is `removable` is a part of it, the rest of which can be read.
    """

    def __init__(self, path: Path, what: str, *, removable: bool = True) -> None:
        self.what = what
        quoted = shlex.quote(str(path))
        way_out = (
            f"'rankwise results verify {quoted}' names all that is damaged, 'rankwise results gc "
            f"{quoted} --damaged' removes it, for the same 'rankwise bench' to run it again"
        )
        super().__init__(
            f"{path} is damaged: {what}; nothing of it is shown: "
            f"{way_out if removable else 'put back a copy of it, or begin a new store'}"
        )


class DatabaseFile:
    """The open file of a store: opened by `open` or `read`, closed by `close`."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, held: contextlib.ExitStack, writable: bool
    ) -> None:
        self.path = path
        self.writable = writable
        self.connection = connection
        self.closed = False
        self.remembered: dict[str, Any] | None = None
        """What was read in the present snapshot; None where there is none."""
        self._held = held

    @classmethod
    def open(cls, path: str | Path) -> DatabaseFile:
        """The file at `path` for reading and writing, made where there is none.

        A second writer is refused.
        """
        target = Path(path)
        _check_place(target)
        _check_links(target)
        with contextlib.ExitStack() as held:
            held.enter_context(_lock(target))
            with explain_errors(target):
                connection = sqlite3.connect(
                    target, isolation_level=None, timeout=_PATIENCE_SECONDS
                )
                held.callback(connection.close)
                _prepare_writing(connection, target)
            return cls(target, connection, held.pop_all(), writable=True)

    @classmethod
    def read(cls, path: str | Path) -> DatabaseFile:
        """The file at `path` for reading only, while others may read and one may write."""
        target = Path(path)
        _refuse_absent(target)
        with contextlib.ExitStack() as held:
            with explain_errors(target, "read"):
                connection = _connect_reading(target)
                held.callback(connection.close)
                if not has_tables(connection, target):
                    raise RankwiseError(f"{target} must be a store, found an empty file")
            return cls(target, connection, held.pop_all(), writable=False)

    def close(self) -> None:
        """Release the file, and the right to write it; a second call does nothing."""
        self.closed = True
        self._held.close()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read within the block is of one moment, whatever is added meanwhile."""
        if not self.closed and self.connection.in_transaction:
            yield
            return
        with explain_errors(self.path, "read"):
            self.connection.execute("BEGIN")
        self.remembered = {}
        try:
            yield
        finally:
            self.remembered = None
            with explain_errors(self.path, "read"):
                self.connection.execute("COMMIT")

    def select(self, statement: str, cells: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement, of one moment."""
        with explain_errors(self.path, "read"):
            return self.connection.execute(statement, cells).fetchall()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All statements of the block or, after any failure, none of them."""
        if not self.writable:
            raise RankwiseError(f"{self.path} is open for reading; open it with Store.open")
        if self.connection.in_transaction:
            raise RankwiseError(f"{self.path} cannot be written within a snapshot; end that first")
        with explain_errors(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    def give_back_space(self) -> None:
        """Let the file be no larger than what is in it."""
        with explain_errors(self.path):
            self.connection.execute("VACUUM")

    @contextlib.contextmanager
    def reading_any_text(self) -> Iterator[None]:
        """Bytes that are no text are read all the same, to be found damaged."""
        self.connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        try:
            yield
        finally:
            self.connection.text_factory = str


def is_store(path: str | Path) -> bool:
    """Whether `path` is named as stores are (`.sqlite`, `.sqlite3`, `.db`) or begins like one."""
    if Path(path).suffix.lower() in (".sqlite", ".sqlite3", ".db"):
        return True
    try:
        with Path(path).open("rb") as stream:
            return stream.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError):
        return False


@contextlib.contextmanager
def explain_errors(path: Path, doing: str = "write") -> Iterator[None]:
    """Turn what SQLite says into a sentence: everything that was stored before is still there."""
    try:
        yield
    except sqlite3.Error as error:
        message = _shorten(str(error))
        if any(sign in message for sign in _SIGNS_OF_DAMAGE):
            raise DamagedStore(path, message, removable=False) from error
        raise RankwiseError(_explain(path, message, doing)) from error
    except UnicodeDecodeError as error:
        # Of a damaged schema SQLite repeats the text, which is none any more.
        raise DamagedStore(path, "its tables are not what was made", removable=False) from error


# What SQLite says of a file that is not what it wrote.
_SIGNS_OF_DAMAGE = (
    "malformed", "no such table", "no such column", "decode to UTF-8", "out of order", "too big",
    "unsupported file format",
)  # fmt: skip
_REPEATED = re.compile(r" with text .*| - unrecognized token.*", re.DOTALL)
_LONGEST_MESSAGE = 200


def _shorten(message: str) -> str:
    """What SQLite says without what it repeats of the file, as one line."""
    line = " ".join(_REPEATED.sub("", message).split())
    return escape_unprintable(line)[:_LONGEST_MESSAGE]


def _explain(path: Path, message: str, doing: str) -> str:
    kept = "what was stored before is kept"
    if "full" in message:
        return f"cannot {doing} {path}: the disk is full; {kept}: make room and run this again"
    if "readonly" in message or "read-only" in message:
        return f"cannot {doing} {path}: it may only be read; {kept}: change its permissions"
    if "not a database" in message:
        return f"{path} must be a store of Rankwise, found a file that is no SQLite database"
    if "closed database" in message:
        return f"cannot {doing} {path}: it was closed; open it again with Store.read or Store.open"
    return f"cannot {doing} {path}: {message}; {kept}"


def _check_place(target: Path) -> None:
    refuse_name(target)
    if is_folder(target):
        raise RankwiseError(f"cannot write {target}: it is a directory; name a file in it")
    if not is_folder(target.parent):
        raise RankwiseError(f"cannot write {target}: the folder {target.parent} does not exist")


def _refuse_absent(target: Path) -> None:
    if is_file(target):
        return
    if is_there(target) and not is_folder(target):
        raise RankwiseError(f"{target} must be a store, found no file on a disk")
    absent = IsADirectoryError() if is_folder(target) else FileNotFoundError()
    raise RankwiseError(reading_failure(target, absent))


def _check_links(target: Path) -> None:
    """Refuse a file of several names: SQLite keeps a log beside each, and one is not in the other.

    The lock of the writer has a name beside the file, too, and guards that name only.
    """
    links = target.stat().st_nlink if is_there(target) else 1
    if links > 1:
        raise RankwiseError(
            f"cannot write {target}: a store must have one name, found a file of {links} (hard "
            "links), under another of which it may be being written; make a copy of it with cp, "
            "or remove the other names"
        )


def _lock(target: Path) -> contextlib.AbstractContextManager[None]:
    busy = f"{target} is being written by another run; wait for it to end, or name another store"
    # Another name of the same file, a link, must meet the same lock.
    place = resolve(target)
    return exclusively(place.with_name(f".{place.name}-writer"), busy, what=target)


def _distrust(connection: sqlite3.Connection) -> None:
    """Files come from anywhere: let SQLite look at what it reads, and run nothing out of it."""
    connection.execute("PRAGMA cell_size_check = 1")
    connection.execute("PRAGMA trusted_schema = 0")


def _prepare_writing(connection: sqlite3.Connection, target: Path) -> None:
    _distrust(connection)
    has_tables(connection, target)
    connection.execute("PRAGMA journal_mode = WAL")
    # In a write-ahead log this survives the death of the process; only a crash of the
    # machine may undo the last tasks, never damage the file.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    create_tables(connection, target)
    # A file that may not be written is found before a task has run for nothing.
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("COMMIT")


def _connect_reading(target: Path) -> sqlite3.Connection:
    """Without write access a write-ahead log cannot be opened, but then nobody writes either.

    Where it can be written it is opened so, for the last reader to clear the log away.
    """
    address = resolve(target).as_uri()
    for mode in ("rw", "ro"):
        connection = sqlite3.connect(
            f"{address}?mode={mode}", uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None
        )
        try:
            _distrust(connection)
            connection.execute("PRAGMA query_only = 1")
            connection.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.OperationalError:
            connection.close()
        else:
            return connection
    log = target.with_name(f"{target.name}-wal")
    if is_file(log) and log.stat().st_size:
        raise RankwiseError(
            f"cannot read {target}: its last tasks are still in {log.name}, which can be read only "
            "where it may be written; copy both files to such a place"
        )
    return sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True, isolation_level=None)
