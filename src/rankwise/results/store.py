"""The store of experiments: a SQLite file that one process writes and any number may read.

A task is written in one transaction, so that a process killed at any moment leaves whole tasks
only. The journal is a write-ahead log: readers see the last finished task while a run goes on.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.locks import exclusively
from rankwise.results.generations import data_sum, generation_sum
from rankwise.results.migrations import VERSION, checked_version, migrate
from rankwise.results.store_records import StoredValue, TaskName, TaskOutcome

_SQLITE = b"SQLite format 3\0"
_NAME = ("collection", "dataset", "version", "fold", "method", "ranker", "seed", "tool")


class Store:
    """Writing access; made by `open_store`, which guarantees that it is the only one."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self.connection = connection
        self._planned: dict[str, str] = {}

    def endings(self) -> dict[str, str]:
        """The keys of all tasks in the store, each with `done` or `failed`."""
        return dict(self.connection.execute("SELECT key, ending FROM tasks").fetchall())

    def add(
        self, key: str, name: TaskName, inputs: Mapping[str, Any], outcome: TaskOutcome
    ) -> None:
        """Keep how a task ended; what was known of the same key before is replaced."""
        with self._writing():
            self._execute("DELETE FROM tasks WHERE key = ?", (key,))
            task = self._insert_task(key, name, inputs, outcome)
            self._insert_tried(task, outcome)
            for figure in outcome.figures:
                self._insert_figure(task, figure)

    def claim(self, names: Mapping[str, TaskName]) -> None:
        """Let a plan have its tasks that were run before: its names, and that it asked last.

        Tasks that it adds later bear the same time. A task is planned a microsecond after the one
        before it, so that the store knows the order of the plan, whichever task ends first.
        """
        columns = ", ".join(f"{column} = ?" for column in (*_NAME, "planned"))
        known, now = self.endings(), datetime.now(UTC)
        self._planned = {
            key: _time(now + timedelta(microseconds=place)) for place, key in enumerate(names)
        }
        claimed = [
            (*_cells(name), self._planned[key], key) for key, name in names.items() if key in known
        ]
        with self._writing():
            self.connection.executemany(f"UPDATE tasks SET {columns} WHERE key = ?", claimed)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove tasks with everything that hangs on them and on nothing else."""
        with self._writing():
            self.connection.executemany("DELETE FROM tasks WHERE key = ?", [(k,) for k in keys])
            self._execute(
                "DELETE FROM queries WHERE number NOT IN "
                "(SELECT queries FROM figures WHERE queries IS NOT NULL)"
            )
            self._execute(
                "DELETE FROM environments WHERE number NOT IN "
                "(SELECT environment FROM tasks WHERE environment IS NOT NULL)"
            )

    def compact(self) -> None:
        """Give the space of removed tasks back to the file system."""
        with _sentences(self.path):
            self.connection.execute("VACUUM")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with _sentences(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    def _insert_task(
        self, key: str, name: TaskName, inputs: Mapping[str, Any], outcome: TaskOutcome
    ) -> int:
        now = _time(datetime.now(UTC))
        row = {
            "key": key,
            **dict(zip(_NAME, _cells(name), strict=True)),
            "inputs": _json(inputs),
            "generation": generation_sum(inputs),
            "data": data_sum(inputs),
            "ending": outcome.ending,
            "kind": outcome.kind,
            "reason": _text(outcome.reason),
            "parameters": _json(outcome.parameters),
            "facts": _json(outcome.facts),
            "seconds": outcome.seconds,
            "cpu_seconds": outcome.cpu_seconds,
            "peak_bytes": outcome.peak_bytes,
            "finished": now,
            "planned": self._planned.get(key, now),
            "environment": self._number_of("environments", "content", _json(outcome.environment)),
        }
        marks = ", ".join("?" * len(row))
        statement = f"INSERT INTO tasks ({', '.join(row)}) VALUES ({marks})"
        return self._execute(statement, tuple(row.values()))

    def _insert_tried(self, task: int, outcome: TaskOutcome) -> None:
        self.connection.executemany(
            "INSERT INTO tried (task, place, parameters, value, seconds, reason) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                (task, place, _json(one.parameters), one.value, one.seconds, _text(one.reason))
                for place, one in enumerate(outcome.tried)
            ],
        )

    def _insert_figure(self, task: int, figure: StoredValue) -> None:
        queries = None
        if figure.values is not None:
            queries = self._number_of("queries", "ids", _json(figure.query_ids))
        number = self._execute(
            "INSERT INTO figures (task, part, tool, measure, mean, queries) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (task, figure.part, figure.tool, figure.measure, figure.mean, queries),
        )
        if figure.values is not None:
            content = np.asarray(figure.values, dtype="<f8").tobytes()
            self._execute(
                "INSERT INTO per_query (figure, content) VALUES (?, ?)", (number, content)
            )

    def _number_of(self, table: str, column: str, content: str) -> int:
        """The number of a row that many tasks share, added where it is new."""
        statement = f"SELECT number FROM {table} WHERE {column} = ?"
        found = self.connection.execute(statement, (content,)).fetchone()
        if found:
            return int(found[0])
        return self._execute(f"INSERT INTO {table} ({column}) VALUES (?)", (content,))

    def _execute(self, statement: str, cells: tuple[Any, ...] = ()) -> int:
        """Run one statement; the number of the row it inserted."""
        return int(self.connection.execute(statement, cells).lastrowid or 0)


@contextlib.contextmanager
def open_store(path: str | Path) -> Iterator[Store]:
    """The store at `path` for writing, made where there is none; a second writer is refused."""
    target = Path(path)
    _check_place(target)
    busy = (
        f"{target} is being written by another run; wait for it to end, or name another store: "
        "--store FILE"
    )
    # Another name of the same file, a link, must meet the same lock.
    place = target.resolve()
    lock = place.with_name(f".{place.name}-writer")
    with exclusively(lock, busy, what=target), _sentences(target):
        connection = sqlite3.connect(target, isolation_level=None, timeout=60.0)
        with contextlib.closing(connection):
            checked_version(connection, target)
            connection.execute("PRAGMA journal_mode = WAL")
            # In a write-ahead log this survives the death of the process; only a crash of the
            # machine may undo the last tasks, never damage the file.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            migrate(connection, target)
            store = Store(connection, target)
            # A file that may not be written is found before a task has run for nothing.
            store.claim({})
            yield store


@contextlib.contextmanager
def reading_store(path: str | Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads the store at `path`."""
    target = Path(path)
    if not target.is_file():
        raise RankwiseError(f"cannot read {target}: there is no such file")
    with _sentences(target, "read"), contextlib.closing(_reading(target)) as connection:
        version = checked_version(connection, target)
        if version < VERSION:
            raise RankwiseError(
                f"{target} must be a store of version {VERSION}, found version {version}; "
                "open it once with 'rankwise bench --store' or 'rankwise results gc'"
            )
        yield connection


def is_store(path: str | Path) -> bool:
    """Whether `path` is named as stores are (`.sqlite`, `.sqlite3`, `.db`) or begins like one."""
    if Path(path).suffix.lower() in (".sqlite", ".sqlite3", ".db"):
        return True
    try:
        with Path(path).open("rb") as stream:
            return stream.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def _check_place(target: Path) -> None:
    if target.is_dir():
        raise RankwiseError(f"cannot write {target}: it is a directory; name a file in it")
    if not target.parent.is_dir():
        raise RankwiseError(f"cannot write {target}: the folder {target.parent} does not exist")


def _reading(target: Path) -> sqlite3.Connection:
    """Without write access a write-ahead log cannot be opened, but then nobody writes either.

    Where it can be written it is opened so, for the last reader to clear the log away.
    """
    address = target.resolve().as_uri()
    for mode in ("rw", "ro"):
        connection = sqlite3.connect(f"{address}?mode={mode}", uri=True, timeout=60.0)
        try:
            connection.execute("PRAGMA query_only = 1")
            connection.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.OperationalError:
            connection.close()
        else:
            return connection
    log = target.with_name(f"{target.name}-wal")
    if log.is_file() and log.stat().st_size:
        raise RankwiseError(
            f"cannot read {target}: its last tasks are still in {log.name}, which can be read only "
            "where it may be written; copy both files to such a place"
        )
    return sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)


@contextlib.contextmanager
def _sentences(path: Path, doing: str = "write") -> Iterator[None]:
    """What SQLite says, as a sentence: everything that was stored before is still there."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise RankwiseError(_sentence(path, str(error), doing)) from error


def _sentence(path: Path, message: str, doing: str) -> str:
    kept = "what was stored before is kept"
    if "full" in message:
        return f"cannot {doing} {path}: the disk is full; {kept}: make room and run this again"
    if "readonly" in message or "read-only" in message:
        return f"cannot {doing} {path}: it may only be read; {kept}: change its permissions"
    if "not a database" in message:
        return f"{path} must be a store of Rankwise, found a file that is no SQLite database"
    if "malformed" in message:
        return f"{path} is damaged ({message}); take a copy of it, or begin a new store"
    return f"cannot {doing} {path}: {message}; {kept}"


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


def _cells(name: TaskName) -> tuple[Any, ...]:
    cells = (getattr(name, column) for column in _NAME)
    return tuple(_text(cell) if isinstance(cell, str) else cell for cell in cells)


def _text(text: str | None) -> str | None:
    """Names of files may hold bytes that are no text; they are kept as their codes."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
