"""A short way to one answer of a store that is not open."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from rankwise.results.store.schema import TASK_CELLS, digest_cells, write_total
from rankwise.results.store.store import Store
from rankwise.results.task_records import ValueChange

Answer = TypeVar("Answer")


class reading:  # noqa: N801  # It is read as a verb: reading(path).tasks().
    """`reading(path).tasks()` opens the store, asks it, and closes it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __getattr__(self, name: str) -> Any:
        def ask(*arguments: Any, **options: Any) -> Any:
            with Store.read(self.path) as store:
                return getattr(store, name)(*arguments, **options)

        return ask


def difference(one: Path, other: Path, tolerance: float = 0.0) -> list[ValueChange]:
    """The values in which two stores that are not open differ."""
    with Store.read(one) as before, Store.read(other) as after:
        return before.difference(after, tolerance)


_ADDED = {
    2: {"tasks": ("planned",)},
    3: {"tasks": ("generation", "data")},
    4: {
        "tasks": ("turn", "origin_digest", "tried_digest", "figures_digest", "digest"),
        "environments": ("digest",),
        "queries": ("digest",),
        "per_query": ("digest",),
    },
    5: {"tasks": ("kept_digest",)},
}


def make_older(path: Path, version: int) -> None:
    """Take from a store what later versions added, and give it the number of an earlier one."""
    with closing(sqlite3.connect(path)) as connection:
        for later, tables in _ADDED.items():
            for table, columns in tables.items():
                for column in columns if later > version else ():
                    connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        if version < 5:
            connection.execute("DROP TABLE kept")
        if version == 4:
            _seal_as_version_4(connection)
        if version < 4:
            connection.execute("DROP TABLE total")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()


def _seal_as_version_4(connection: sqlite3.Connection) -> None:
    """The digests of rows without what later versions have in them."""
    cells = [cell for cell in TASK_CELLS if cell != "kept_digest"]
    for row in connection.execute(f"SELECT {', '.join(cells)} FROM tasks").fetchall():
        statement = "UPDATE tasks SET digest = ? WHERE number = ?"
        connection.execute(statement, (digest_cells(row), row[0]))
    write_total(connection)


def ask(function: Callable[..., Answer], path: Path, *arguments: Any, **options: Any) -> Answer:
    """What a function of an open store answers of one that is not open."""
    with Store.read(path) as store:
        return function(store, *arguments, **options)
