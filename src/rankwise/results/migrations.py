"""The layout of a store, and how older layouts become it: one step a version, all or nothing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.results.generations import digest_data, digest_generation
from rankwise.results.plan_order import TimedTask, order_by_plan
from rankwise.results.store_digests import (
    TASK_CELLS,
    digest_cells,
    seal_all,
    seal_rows_again,
)

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


def _seal(connection: sqlite3.Connection) -> None:
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
    (_VERSION_5, _seal),
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
