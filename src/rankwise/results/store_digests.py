"""Digests of the rows of a store: each says whether a row is still what was written.

A digest is over the cells as SQLite gives them back, the number of the row among them, so that
neither a changed cell nor a row in the place of another passes for what was stored. A task's row
holds the digests of what hangs on it; the store holds the number of its tasks and all of their
digests combined, so that none can be missing.
"""

from __future__ import annotations

import contextlib
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
    "origin_digest", "tried_digest", "figures_digest", "kept_digest",
)  # fmt: skip
"""What the digest of a task's row is over, in this order."""

ORIGIN = "SELECT inputs, facts FROM tasks WHERE number = ?"
TRIED = "SELECT place, parameters, value, seconds, reason FROM tried WHERE task = ? ORDER BY place"
FIGURES = (
    "SELECT number, part, tool, measure, mean, queries FROM figures WHERE task = ? ORDER BY number"
)
KEPT = "SELECT number, what, size, digest FROM kept WHERE task = ? ORDER BY number"
"""The rows that the other digests of a task are over; what is kept is there by its digest."""

SHARED = {"environments": "content", "queries": "ids", "per_query": "content", "kept": "content"}
"""Tables of one number and one content a row, each with its digest."""

_SIZE = 16


def digest_cells(cells: Sequence[Any]) -> str:
    """The digest of cells of any kind that SQLite has."""
    text = json.dumps(cells, default=_spell_bytes)
    return hashlib.blake2b(text.encode(), digest_size=_SIZE).hexdigest()


def digest_content(table: str, number: int, content: str | bytes) -> str:
    """The digest of a row of `SHARED`.

    The table is in it, as a damaged file may give the rows of one table for those of another.
    """
    kind = "text" if isinstance(content, str) else "bytes"
    content = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    found = hashlib.blake2b(f"{table} {number} {kind} ".encode(), digest_size=_SIZE)
    found.update(content)
    return found.hexdigest()


def combine_digests(digests: Iterable[str]) -> str:
    """One digest of many in any order; one that is in it twice cancels itself out."""
    return f"{reduce(xor, (int(digest, 16) for digest in digests), 0):0{2 * _SIZE}x}"


def seal_task(connection: sqlite3.Connection, number: int) -> str:
    """Write the digests of a task and of all that hangs on it; that of its row is returned."""
    hanging = (ORIGIN, TRIED, FIGURES, KEPT)
    found = [connection.execute(rows, (number,)).fetchall() for rows in hanging]
    connection.execute(
        "UPDATE tasks SET origin_digest = ?, tried_digest = ?, figures_digest = ?, kept_digest = ? "
        "WHERE number = ?",
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
                f"UPDATE {table} SET digest = ? WHERE {number} = ?",
                (digest_content(table, *row), row[0]),
            )
    for (task,) in connection.execute("SELECT number FROM tasks").fetchall():
        seal_task(connection, task)
    write_total(connection)


def seal_rows_again(connection: sqlite3.Connection, cells: Sequence[str]) -> None:
    """Give rows whose digest is over these `cells` one over `TASK_CELLS`.

    What is damaged stays so: neither its digest nor a total that cannot be read is made anew.
    """
    statement = f"SELECT {', '.join(cells)}, digest FROM tasks NOT INDEXED"
    # Bytes that are no text are read all the same, and are not what the digest is of.
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    try:
        rows = connection.execute(statement).fetchall()
    finally:
        connection.text_factory = str
    whole = [row for row in rows if digest_cells(row[:-1]) == row[-1]]
    sealed = [seal_row(connection, row[0]) for row in whole]
    with contextlib.suppress(TypeError, ValueError):
        change_total(connection, [row[-1] for row in whole], sealed)


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
