"""The rows of a store as they were written: what is damaged is refused before it is looked at.

Tables are read from end to end and put together here, not by SQLite: a damaged index or page leads
a search past rows that a pass over the table finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rankwise.errors import RankwiseError
from rankwise.results.store_connection import DamagedStore, StoreConnection
from rankwise.results.store_digests import (
    ORIGIN,
    SHARED,
    TASK_CELLS,
    TRIED,
    combine_digests,
    digest_cells,
    digest_content,
)
from rankwise.results.store_records import Ending, FailureKind, Subject, TaskName

Cell = tuple[str, str, str | None, str, int, int]
Rows = list[tuple[Any, ...]]


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
    planned: str
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
    def cell(self) -> Cell:
        """What no two tasks that count share."""
        return (*self[2:5], self.method, self.fold, self.seed)


class RowReading(StoreConnection):
    """The rows of a store, each checked against its digest."""

    def _read_rows(self) -> list[TaskRow]:
        """All tasks in the order of their numbers."""
        with self.snapshot():
            # Within a transaction that writes there is no snapshot, and nothing is remembered.
            remembered = self._of_snapshot if self._of_snapshot is not None else {}
            if "rows" not in remembered:
                rows, total = self._select_tasks()
                sentence = describe_damaged_tasks(rows, total)
                if sentence is not None:
                    raise DamagedStore(self.path, sentence)
                remembered["rows"] = rows
            return list(remembered["rows"])

    def _select_tasks(self) -> tuple[list[TaskRow], tuple[Any, ...]]:
        """All tasks as they are, and what the store says of them all."""
        found = self._select(f"SELECT {', '.join(TASK_CELLS)}, digest FROM tasks NOT INDEXED")
        total = self._select("SELECT tasks, digest FROM total")
        return list(map(TaskRow._make, found)), total[0] if len(total) == 1 else ()

    def _find_row(self, task: int) -> TaskRow:
        with self.snapshot():
            remembered = self._of_snapshot if self._of_snapshot is not None else {}
            if "numbered" not in remembered:
                remembered["numbered"] = {row.number: row for row in self._read_rows()}
            if task not in remembered["numbered"]:
                raise RankwiseError(f"{self.path} has no task of the number {task}")
            found: TaskRow = remembered["numbered"][task]
        return found

    def _read_figures(self, tasks: Sequence[TaskRow]) -> dict[int, Rows]:
        """Number, part, tool, measure, mean and number of queries of all figures, by task."""
        columns = "task, number, part, tool, measure, mean, queries"
        found = group_rows(self._select(f"SELECT {columns} FROM figures NOT INDEXED"))
        for task in tasks:
            if digest_cells(found.setdefault(task.number, [])) != task.figures_digest:
                raise DamagedStore(self.path, f"{task.name} has other figures than were stored")
        return found

    def _read_tried(self, tasks: Sequence[TaskRow]) -> dict[int, Rows]:
        """Place, parameters, value, seconds and reason of what was tried, by task."""
        if len(tasks) == 1:
            found = {tasks[0].number: self._select(TRIED, (tasks[0].number,))}
        else:
            columns = "task, place, parameters, value, seconds, reason"
            found = group_rows(self._select(f"SELECT {columns} FROM tried"))
        for task in tasks:
            if digest_cells(found.setdefault(task.number, [])) != task.tried_digest:
                raise DamagedStore(self.path, f"{task.name} tried something else than was stored")
        return found

    def _read_kept(self, tasks: Sequence[TaskRow]) -> dict[int, Rows]:
        """Number, name, size and digest of what is kept, by task."""
        columns = "task, number, what, size, digest"
        found = group_rows(self._select(f"SELECT {columns} FROM kept NOT INDEXED"))
        for task in tasks:
            if digest_cells(found.setdefault(task.number, [])) != task.kept_digest:
                raise DamagedStore(self.path, f"{task.name} has kept something else than was sent")
        return found

    def _read_origin(self, task: TaskRow) -> tuple[str, str]:
        """The inputs and the facts of a task."""
        found = self._select(ORIGIN, (task.number,))
        if digest_cells(found) != task.origin_digest:
            raise DamagedStore(self.path, f"{task.name} has other inputs or facts than were stored")
        ((inputs, facts),) = found
        return inputs, facts

    def _read_shared(self, table: str, number: int) -> Any:
        """The content of a row that tasks refer to."""
        key = "figure" if table == "per_query" else "number"
        statement = f"SELECT {SHARED[table]}, digest FROM {table} WHERE {key} = ?"
        found = self._select(statement, (number,))
        if len(found) != 1 or not is_whole(table, number, *found[0]):
            raise DamagedStore(self.path, f"row {number} of {table} is not what was stored")
        return found[0][0]


def find_current(rows: Iterable[TaskRow]) -> set[int]:
    """The numbers of the tasks that count.

    Of the generations of a method on a data set the one counts that was asked for last, with its
    failures; of the data of a fold, those that any method was asked for last.
    """
    newest = sorted(rows, key=lambda row: (row.turn, row.number), reverse=True)
    generations: dict[tuple[Subject, str], str] = {}
    data: dict[tuple[Subject, int], str] = {}
    for row in newest:
        generations.setdefault((row.subject, row.method), row.generation)
        data.setdefault((row.subject, row.fold), row.data)
    found: dict[Cell, int] = {}
    for row in newest:
        last = generations[row.subject, row.method], data[row.subject, row.fold]
        if (row.generation, row.data) == last:
            found.setdefault(row.cell, row.number)
    return set(found.values())


def is_row_whole(row: TaskRow) -> bool:
    """Whether a task's row is what was written."""
    return digest_cells(row[:-1]) == row.digest


def is_whole(table: str, number: int, content: Any, digest: Any) -> bool:
    """Whether a row of one content is what was written."""
    return isinstance(content, str | bytes) and digest_content(table, number, content) == digest


def describe_damaged_tasks(rows: Sequence[TaskRow], total: tuple[Any, ...]) -> str | None:
    """What is wrong with the rows of a store's tasks."""
    damaged = [row for row in rows if not is_row_whole(row)]
    if damaged:
        of = f"{len(damaged)} of {len(rows)} tasks"
        return f"{of} are not what was stored, the first is that of row {damaged[0].number}"
    if count_differs(rows, total):
        there = total[0] if total else "an unknown number of"
        return f"{there} tasks were stored, found {len(rows)} or others"
    return None


def count_differs(rows: Sequence[TaskRow], total: tuple[Any, ...]) -> bool:
    """Whether whole rows are not all those that the store counted, or others."""
    return (len(rows), combine_digests(row.digest for row in rows)) != total


def group_rows(rows: Iterable[tuple[Any, ...]]) -> dict[int, Rows]:
    """Rows without their first cell, by that cell."""
    found: dict[int, Rows] = {}
    for first, *rest in rows:
        found.setdefault(first, []).append(tuple(rest))
    return found
