"""Writing the rows of a task, and removing them; each function is part of a transaction."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from rankwise.results.store.schema import (
    digest_content,
    digest_data,
    digest_generation,
    dump_canonical,
    replace_codes,
    seal_row,
    seal_task,
)
from rankwise.results.task_records import KeptName, StoredValue, TaskName, TaskOutcome

_NAME_COLUMNS = ("collection", "dataset", "version", "fold", "method", "ranker", "seed", "tool")


def write_task(
    connection: sqlite3.Connection,
    key: str,
    name: TaskName,
    inputs: Mapping[str, Any],
    outcome: TaskOutcome,
    turn: int | None,
) -> str:
    """Write a task with all that hangs on it; the digest of its row.

    A task without a turn is asked for last.
    """
    if turn is None:
        (last,) = connection.execute("SELECT max(turn) FROM tasks").fetchone()
        turn = 1 + (last or 0)
    environment = dump_canonical(outcome.environment)
    row = {
        "key": key,
        **dict(zip(_NAME_COLUMNS, _list_name_cells(name), strict=True)),
        "inputs": dump_canonical(inputs),
        "generation": digest_generation(inputs),
        "data": digest_data(inputs),
        "ending": outcome.ending,
        "kind": outcome.kind,
        "reason": _replace_codes(outcome.reason),
        "parameters": dump_canonical(outcome.parameters),
        "facts": dump_canonical(outcome.facts),
        "seconds": outcome.seconds,
        "cpu_seconds": outcome.cpu_seconds,
        "peak_bytes": outcome.peak_bytes,
        "finished": datetime.now(UTC).isoformat(timespec="microseconds"),
        "turn": turn,
        "environment": _find_or_insert(connection, "environments", "content", environment),
    }
    task = _insert(connection, "tasks", row)
    for place, tried in enumerate(outcome.tried):
        _insert(connection, "tried", {
            "task": task, "place": place, "parameters": dump_canonical(tried.parameters),
            "value": tried.value, "seconds": tried.seconds, "reason": _replace_codes(tried.reason),
        })  # fmt: skip
    for value in outcome.values:
        _write_value(connection, task, value)
    for what, content in outcome.kept.items():
        _write_kept(connection, task, what, content)
    return seal_task(connection, task)


def rename_task(connection: sqlite3.Connection, number: int, name: TaskName, turn: int) -> str:
    """Give a task that is there a name and a turn; the digest of its row."""
    columns = ", ".join(f"{column} = ?" for column in (*_NAME_COLUMNS, "turn"))
    cells = (*_list_name_cells(name), turn, number)
    connection.execute(f"UPDATE tasks SET {columns} WHERE number = ?", cells)
    return seal_row(connection, number)


def remove_task(connection: sqlite3.Connection, key: str) -> list[str]:
    """Remove a task where it is there; the digest of its row."""
    digests = connection.execute("SELECT digest FROM tasks WHERE key = ?", (key,)).fetchall()
    connection.execute("DELETE FROM tasks WHERE key = ?", (key,))
    return [digest for (digest,) in digests]


def remove_damaged_tasks(connection: sqlite3.Connection, numbers: Iterable[int | None]) -> int:
    """Remove the tasks of these numbers, and rows that hang on no task; how many tasks that are."""
    before = _count_tasks(connection)
    for number in numbers:
        connection.execute("DELETE FROM tasks WHERE number = ?", (number,))
    for table in ("figures", "tried", "kept"):
        connection.execute(f"DELETE FROM {table} WHERE task NOT IN (SELECT number FROM tasks)")
    connection.execute("DELETE FROM per_query WHERE figure NOT IN (SELECT number FROM figures)")
    remove_unneeded(connection)
    return before - _count_tasks(connection)


def remove_unneeded(connection: sqlite3.Connection) -> None:
    """Remove what tasks share and none needs any more."""
    for table, users, column in (
        ("queries", "figures", "queries"), ("environments", "tasks", "environment"),
    ):  # fmt: skip
        used = f"SELECT {column} FROM {users} WHERE {column} IS NOT NULL"
        connection.execute(f"DELETE FROM {table} WHERE number NOT IN ({used})")


def _count_tasks(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM tasks NOT INDEXED").fetchone()[0])


def _write_value(connection: sqlite3.Connection, task: int, value: StoredValue) -> None:
    queries = None
    if value.values is not None:
        ids = dump_canonical(value.query_ids)
        queries = _find_or_insert(connection, "queries", "ids", ids)
    number = _insert(connection, "figures", {
        "task": task, "part": value.part, "tool": value.tool, "measure": value.measure,
        "mean": value.mean, "queries": queries,
    })  # fmt: skip
    if value.values is not None:
        content = np.asarray(value.values, dtype="<f8").tobytes()
        digest = digest_content("per_query", number, content)
        _insert(connection, "per_query", {"figure": number, "content": content, "digest": digest})


def _write_kept(connection: sqlite3.Connection, task: int, what: KeptName, content: bytes) -> None:
    packed = zlib.compress(content)
    number = _insert(connection, "kept", {
        "task": task, "what": what, "size": len(content), "digest": "", "content": packed,
    })  # fmt: skip
    _write_digest(connection, "kept", number, packed)


def _find_or_insert(connection: sqlite3.Connection, table: str, column: str, content: str) -> int:
    """The number of a row that many tasks share, added where it is new."""
    statement = f"SELECT number FROM {table} WHERE {column} = ?"
    found = connection.execute(statement, (content,)).fetchone()
    if found:
        return int(found[0])
    number = _insert(connection, table, {column: content})
    _write_digest(connection, table, number, content)
    return number


def _write_digest(
    connection: sqlite3.Connection, table: str, number: int, content: str | bytes
) -> None:
    digest = digest_content(table, number, content)
    connection.execute(f"UPDATE {table} SET digest = ? WHERE number = ?", (digest, number))


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Any]) -> int:
    """The number of the new row."""
    marks = ", ".join("?" * len(row))
    statement = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})"
    return int(connection.execute(statement, tuple(row.values())).lastrowid or 0)


def _list_name_cells(name: TaskName) -> tuple[Any, ...]:
    cells = (getattr(name, column) for column in _NAME_COLUMNS)
    return tuple(_replace_codes(cell) if isinstance(cell, str) else cell for cell in cells)


def _replace_codes(text: str | None) -> str | None:
    return None if text is None else replace_codes(text)
