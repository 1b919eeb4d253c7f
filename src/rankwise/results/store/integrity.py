"""The rows of a store against their digests: what may be read, and what is damaged.

Tables are read from end to end and put together here, not by SQLite: a damaged index or page leads
a search past rows that a pass over the table finds. What is damaged is refused before it is looked
at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from rankwise.errors import RankwiseError
from rankwise.results.store.database_file import DamagedStore, DatabaseFile, explain_errors
from rankwise.results.store.schema import (
    ORIGIN,
    SHARED,
    TASK_CELLS,
    TRIED,
    combine_digests,
    digest_cells,
    digest_content,
)
from rankwise.results.task_records import Ending, FailureKind, Subject, TaskName

TaskCell = tuple[str, str, str | None, str, int, int]
Rows = list[tuple[Any, ...]]

_MOST_REMARKS = 20
_CHANGED = "not what was stored"
_HANGING = {
    "figures": "task, number, part, tool, measure, mean, queries",
    "tried": "task, place, parameters, value, seconds, reason",
    "kept": "task, number, what, size, digest",
}
"""The tables whose rows hang on a task; its digests are over all columns but the first."""


class TaskRow(NamedTuple):
    """A task with the cells of `TASK_CELLS`, and their digest."""

    number: int
    key: str
    collection: str
    dataset: str
    version: str | None
    fold: int
    method: str
    ranker: str
    seed: int
    tool: str
    ending: Ending
    kind: FailureKind | None
    reason: str | None
    parameters: str
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    finished: str
    generation: str
    data: str
    turn: int
    environment: int | None
    origin_digest: str
    tried_digest: str
    figures_digest: str
    kept_digest: str
    digest: str

    @property
    def name(self) -> TaskName:
        """What the task is called in tables."""
        return TaskName(*self[2:10])

    @property
    def subject(self) -> Subject:
        """What the task was run on."""
        return Subject(self.collection, self.dataset, self.version)

    @property
    def cell(self) -> TaskCell:
        """What no two tasks that count share."""
        return (*self[2:5], self.method, self.fold, self.seed)


class VerifiedRows:
    """The rows of a store as they were written; one that is not raises a DamagedStore.

    What is read in a snapshot is read and checked once. Every method is called within one, or in a
    transaction that writes, where nothing is remembered.
    """

    def __init__(self, file: DatabaseFile) -> None:
        self._file = file

    @property
    def path(self) -> Path:
        """The file of the store."""
        return self._file.path

    def tasks(self) -> list[TaskRow]:
        """All tasks in the order of their numbers."""
        remembered = self._remembered()
        if "tasks" not in remembered:
            rows, total = _select_tasks(self._file)
            sentence = _describe_damaged_tasks(rows, total)
            if sentence is not None:
                raise DamagedStore(self.path, sentence)
            remembered["tasks"] = rows
        return list(remembered["tasks"])

    def task(self, number: int) -> TaskRow:
        """The task of a number."""
        remembered = self._remembered()
        if "numbered" not in remembered:
            remembered["numbered"] = {row.number: row for row in self.tasks()}
        if number not in remembered["numbered"]:
            raise RankwiseError(f"{self.path} has no task of the number {number}")
        row: TaskRow = remembered["numbered"][number]
        return row

    def figures(self, tasks: Sequence[TaskRow]) -> dict[int, Rows]:
        """Number, part, tool, measure, mean and number of queries of all figures, by task."""
        found = _group_by_task(self._file, "figures")
        return self._check("figures", found, tasks, "has other figures than were stored")

    def tried(self, tasks: Sequence[TaskRow]) -> dict[int, Rows]:
        """Place, parameters, value, seconds and reason of what was tried, by task."""
        if len(tasks) == 1:
            found = {tasks[0].number: self._file.select(TRIED, (tasks[0].number,))}
        else:
            found = _group_by_task(self._file, "tried")
        return self._check("tried", found, tasks, "tried something else than was stored")

    def kept(self, tasks: Sequence[TaskRow]) -> dict[int, Rows]:
        """Number, name, size and digest of what is kept, by task."""
        found = _group_by_task(self._file, "kept")
        return self._check("kept", found, tasks, "has kept something else than was sent")

    def origin(self, task: TaskRow) -> tuple[str, str]:
        """The inputs and the facts of a task."""
        found = {task.number: self._file.select(ORIGIN, (task.number,))}
        self._check("origin", found, [task], "has other inputs or facts than were stored")
        ((inputs, facts),) = found[task.number]
        return inputs, facts

    def shared(self, table: str, number: int) -> Any:
        """The content of a row that tasks refer to."""
        key = "figure" if table == "per_query" else "number"
        statement = f"SELECT {SHARED[table]}, digest FROM {table} WHERE {key} = ?"
        found = self._file.select(statement, (number,))
        if len(found) != 1 or not _is_whole(table, number, *found[0]):
            raise DamagedStore(self.path, f"row {number} of {table} is not what was stored")
        return found[0][0]

    def count_tried(self) -> dict[int, int]:
        """By number of a task, how many combinations it tried; the only rows not checked."""
        return dict(self._file.select("SELECT task, count(*) FROM tried GROUP BY task"))

    def _remembered(self) -> dict[str, Any]:
        return self._file.remembered if self._file.remembered is not None else {}

    def _check(
        self, what: str, rows: dict[int, Rows], tasks: Sequence[TaskRow], difference: str
    ) -> dict[int, Rows]:
        """The rows of every task, which are those that its digest is of."""
        for task in tasks:
            if digest_cells(rows.setdefault(task.number, [])) != getattr(task, f"{what}_digest"):
                raise DamagedStore(self.path, f"{task.name} {difference}")
        return rows


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


def verify_rows(file: DatabaseFile) -> StoreVerification:
    """Look at everything: each row against its digest, and the file as SQLite checks it."""
    damages = tuple(find_damages(file))
    tasks, figures, query_values = (_count_rows(file, what) for what in _COUNTED)
    return StoreVerification(str(file.path), tasks, figures, query_values, damages)


def find_damages(file: DatabaseFile, *, of_file: bool = True) -> list[Damage]:
    """What is damaged, task by task; where asked for, also of the file as a whole."""
    checks = [_check_rows, _check_total, _check_file] if of_file else [_check_rows]
    with file.reading_any_text():
        return [damage for check in checks for damage in _list_damages(check, file)]


def _list_damages(
    check: Callable[[DatabaseFile], Iterable[Damage]], file: DatabaseFile
) -> list[Damage]:
    """What a check finds; where it cannot go on, that is a damage too."""
    found: list[Damage] = []
    try:
        found.extend(check(file))
    except DamagedStore as error:
        found.append(Damage(None, None, f"the file: {error.what}"))
    return found


def _check_rows(file: DatabaseFile) -> Iterator[Damage]:
    rows, _ = _select_tasks(file)
    hanging = {table: _group_by_task(file, table) for table in _HANGING}
    origins = _group_rows(file.select("SELECT number, inputs, facts FROM tasks NOT INDEXED"))
    shared = {table: _find_whole(file, table) for table in SHARED}
    for row in rows:
        figures, tried, kept = (hanging[table].pop(row.number, []) for table in _HANGING)
        origin = origins.get(row.number, [])
        key = row.key[:8] if isinstance(row.key, str) else None
        for what in chain(
            _check_task(row, figures, tried, origin, shared), _check_kept(row, kept, shared)
        ):
            yield Damage(row.number, key, f"{row.name}: {what}")
    for table, left in hanging.items():
        for task in left:
            yield Damage(task, None, f"{table} of a task of the number {task}, which is gone")


def _check_total(file: DatabaseFile) -> Iterator[Damage]:
    rows, total = _select_tasks(file)
    if all(map(_is_row_whole, rows)) and _differs_from_total(rows, total):
        yield Damage(None, None, _describe_difference(rows, total))


def _check_file(file: DatabaseFile) -> Iterator[Damage]:
    for (remark,) in file.select(f"PRAGMA integrity_check({_MOST_REMARKS})"):
        for line in str(remark).splitlines():
            if line != "ok" and not line.startswith("***"):
                yield Damage(None, None, f"the file: {line}")


def _check_task(
    row: TaskRow, figures: Rows, tried: Rows, origin: Rows, shared: Mapping[str, set[int]]
) -> Iterator[str]:
    """What is wrong with one task and all that hangs on it."""
    if not _is_row_whole(row):
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


def _describe_damaged_tasks(rows: Sequence[TaskRow], total: tuple[Any, ...]) -> str | None:
    """What is wrong with the rows of a store's tasks."""
    damaged = [row for row in rows if not _is_row_whole(row)]
    if damaged:
        of = f"{len(damaged)} of {len(rows)} tasks"
        return f"{of} are not what was stored, the first is that of row {damaged[0].number}"
    return _describe_difference(rows, total) if _differs_from_total(rows, total) else None


def _differs_from_total(rows: Sequence[TaskRow], total: tuple[Any, ...]) -> bool:
    """Whether whole rows are not all those that the store counted, or others."""
    return (len(rows), combine_digests(row.digest for row in rows)) != total


def _describe_difference(rows: Sequence[TaskRow], total: tuple[Any, ...]) -> str:
    there = total[0] if total else "an unknown number of"
    return f"{there} tasks were stored, found {len(rows)} or others"


def _is_row_whole(row: TaskRow) -> bool:
    """Whether a task's row is what was written."""
    return digest_cells(row[:-1]) == row.digest


def _is_whole(table: str, number: int, content: Any, digest: Any) -> bool:
    """Whether a row of one content is what was written."""
    return isinstance(content, str | bytes) and digest_content(table, number, content) == digest


def _find_whole(file: DatabaseFile, table: str) -> set[int]:
    """The numbers of the rows that are what was written."""
    number = "figure" if table == "per_query" else "number"
    statement = f"SELECT {number}, {SHARED[table]}, digest FROM {table} NOT INDEXED"
    with explain_errors(file.path, "read"):
        # One by one: all models of a store together may be larger than the memory.
        rows = file.connection.execute(statement)
        return {row[0] for row in rows if _is_whole(table, *row)}


_COUNTED = (
    "count(*) FROM tasks",
    "count(*) FROM figures",
    "coalesce(sum(length(content)), 0) / 8 FROM per_query",
)


def _count_rows(file: DatabaseFile, what: str) -> int:
    try:
        return int(file.select(f"SELECT {what} NOT INDEXED")[0][0])
    except (DamagedStore, TypeError, ValueError):
        return 0


def _select_tasks(file: DatabaseFile) -> tuple[list[TaskRow], tuple[Any, ...]]:
    """All tasks as they are, and what the store says of them all."""
    found = file.select(f"SELECT {', '.join(TASK_CELLS)}, digest FROM tasks NOT INDEXED")
    total = file.select("SELECT tasks, digest FROM total")
    return list(map(TaskRow._make, found)), total[0] if len(total) == 1 else ()


def _group_by_task(file: DatabaseFile, table: str) -> dict[int, Rows]:
    return _group_rows(file.select(f"SELECT {_HANGING[table]} FROM {table} NOT INDEXED"))


def _group_rows(rows: Iterable[tuple[Any, ...]]) -> dict[int, Rows]:
    """Rows without their first cell, by that cell."""
    found: dict[int, Rows] = {}
    for first, *rest in rows:
        found.setdefault(first, []).append(tuple(rest))
    return found
