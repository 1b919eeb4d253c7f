"""The tables of a store, and the digests of its rows.

Digests say whether a row is still what was written. A digest is over the cells as SQLite gives them
back, the number of the row among them, so that neither a changed cell nor a row in the place of
another passes for what was stored. A task's row holds the digests of what hangs on it; the store
holds the number of its tasks and all of their digests combined, so that none can be missing.

What tasks must share for their values to stand together, their generation and their data, are
digests too. JSON is written in one form, so that equal contents are equal texts and have equal
digests.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError

TASK_CELLS = (
    "number", "key", "collection", "dataset", "version", "fold", "method", "ranker", "seed", "tool",
    "ending", "kind", "reason", "parameters", "seconds", "cpu_seconds", "peak_bytes", "finished",
    "generation", "data", "turn", "environment",
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

_DIGEST_SIZE = 16


def digest_cells(cells: Sequence[Any]) -> str:
    """The digest of cells of any kind that SQLite has."""
    text = json.dumps(cells, default=_spell_bytes)
    return hashlib.blake2b(text.encode(), digest_size=_DIGEST_SIZE).hexdigest()


def digest_content(table: str, number: int, content: str | bytes) -> str:
    """The digest of a row of `SHARED`.

    The table is in it, as a damaged file may give the rows of one table for those of another.
    """
    kind = "text" if isinstance(content, str) else "bytes"
    content = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    found = hashlib.blake2b(f"{table} {number} {kind} ".encode(), digest_size=_DIGEST_SIZE)
    found.update(content)
    return found.hexdigest()


def combine_digests(digests: Iterable[str]) -> str:
    """One digest of many in any order; one that is in it twice cancels itself out."""
    return f"{reduce(xor, (int(digest, 16) for digest in digests), 0):0{2 * _DIGEST_SIZE}x}"


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


APPLICATION = 0x524B5753
"""Marks a SQLite file as a store of Rankwise ("RKWS")."""

VERSION = 6
"""The one layout that is read and written; those before it were never released."""

# Times of day are UTC in ISO 8601; parameters, facts and environments are JSON. `generation` is
# what the folds of a method must share for their mean to be one of anything, `data` what the
# methods on a fold must share; `turn` counts when a plan last asked for the task, as clocks are
# set back. Values per query are float64 in little-endian order, apart from their means so that
# means are read quickly. What is kept is packed by zlib; `size` is that of what was packed.
_TABLES = """
CREATE TABLE environments (
  number INTEGER PRIMARY KEY,
  content TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL DEFAULT ''
);
CREATE TABLE tasks (
  number INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  collection TEXT NOT NULL,
  dataset TEXT NOT NULL,
  version TEXT,
  fold INTEGER NOT NULL,
  method TEXT NOT NULL,
  ranker TEXT NOT NULL,
  seed INTEGER NOT NULL,
  tool TEXT NOT NULL,
  inputs TEXT NOT NULL,
  ending TEXT NOT NULL CHECK (ending IN ('done', 'failed')),
  kind TEXT,
  reason TEXT,
  parameters TEXT NOT NULL,
  facts TEXT NOT NULL,
  seconds REAL NOT NULL,
  cpu_seconds REAL NOT NULL,
  peak_bytes INTEGER NOT NULL,
  finished TEXT NOT NULL,
  generation TEXT NOT NULL,
  data TEXT NOT NULL,
  turn INTEGER NOT NULL,
  environment INTEGER REFERENCES environments (number),
  origin_digest TEXT NOT NULL DEFAULT '',
  tried_digest TEXT NOT NULL DEFAULT '',
  figures_digest TEXT NOT NULL DEFAULT '',
  kept_digest TEXT NOT NULL DEFAULT '',
  digest TEXT NOT NULL DEFAULT ''
);
CREATE INDEX tasks_by_name ON tasks (dataset, method, fold, seed);
CREATE TABLE tried (
  task INTEGER NOT NULL REFERENCES tasks (number) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  parameters TEXT NOT NULL,
  value REAL,
  seconds REAL NOT NULL,
  reason TEXT,
  PRIMARY KEY (task, place)
) WITHOUT ROWID;
CREATE TABLE queries (
  number INTEGER PRIMARY KEY,
  ids TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL DEFAULT ''
);
CREATE TABLE figures (
  number INTEGER PRIMARY KEY,
  task INTEGER NOT NULL REFERENCES tasks (number) ON DELETE CASCADE,
  part TEXT NOT NULL,
  tool TEXT NOT NULL,
  measure TEXT NOT NULL,
  mean REAL NOT NULL,
  queries INTEGER REFERENCES queries (number),
  UNIQUE (task, part, tool, measure)
);
CREATE TABLE per_query (
  figure INTEGER PRIMARY KEY REFERENCES figures (number) ON DELETE CASCADE,
  content BLOB NOT NULL,
  digest TEXT NOT NULL
);
CREATE TABLE kept (
  number INTEGER PRIMARY KEY,
  task INTEGER NOT NULL REFERENCES tasks (number) ON DELETE CASCADE,
  what TEXT NOT NULL,
  size INTEGER NOT NULL,
  digest TEXT NOT NULL,
  content BLOB NOT NULL,
  UNIQUE (task, what)
);
CREATE TABLE total (
  tasks INTEGER NOT NULL,
  digest TEXT NOT NULL
);
"""


def create_tables(connection: sqlite3.Connection, path: str | Path) -> None:
    """Make a store of an empty file; what is one stays as it is, and anything else is refused."""
    if has_tables(connection, path):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have made them while this one waited for its turn.
        if not has_tables(connection, path):
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(statement)
            write_total(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def has_tables(connection: sqlite3.Connection, path: str | Path) -> bool:
    """Whether the file is a store and not empty; an error for what is neither."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION and (tables or version):
        raise RankwiseError(
            f"{path} must be a store of Rankwise, found another SQLite database; name another file"
        )
    # Views, triggers and virtual tables have no page of their own; they run what others wrote.
    if connection.execute("SELECT count(*) FROM sqlite_master WHERE NOT rootpage").fetchone()[0]:
        raise RankwiseError(
            f"{path} must be a store of Rankwise, which holds tables only, found views or triggers "
            "in it; begin a new store"
        )
    if version != VERSION and (tables or version):
        raise RankwiseError(
            f"{path} was written by another Rankwise (store version {version}, this one knows "
            f"{VERSION}); nothing was changed: read it with that Rankwise, or name another file"
        )
    return version == VERSION


_INPUTS_OF_A_TASK = ("fold", "seed", "data")


def digest_generation(inputs: Mapping[str, Any]) -> str:
    """Over what the tasks of one method share in a plan: all inputs but those of fold and seed."""
    return _digest_json(
        {name: one for name, one in inputs.items() if name not in _INPUTS_OF_A_TASK}
    )


def digest_data(inputs: Mapping[str, Any]) -> str:
    """Over the files of a task's fold."""
    return _digest_json(inputs.get("data", ""))


def _digest_json(content: Any) -> str:
    return hashlib.blake2b(dump_canonical(content).encode(), digest_size=16).hexdigest()


def dump_canonical(content: Any) -> str:
    """The content with its keys sorted and no blanks; what is no text is written as its code."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return replace_codes(text)


def replace_codes(text: str) -> str:
    """Names of files may hold bytes that are no text (lone surrogates); these become `\\udce9`."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
