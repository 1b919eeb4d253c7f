"""What of a store is no longer what was written: every row and the file itself are looked at."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from rankwise.results.store.database_file import DamagedStore, explain_errors
from rankwise.results.store.schema import SHARED, digest_cells
from rankwise.results.store.stored_tasks import (
    Rows,
    TaskReading,
    TaskRow,
    count_differs,
    group_rows,
    is_row_whole,
    is_whole,
)

_MOST_REMARKS = 20
_CHANGED = "not what was stored"
_COLUMNS = {
    "figures": "task, number, part, tool, measure, mean, queries",
    "tried": "task, place, parameters, value, seconds, reason",
    "kept": "task, number, what, size, digest",
}


@dataclass(frozen=True)
class Damage:
    """One thing that is damaged, as a sentence, and the task that it is of.

    Attributes:
        task: the number of the task in the store; None where the file itself is damaged.
        key: the beginning of its key, as far as that can be trusted.
        sentence: what is damaged.
    """

    task: int | None
    key: str | None
    sentence: str


@dataclass(frozen=True)
class StoreVerification:
    """What a store holds, and all of it that is damaged."""

    path: str
    tasks: int
    figures: int
    query_values: int
    damages: tuple[Damage, ...]


class DamageReading(TaskReading):
    """What a store tells of its damages."""

    def verify(self) -> StoreVerification:
        """Look at everything: each row against its digest, and the file as SQLite checks it."""
        with self.snapshot():
            damages = tuple(self.damages())
            tasks, figures, query_values = map(self._count_rows, _COUNTED)
        return StoreVerification(str(self.path), tasks, figures, query_values, damages)

    def damages(self, *, of_file: bool = True) -> list[Damage]:
        """What is damaged, task by task; where asked for, also of the file as a whole."""
        checks: list[Callable[[], Iterable[Damage]]] = [self._check_rows]
        if of_file:
            checks += [self._check_total, self._check_file]
        with self.snapshot(), self._reading_any_text():
            return [damage for check in checks for damage in _list_damages(check)]

    @contextlib.contextmanager
    def _reading_any_text(self) -> Iterator[None]:
        """Bytes that are no text are read all the same, to be found damaged."""
        self._connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        try:
            yield
        finally:
            self._connection.text_factory = str

    def _check_rows(self) -> Iterator[Damage]:
        rows, _ = self._select_tasks()
        found = {
            table: group_rows(self._select(f"SELECT {columns} FROM {table} NOT INDEXED"))
            for table, columns in _COLUMNS.items()
        }
        origins = group_rows(self._select("SELECT number, inputs, facts FROM tasks NOT INDEXED"))
        shared = {table: self._find_whole(table) for table in SHARED}
        for row in rows:
            figures, tried, kept = (found[table].pop(row.number, []) for table in _COLUMNS)
            origin = origins.get(row.number, [])
            key = row.key[:8] if isinstance(row.key, str) else None
            for what in chain(
                _check_task(row, figures, tried, origin, shared), _check_kept(row, kept, shared)
            ):
                yield Damage(row.number, key, f"{row.name}: {what}")
        for table, left in found.items():
            for task in left:
                yield Damage(task, None, f"{table} of a task of the number {task}, which is gone")

    def _check_total(self) -> Iterator[Damage]:
        rows, total = self._select_tasks()
        if all(map(is_row_whole, rows)) and count_differs(rows, total):
            there = total[0] if total else "an unknown number of"
            yield Damage(None, None, f"{there} tasks were stored, found {len(rows)} or others")

    def _check_file(self) -> Iterator[Damage]:
        for (remark,) in self._select(f"PRAGMA integrity_check({_MOST_REMARKS})"):
            for line in str(remark).splitlines():
                if line != "ok" and not line.startswith("***"):
                    yield Damage(None, None, f"the file: {line}")

    def _find_whole(self, table: str) -> set[int]:
        """The numbers of the rows that are what was written."""
        number = "figure" if table == "per_query" else "number"
        statement = f"SELECT {number}, {SHARED[table]}, digest FROM {table} NOT INDEXED"
        with explain_errors(self.path, "read"):
            # One by one: all models of a store together may be larger than the memory.
            rows = self._connection.execute(statement)
            return {row[0] for row in rows if is_whole(table, *row)}

    def _count_rows(self, what: str) -> int:
        try:
            return int(self._select(f"SELECT {what} NOT INDEXED")[0][0])
        except (DamagedStore, TypeError, ValueError):
            return 0


_COUNTED = (
    "count(*) FROM tasks",
    "count(*) FROM figures",
    "coalesce(sum(length(content)), 0) / 8 FROM per_query",
)


def _check_task(
    row: TaskRow, figures: Rows, tried: Rows, origin: Rows, shared: Mapping[str, set[int]]
) -> Iterator[str]:
    """What is wrong with one task and all that hangs on it."""
    if not is_row_whole(row):
        yield f"its name, settings or times are {_CHANGED}"
    if digest_cells(origin) != row.origin_digest:
        yield f"its inputs or facts are {_CHANGED}"
    if digest_cells(tried) != row.tried_digest:
        yield f"what tuning tried is {_CHANGED}"
    if row.environment is not None and row.environment not in shared["environments"]:
        yield f"its environment is {_CHANGED}"
    if digest_cells(figures) != row.figures_digest:
        yield f"its figures are {_CHANGED}"
        return
    for number, part, tool, measure, _, queries in figures:
        if queries is not None and not (
            number in shared["per_query"] and queries in shared["queries"]
        ):
            yield f"the values of {measure} ({part}, {tool}) for each query are {_CHANGED}"


def _check_kept(row: TaskRow, kept: Rows, shared: Mapping[str, set[int]]) -> Iterator[str]:
    """What is wrong with the model and the scores that were kept of a task."""
    if digest_cells(kept) != row.kept_digest:
        yield f"what was kept of it is {_CHANGED}"
        return
    for number, what, _, _ in kept:
        if number not in shared["kept"]:
            yield f"its {what} {'are' if what.endswith('s') else 'is'} {_CHANGED}"


def _list_damages(check: Callable[[], Iterable[Damage]]) -> list[Damage]:
    """What a check finds; where it cannot go on, that is a damage too."""
    found: list[Damage] = []
    try:
        found.extend(check())
    except DamagedStore as error:
        found.append(Damage(None, None, f"the file: {error.what}"))
    return found
