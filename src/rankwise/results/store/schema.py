"""The tables of a store, how older layouts become the present one, and the digests of its rows.

A layout becomes the next by one step a version, all or nothing. Stores that kept only the time of
day get the order in which plans asked for tasks from it.

Digests say whether a row is still what was written. A digest is over the cells as SQLite gives them
back, the number of the row among them, so that neither a changed cell nor a row in the place of
another passes for what was stored. A task's row holds the digests of what hangs on it; the store
holds the number of its tasks and all of their digests combined, so that none can be missing.

What tasks must share for their values to stand together, their generation and their data, are
digests too. JSON is written in one form, so that equal contents are equal texts and have equal
digests.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial, reduce
from itertools import chain
from operator import xor
from pathlib import Path
from typing import Any, NamedTuple

from rankwise.errors import RankwiseError

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


APPLICATION = 0x524B5753
"""Marks a SQLite file as a store of Rankwise ("RKWS")."""

# Times of day are UTC in ISO 8601; parameters, facts and environments are JSON; values per query
# are float64 in little-endian order, apart from their means so that means are read quickly.
_VERSION_1 = """
CREATE TABLE environments (
  number INTEGER PRIMARY KEY,
  content TEXT NOT NULL UNIQUE
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
  environment INTEGER REFERENCES environments (number)
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
  ids TEXT NOT NULL UNIQUE
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
  content BLOB NOT NULL
);
"""

# When a plan last held the task, and its place there: what was asked for last counts.
_VERSION_2 = """
ALTER TABLE tasks ADD COLUMN planned TEXT NOT NULL DEFAULT '';
UPDATE tasks SET planned = finished;
"""

# What the folds of a method must share for their mean to be one of anything (`generation`), and
# what the methods on a fold must share (`data`).
_VERSION_3 = """
ALTER TABLE tasks ADD COLUMN generation TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN data TEXT NOT NULL DEFAULT '';
UPDATE tasks SET generation = generation_of(inputs), data = data_of(inputs);
"""

# Clocks are set back; `turn` counts what `planned` times, and decides. Digests say whether rows
# are still what was written.
_VERSION_4 = """
ALTER TABLE tasks ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN origin_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN tried_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN figures_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN digest TEXT NOT NULL DEFAULT '';
ALTER TABLE environments ADD COLUMN digest TEXT NOT NULL DEFAULT '';
ALTER TABLE queries ADD COLUMN digest TEXT NOT NULL DEFAULT '';
ALTER TABLE per_query ADD COLUMN digest TEXT NOT NULL DEFAULT '';
CREATE TABLE total (
  tasks INTEGER NOT NULL,
  digest TEXT NOT NULL
);
"""


def _count_turns(connection: sqlite3.Connection) -> None:
    timed = connection.execute("SELECT number, planned, finished FROM tasks").fetchall()
    ordered = order_by_plan([TimedTask(*row) for row in timed])
    connection.executemany(
        "UPDATE tasks SET turn = ? WHERE number = ?", list(enumerate(ordered, start=1))
    )


# Models and scores that were asked for, packed by zlib; `size` is that of what was packed.
_VERSION_5 = f"""
CREATE TABLE kept (
  number INTEGER PRIMARY KEY,
  task INTEGER NOT NULL REFERENCES tasks (number) ON DELETE CASCADE,
  what TEXT NOT NULL,
  size INTEGER NOT NULL,
  digest TEXT NOT NULL,
  content BLOB NOT NULL,
  UNIQUE (task, what)
);
ALTER TABLE tasks ADD COLUMN kept_digest TEXT NOT NULL DEFAULT '{digest_cells([])}';
"""


def _seal_store(connection: sqlite3.Connection) -> None:
    """Seal a store of which nothing was sealed; one that was is sealed with its new cells."""
    sealed = connection.execute("SELECT count(*) FROM tasks WHERE digest != ''").fetchone()[0]
    if sealed or connection.execute("SELECT count(*) FROM total").fetchone()[0]:
        seal_rows_again(connection, [cell for cell in TASK_CELLS if cell != "kept_digest"])
    else:
        seal_all(connection)


STEPS: tuple[tuple[str | Callable[[sqlite3.Connection], None], ...], ...] = (
    (_VERSION_1,),
    (_VERSION_2,),
    (_VERSION_3,),
    (_VERSION_4, _count_turns),
    (_VERSION_5, _seal_store),
)
"""Step i takes a store from version i to version i + 1."""

VERSION = len(STEPS)


def migrate(connection: sqlite3.Connection, path: str | Path) -> None:
    """Bring the store behind `connection` to this version; a newer one is refused."""
    version = check_version(connection, path)
    if version == VERSION:
        return
    for name, function in (("generation_of", digest_generation), ("data_of", digest_data)):
        connection.create_function(name, 1, partial(_apply_to_text, function), deterministic=True)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have migrated while this one waited for its turn.
        for step in chain.from_iterable(STEPS[check_version(connection, path) :]):
            if isinstance(step, str):
                for statement in filter(str.strip, step.split(";")):
                    connection.execute(statement)
            else:
                step(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except (TypeError, ValueError) as error:
        raise RankwiseError(
            f"{path} is damaged: it cannot be brought to version {VERSION} ({error}); take a copy "
            "of it, or begin a new store"
        ) from error
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _apply_to_text(function: Callable[[Mapping[str, Any]], str], inputs: str) -> str:
    return function(json.loads(inputs))


def check_version(connection: sqlite3.Connection, path: str | Path) -> int:
    """The version of the store; 0 for an empty file, an error for somebody else's database."""
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
    if version > VERSION:
        raise RankwiseError(
            f"{path} was written by a newer Rankwise (store version {version}, this one knows "
            f"{VERSION}); nothing was changed: install the newer Rankwise or name another file"
        )
    return version


# A plan stamped its tasks one microsecond apart, and those that never ended left gaps.
_OF_ONE_PLAN = timedelta(seconds=1)


class TimedTask(NamedTuple):
    """A task by the times that the clock showed; numbers rise with the order of adding."""

    number: int
    planned: str
    finished: str


def order_by_plan(tasks: Sequence[TimedTask]) -> list[int]:
    """The numbers of the tasks from the one that was asked for first to the last.

    That is the order of the times, except where the numbers show that the clock was set back: a
    plan that added tasks (planned before they finished) comes after all plans that added tasks of
    lower numbers, and one that only asked for known tasks comes after the last of them was added.
    """
    plans = _find_plans(sorted(tasks, key=lambda task: (task.planned, task.finished, task.number)))
    begun: list[tuple[int, bool, int]] = []
    after = 0
    for place, plan in enumerate(plans):
        added = [task.number for task in plan if task.planned <= task.finished]
        after = min(added) if added else max(after, *(task.number for task in plan))
        begun.append((after, not added, place))
    return [task.number for *_, place in sorted(begun) for task in plans[place]]


def _find_plans(tasks: Sequence[TimedTask]) -> list[list[TimedTask]]:
    """Tasks in the order of time, cut where a plan may end."""
    plans: list[list[TimedTask]] = []
    last: datetime | None = None
    for task in tasks:
        moment = datetime.fromisoformat(task.planned)
        if last is None or moment - last > _OF_ONE_PLAN:
            plans.append([])
        plans[-1].append(task)
        last = moment
    return plans


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
