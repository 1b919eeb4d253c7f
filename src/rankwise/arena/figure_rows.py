"""Figures of entries: computed once, then kept sealed, since figures per query tell of labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, select

import rankwise
from rankwise.arena import tables
from rankwise.arena.database import Database
from rankwise.arena.entry_rows import EntryRow, read_scores
from rankwise.arena.evaluator import Asked, Evaluator, Figures
from rankwise.arena.sealing import Seal
from rankwise.arena.task import ArenaTask, Half

_ENTRIES_AT_ONCE = 50


class FigureStore:
    """The figures of entries, from the database where it has them, else computed and kept."""

    def __init__(self, database: Database, seal: Seal, evaluator: Evaluator) -> None:
        self._database, self._seal, self._evaluator = database, seal, evaluator

    def figures(
        self, task: ArenaTask, entries: Iterable[EntryRow], asked: Asked, half: Half
    ) -> dict[str, Figures]:
        """The figures of entries of one task, by id."""
        wanted = list(entries)
        with self._database.reading() as connection:
            found = self._kept(connection, [entry.id for entry in wanted], asked, half)
        missing = [entry for entry in wanted if entry.id not in found]
        for begin in range(0, len(missing), _ENTRIES_AT_ONCE):
            found |= self._compute(task, missing[begin : begin + _ENTRIES_AT_ONCE], asked, half)
        return {entry.id: found[entry.id] for entry in wanted}

    def keep(
        self, connection: Connection, entry: str, asked: Asked, half: Half, figures: Figures
    ) -> None:
        """Keep figures of an entry, unless another process did meanwhile."""
        cells = {
            "entry": entry,
            "half": half,
            "tool": asked.tool,
            "measure": asked.measure,
            "program": rankwise.__version__,
        }
        content = self._seal.close(figures.to_bytes(), _context(entry, asked, half))
        connection.execute(_insert_new(connection, {**cells, "content": content}))

    def kept(self, connection: Connection, entry: str, asked: Asked, half: Half) -> Figures | None:
        """The figures of one entry that the database has."""
        return self._kept(connection, [entry], asked, half).get(entry)

    def _compute(
        self, task: ArenaTask, entries: list[EntryRow], asked: Asked, half: Half
    ) -> dict[str, Figures]:
        with self._database.reading() as connection:
            scores = read_scores(connection, [entry.digest for entry in entries])
        found = {
            entry.id: self._evaluator.evaluate(task, scores[entry.digest], asked, half)
            for entry in entries
        }
        with self._database.writing() as connection:
            for entry, figures in found.items():
                self.keep(connection, entry, asked, half, figures)
        return found

    def _kept(
        self, connection: Connection, entries: list[str], asked: Asked, half: Half
    ) -> dict[str, Figures]:
        known = tables.figures.c
        rows = connection.execute(
            select(known.entry, known.content).where(
                known.entry.in_(entries),
                known.half == half,
                known.tool == asked.tool,
                known.measure == asked.measure,
                known.program == rankwise.__version__,
            )
        )
        return {
            row.entry: Figures.from_bytes(
                self._seal.open(row.content, _context(row.entry, asked, half))
            )
            for row in rows
        }


def _insert_new(connection: Connection, cells: dict[str, Any]) -> Any:
    """An insertion that passes over a row that is there."""
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(tables.figures).values(**cells).on_conflict_do_nothing()
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(tables.figures).values(**cells).on_conflict_do_nothing()


def _context(entry: str, asked: Asked, half: Half) -> str:
    return f"figures of {entry} by {asked.measure} of {asked.tool} on the {half} half"
