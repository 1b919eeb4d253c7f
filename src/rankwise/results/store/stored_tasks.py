"""What the rows of tasks tell: which tasks count, how they ended, what chose and was tuned."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from rankwise.results.store.integrity import TaskCell, TaskRow, VerifiedRows
from rankwise.results.task_records import (
    CHOICE,
    StoredTask,
    Subject,
    TaskChoice,
    name_subjects,
)
from rankwise.tables.notebook import shortened


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


def list_current(rows: VerifiedRows) -> list[TaskRow]:
    """The tasks that count, in the order they ended."""
    tasks = rows.tasks()
    current = find_current(tasks)
    return [row for row in tasks if row.number in current]


def choose_done(tasks: Sequence[TaskRow], keys: Collection[str] | None) -> list[TaskRow]:
    """The tasks that are done, of the given keys or of all that count."""
    current = find_current(tasks) if keys is None else ()
    wanted = set(keys or ())
    return [
        row
        for row in tasks
        if row.ending == "done" and (row.number in current if keys is None else row.key in wanted)
    ]


def make_task(row: TaskRow) -> StoredTask:
    """A task as the store lists it."""
    return StoredTask(
        row.number, row.key, row.name, row.ending, row.kind, row.reason, json.loads(row.parameters),
        row.seconds, row.cpu_seconds, row.peak_bytes, row.finished,
    )  # fmt: skip


def list_garbage(tasks: Sequence[TaskRow], *, failed: bool) -> list[str]:
    """Keys of tasks of a name that was run again, and done; on request of `failed` ones too."""
    current = find_current(tasks)
    done = {row.cell for row in tasks if row.ending == "done" and row.number in current}
    return [
        row.key
        for row in tasks
        if (row.number not in current and row.cell in done) or (failed and row.ending == "failed")
    ]


def explain_left_out(tasks: Sequence[TaskRow], subject: Subject | None) -> list[str]:
    """Sentences about folds, or seeds of them, that a method has of something else only."""
    current = find_current(tasks)
    done = [row for row in tasks if row.ending == "done"]
    there = {row.cell for row in done if row.number in current}
    names = name_subjects(row.subject for row in tasks)
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


def _sort_by_name(row: TaskRow) -> tuple[str, ...]:
    return row.collection, row.dataset, row.version or "", row.method


def list_choices(rows: VerifiedRows, keys: Collection[str] | None = None) -> list[TaskChoice]:
    """What chose in the done tasks, of the given keys or of all that count."""
    return [
        _make_choice(row, *map(json.loads, rows.origin(row)))
        for row in choose_done(rows.tasks(), keys)
    ]


def _make_choice(row: TaskRow, inputs: dict[str, Any], facts: dict[str, Any]) -> TaskChoice:
    """Methods that are known by their scores have no measure that chose."""
    asked = inputs.get("selection") or ["", ""]
    choice = facts.get(CHOICE) or {"measure": asked[0], "tool": asked[1]}
    remarks = tuple(str(one) for one in facts.get("remarks", ()))
    return TaskChoice(
        row.name, str(choice["measure"]), str(choice["tool"]), choice.get("parts"),
        choice.get("equals"), remarks,
    )  # fmt: skip


def explain_choices(choices: Iterable[TaskChoice], subject: Subject | None) -> list[str]:
    """Sentences about data sets on which tasks were chosen by different measures."""
    found: dict[Subject, dict[str, dict[str, None]]] = {}
    for choice in choices:
        dataset = Subject.of(choice.name)
        if choice.measure and subject in (None, dataset):
            methods = found.setdefault(dataset, {}).setdefault(choice.measure, {})
            methods[choice.name.method] = None
    names = name_subjects(found)
    return [
        f"on {names[dataset]} methods were chosen by different measures: "
        + "; ".join(f"{measure} for {_list_methods(methods)}" for measure, methods in by.items())
        for dataset, by in found.items()
        if len(by) > 1
    ]


_MOST_LISTED = 6


def _list_methods(methods: Collection[str]) -> str:
    more = f" and {len(methods) - _MOST_LISTED} more" if len(methods) > _MOST_LISTED else ""
    return ", ".join(shortened(name, 40) for name in list(methods)[:_MOST_LISTED]) + more


def list_tuned_parameters(rows: VerifiedRows) -> defaultdict[int, list[str]]:
    """By number of a task, the parameters of which tuning tried more than one value."""
    tuned: defaultdict[int, list[str]] = defaultdict(list)
    for task, tried in rows.tried(rows.tasks()).items():
        values: dict[str, set[str]] = {}
        for _, parameters, *_ in tried:
            for name, value in json.loads(parameters).items():
                values.setdefault(name, set()).add(json.dumps(value))
        tuned[task] = [name for name, several in values.items() if len(several) > 1]
    return tuned


def count_untrained(rows: VerifiedRows, keys: Collection[str]) -> Counter[tuple[str, str]]:
    """How often tuning had to leave a combination out, by method and reason, in done tasks."""
    done = choose_done(rows.tasks(), keys)
    found = rows.tried(done)
    reasons = ((row.method, tried[4]) for row in done for tried in found[row.number])
    return Counter((method, reason) for method, reason in reasons if reason is not None)


def find_typical_seconds(rows: VerifiedRows) -> dict[tuple[str, str], float]:
    """Seconds a combination of the done tasks, by ranker and data set."""
    trainings = rows.count_tried()
    seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
    counts = Counter[tuple[str, str]]()
    for row in rows.tasks():
        if row.ending == "done":
            cell = row.ranker, row.dataset
            seconds[cell] += row.seconds
            counts[cell] += trainings.get(row.number, 1)
    return {cell: total / counts[cell] for cell, total in seconds.items()}
