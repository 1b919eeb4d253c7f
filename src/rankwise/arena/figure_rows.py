"""Figures of entries: those of a task's own measure are kept sealed, others in memory.

Figures per query tell of labels, so that nothing of them is readable at rest. Of a
closed task anybody may ask for any measure: what strangers choose fills a bounded memory, never the
database.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import rankwise
from rankwise.arena import tables
from rankwise.arena.database import Database
from rankwise.arena.entry_rows import AT_ONCE, EntryRow, read_scores
from rankwise.arena.evaluator import Asked, Evaluator, Figures
from rankwise.arena.sealing import Seal
from rankwise.arena.sql import Connection, select
from rankwise.arena.task import ArenaTask, Half

MOST_IN_MEMORY = 5000

_Key = tuple[str, Half, Asked]


class FigureStore:
    """The figures of entries, looked up where they are known, else computed and kept."""

    def __init__(self, database: Database, seal: Seal, evaluator: Evaluator) -> None:
        self._database, self._seal, self._evaluator = database, seal, evaluator
        self._remembered: OrderedDict[_Key, Figures] = OrderedDict()
        self._turn = threading.Lock()

    def figures(
        self, task: ArenaTask, entries: Iterable[EntryRow], asked: Asked, half: Half
    ) -> dict[str, Figures]:
        """The figures of entries of one task, by id."""
        wanted = list(entries)
        own = asked == Asked(task.rules.measure, task.rules.tool)
        found = self._remember(wanted, asked, half)
        for some in _split([entry for entry in wanted if own and entry.id not in found]):
            with self._database.reading() as connection:
                found |= self._kept(connection, [entry.id for entry in some], asked, half)
        for some in _split([entry for entry in wanted if entry.id not in found]):
            found |= self._compute(task, some, asked, half, keep=own)
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

    def _remember(self, entries: list[EntryRow], asked: Asked, half: Half) -> dict[str, Figures]:
        found = {}
        with self._turn:
            for entry in entries:
                key = (entry.id, half, asked)
                if key in self._remembered:
                    self._remembered.move_to_end(key)
                    found[entry.id] = self._remembered[key]
        return found

    def _compute(
        self, task: ArenaTask, entries: list[EntryRow], asked: Asked, half: Half, *, keep: bool
    ) -> dict[str, Figures]:
        with self._database.reading() as connection:
            scores = read_scores(connection, [entry.digest for entry in entries])
        found = {
            entry.id: self._evaluator.evaluate(task, scores[entry.digest], asked, half)
            for entry in entries
        }
        if keep:
            with self._database.writing() as connection:
                for entry, figures in found.items():
                    self.keep(connection, entry, asked, half, figures)
        with self._turn:
            self._remembered |= {(entry, half, asked): one for entry, one in found.items()}
            while len(self._remembered) > MOST_IN_MEMORY:
                self._remembered.popitem(last=False)
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


def _split(entries: list[EntryRow]) -> list[list[EntryRow]]:
    return [entries[begin : begin + AT_ONCE] for begin in range(0, len(entries), AT_ONCE)]


def _insert_new(connection: Connection, cells: dict[str, Any]) -> Any:
    """An insertion that passes over a row that is there."""
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(tables.figures).values(**cells).on_conflict_do_nothing()
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(tables.figures).values(**cells).on_conflict_do_nothing()


def _context(entry: str, asked: Asked, half: Half) -> str:
    return f"figures of {entry} by {asked.measure} of {asked.tool} on the {half} half"
