"""The tasks of a store as they were written: how they ended, what tuning tried, which count.

Tables are read from end to end and put together here, not by SQLite: a damaged index or page leads
a search past rows that a pass over the table finds. What is damaged is refused before it is looked
at.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from rankwise.errors import RankwiseError
from rankwise.results.store.database_file import DamagedStore, StoreConnection
from rankwise.results.store.schema import (
    ORIGIN,
    SHARED,
    TASK_CELLS,
    TRIED,
    combine_digests,
    digest_cells,
    digest_content,
)
from rankwise.results.task_records import (
    CHOICE,
    Ending,
    FailureKind,
    StoredTask,
    Subject,
    TaskChoice,
    TaskName,
    Tried,
    name_subjects,
)
from rankwise.tables.notebook import shortened

TaskCell = tuple[str, str, str | None, str, int, int]
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
    found: dict[TaskCell, int] = {}
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


class TaskReading(RowReading):
    """What a store tells of its tasks."""

    def endings(self) -> dict[str, str]:
        """The keys of all tasks in the store, each with `done` or `failed`.

        Their figures are looked at, since nobody should add to a damaged store.
        """
        with self.snapshot():
            rows = self._read_rows()
            self._read_figures(rows)
        return {row.key: row.ending for row in rows}

    def tasks(self, *, superseded: bool = False) -> list[StoredTask]:
        """The tasks that count, in the order they ended; `superseded` ones too where asked for."""
        rows = self._read_rows()
        current = find_current(rows)
        return [_make_task(row) for row in rows if superseded or row.number in current]

    def failures(self, *, superseded: bool = False) -> list[StoredTask]:
        """Those of `tasks` that failed."""
        return [task for task in self.tasks(superseded=superseded) if task.ending == "failed"]

    def garbage(self, *, failed: bool = False) -> list[str]:
        """Keys of tasks that `collect_garbage` removes: of a name that was run again, and done,
        with other inputs; where asked for, also those that `failed`."""
        rows = self._read_rows()
        current = find_current(rows)
        done = {row.cell for row in rows if row.ending == "done" and row.number in current}
        return [
            row.key
            for row in rows
            if (row.number not in current and row.cell in done)
            or (failed and row.ending == "failed")
        ]

    def explain_left_out(self, subject: Subject | None = None) -> list[str]:
        """Sentences about folds, or seeds of them, that a method has of something else only.

        Of other code, parameters, measures or data than were asked for last: they are no part of
        its values. On one `subject`, or on all.
        """
        rows = self._read_rows()
        current = find_current(rows)
        done = [row for row in rows if row.ending == "done"]
        there = {row.cell for row in done if row.number in current}
        names = name_subjects(row.subject for row in rows)
        folds: dict[tuple[str, str], set[int]] = {}
        for row in sorted(done, key=_sort_by_name):
            if row.cell not in there and subject in (None, row.subject):
                folds.setdefault((row.method, names[row.subject]), set()).add(row.fold)
        return [
            f"{method} on {dataset}: left aside {len(found)} "
            f"{'fold' if len(found) == 1 else 'folds'} ({', '.join(map(str, sorted(found)))}) of "
            "other code, parameters, measures or data; run the experiment again to have them"
            for (method, dataset), found in folds.items()
        ]

    def choices(self, keys: Collection[str] | None = None) -> list[TaskChoice]:
        """What chose in the done tasks, of the given keys or of all that count."""
        with self.snapshot():
            rows = self._read_rows()
            current = find_current(rows) if keys is None else ()
            wanted = [
                row
                for row in rows
                if row.ending == "done" and (row.number in current if keys is None else
                                             row.key in keys)
            ]  # fmt: skip
            return [_make_choice(row, *map(json.loads, self._read_origin(row))) for row in wanted]

    def remarks(self, subject: Subject | None = None) -> list[str]:
        """What must be said beside the values that count, on one `subject` or on all."""
        return [*self.explain_left_out(subject), *self._explain_choices(subject)]

    def _explain_choices(self, subject: Subject | None) -> list[str]:
        """Sentences about data sets on which tasks were chosen by different measures."""
        found: dict[Subject, dict[str, dict[str, None]]] = {}
        for one in self.choices():
            if one.measure and subject in (None, Subject.of(one.name)):
                methods = found.setdefault(Subject.of(one.name), {}).setdefault(one.measure, {})
                methods[one.name.method] = None
        names = name_subjects(found)
        return [
            f"on {names[one]} methods were chosen by different measures: "
            + "; ".join(
                f"{measure} for {_list_methods(methods)}" for measure, methods in by.items()
            )
            for one, by in found.items()
            if len(by) > 1
        ]

    def tried(self, task: int) -> list[Tried]:
        """What tuning tried in the task of this number."""
        with self.snapshot():
            found = self._read_tried([self._find_row(task)])
        return [Tried(json.loads(row[1]), *row[2:]) for row in found[task]]

    def trainings(self) -> dict[int, int]:
        """By number of a task, how many combinations tuning tried in it."""
        with self.snapshot():
            found = self._read_tried(self._read_rows())
        return {task: len(rows) for task, rows in found.items()}

    def tuned_parameters(self) -> defaultdict[int, list[str]]:
        """By number of a task, the parameters of which tuning tried more than one value."""
        with self.snapshot():
            found = self._read_tried(self._read_rows())
        tuned: defaultdict[int, list[str]] = defaultdict(list)
        for task, rows in found.items():
            values: dict[str, set[str]] = {}
            for _, parameters, *_ in rows:
                for name, value in json.loads(parameters).items():
                    values.setdefault(name, set()).add(json.dumps(value))
            tuned[task] = [name for name, several in values.items() if len(several) > 1]
        return tuned

    def untrained_combinations(self, keys: Collection[str]) -> Counter[tuple[str, str]]:
        """How often tuning had to leave a combination out, by method and reason, in done tasks."""
        wanted = set(keys)
        with self.snapshot():
            done = [row for row in self._read_rows() if row.ending == "done" and row.key in wanted]
            found = self._read_tried(done)
        reasons = ((row.method, tried[4]) for row in done for tried in found[row.number])
        return Counter((method, reason) for method, reason in reasons if reason is not None)

    def origin(self, task: int) -> dict[str, Any]:
        """What the values of a task depend on, and what its model says of itself."""
        with self.snapshot():
            inputs, facts = self._read_origin(self._find_row(task))
        return {"inputs": json.loads(inputs), "facts": json.loads(facts)}

    def environment(self, task: int) -> dict[str, Any]:
        """Where a task ran: versions, machine, threads."""
        with self.snapshot():
            number = self._find_row(task).environment
            content = "{}" if number is None else self._read_shared("environments", number)
        return dict(json.loads(content))

    def typical_seconds(self) -> dict[tuple[str, str], float]:
        """Seconds a combination of the done tasks, by ranker and data set."""
        with self.snapshot():
            done = [row for row in self._read_rows() if row.ending == "done"]
            trainings = dict(self._select("SELECT task, count(*) FROM tried GROUP BY task"))
        seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
        counts = Counter[tuple[str, str]]()
        for row in done:
            cell = row.ranker, row.dataset
            seconds[cell] += row.seconds
            counts[cell] += trainings.get(row.number, 1)
        return {cell: total / counts[cell] for cell, total in seconds.items()}


_MOST_LISTED = 6


def _list_methods(methods: Collection[str]) -> str:
    more = f" and {len(methods) - _MOST_LISTED} more" if len(methods) > _MOST_LISTED else ""
    return ", ".join(shortened(name, 40) for name in list(methods)[:_MOST_LISTED]) + more


def _make_choice(row: TaskRow, inputs: dict[str, Any], facts: dict[str, Any]) -> TaskChoice:
    """Methods that are known by their scores have no measure that chose."""
    asked = inputs.get("selection") or ["", ""]
    choice = facts.get(CHOICE) or {"measure": asked[0], "tool": asked[1]}
    remarks = tuple(str(one) for one in facts.get("remarks", ()))
    return TaskChoice(
        row.name, str(choice["measure"]), str(choice["tool"]), choice.get("parts"),
        choice.get("equals"), remarks,
    )  # fmt: skip


def _sort_by_name(row: TaskRow) -> tuple[str, ...]:
    return row.collection, row.dataset, row.version or "", row.method


def _make_task(row: TaskRow) -> StoredTask:
    return StoredTask(
        row.number, row.key, row.name, row.ending, row.kind, row.reason, json.loads(row.parameters),
        row.seconds, row.cpu_seconds, row.peak_bytes, row.finished,
    )  # fmt: skip
