"""Digests of the rows of a store: each says whether a row is still what was written.

A digest is over the cells as SQLite gives them back, the number of the row among them, so that
neither a changed cell nor a row in the place of another passes for what was stored. A task's row
holds the digests of what hangs on it; the store holds the number of its tasks and all of their
digests combined, so that none can be missing.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import xor
from typing import Any

TASK_CELLS = (
    "number", "key", "collection", "dataset", "version", "fold", "method", "ranker", "seed", "tool",
    "ending", "kind", "reason", "parameters", "seconds", "cpu_seconds", "peak_bytes", "finished",
    "generation", "data", "planned", "turn", "environment",
    "origin_digest", "tried_digest", "figures_digest",
)  # fmt: skip
"""What the digest of a task's row is over, in this order."""

ORIGIN = "SELECT inputs, facts FROM tasks WHERE number = ?"
TRIED = "SELECT place, parameters, value, seconds, reason FROM tried WHERE task = ? ORDER BY place"
FIGURES = (
    "SELECT number, part, tool, measure, mean, queries FROM figures WHERE task = ? ORDER BY number"
)
"""The rows that the other digests of a task are over."""

SHARED = {"environments": "content", "queries": "ids", "per_query": "content"}
"""Tables of one number and one content a row, each with its digest."""

_SIZE = 16


def digest_cells(cells: Sequence[Any]) -> str:
    """The digest of cells of any kind that SQLite has."""
    text = json.dumps(cells, default=_spell_bytes)
    return hashlib.blake2b(text.encode(), digest_size=_SIZE).hexdigest()


def digest_content(number: int, content: str | bytes) -> str:
    """The digest of a row of `SHARED`."""
    content = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    found = hashlib.blake2b(f"{number} ".encode(), digest_size=_SIZE)
    found.update(content)
    return found.hexdigest()


def combine_digests(digests: Iterable[str]) -> str:
    """One digest of many in any order; one that is in it twice cancels itself out."""
    return f"{reduce(xor, (int(digest, 16) for digest in digests), 0):0{2 * _SIZE}x}"


def seal_task(connection: sqlite3.Connection, number: int) -> str:
    """Write the digests of a task and of all that hangs on it; that of its row is returned."""
    found = [connection.execute(rows, (number,)).fetchall() for rows in (ORIGIN, TRIED, FIGURES)]
    connection.execute(
        "UPDATE tasks SET origin_digest = ?, tried_digest = ?, figures_digest = ? WHERE number = ?",
        (*map(digest_cells, found), number),
    )
    return seal_row(connection, number)


def seal_row(connection: sqlite3.Connection, number: int) -> str:
    """Write the digest of a task's own row, which is returned."""
    statement = f"SELECT {', '.join(TASK_CELLS)} FROM tasks WHERE number = ?"
    digest = digest_cells(connection.execute(statement, (number,)).fetchone())
    connection.execute("UPDATE tasks SET digest = ? WHERE number = ?", (digest, number))
    return digest


def seal_all(connection: sqlite3.Connection) -> None:
    """Write the digests of a store that has none."""
    for table, column in SHARED.items():
        number = "figure" if table == "per_query" else "number"
        for row in connection.execute(f"SELECT {number}, {column} FROM {table}").fetchall():
            connection.execute(
                f"UPDATE {table} SET digest = ? WHERE {number} = ?", (digest_content(*row), row[0])
            )
    for (task,) in connection.execute("SELECT number FROM tasks").fetchall():
        seal_task(connection, task)
    write_total(connection)


def write_total(connection: sqlite3.Connection) -> None:
    """Write how many tasks there are, and all of their digests combined."""
    digests = [digest for (digest,) in connection.execute("SELECT digest FROM tasks")]
    connection.execute("DELETE FROM total")
    connection.execute(
        "INSERT INTO total (tasks, digest) VALUES (?, ?)", (len(digests), combine_digests(digests))
    )


def change_total(
    connection: sqlite3.Connection, removed: Sequence[str], added: Sequence[str]
) -> None:
    """Count tasks out and in."""
    tasks, digest = connection.execute("SELECT tasks, digest FROM total").fetchone()
    connection.execute(
        "UPDATE total SET tasks = ?, digest = ?",
        (tasks - len(removed) + len(added), combine_digests([digest, *removed, *added])),
    )


def _spell_bytes(cell: bytes) -> dict[str, str]:
    """Only a damaged row has bytes where there were text or numbers."""
    return {"bytes": cell.hex()}
