"""The tasks of a store: how they ended, what tuning tried, and which of them count."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection
from typing import Any

from rankwise.results.store_records import (
    CHOICE,
    StoredTask,
    Subject,
    TaskChoice,
    Tried,
    name_subjects,
)
from rankwise.results.store_rows import RowReading, TaskRow, find_current
from rankwise.tabular import shortened


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
            + "; ".join(f"{measure} for {_listed(methods)}" for measure, methods in by.items())
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


_LISTED = 6


def _listed(methods: Collection[str]) -> str:
    more = f" and {len(methods) - _LISTED} more" if len(methods) > _LISTED else ""
    return ", ".join(shortened(name, 40) for name in list(methods)[:_LISTED]) + more


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
