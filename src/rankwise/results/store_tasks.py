"""The tasks of a store: how they ended, what tuning tried, and which of them count."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection
from typing import Any

from rankwise.results.store_connection import StoreConnection
from rankwise.results.store_records import (
    StoredTask,
    Subject,
    TaskName,
    Tried,
    name_subjects,
)

_TASK = (
    "number, key, collection, dataset, version, fold, method, ranker, seed, tool, "
    "ending, kind, reason, parameters, seconds, cpu_seconds, peak_bytes, finished"
)
_NEWEST = "ORDER BY planned DESC, finished DESC, number DESC"
# Of the generations of a method on a data set the one counts that was asked for last, with its
# failures; of the data of a fold, those that any method was asked for last.
CURRENT = f"""
  SELECT number FROM (
    SELECT number, generation, data,
      first_value(generation) OVER (
        PARTITION BY collection, dataset, version, method {_NEWEST}
      ) AS last_generation,
      first_value(data) OVER (PARTITION BY collection, dataset, version, fold {_NEWEST})
        AS last_data,
      row_number() OVER (
        PARTITION BY collection, dataset, version, method, fold, seed, generation, data {_NEWEST}
      ) AS place
    FROM tasks
  ) WHERE generation = last_generation AND data = last_data AND place = 1
"""
"""The numbers of the tasks that count."""


class TaskReading(StoreConnection):
    """What a store tells of its tasks."""

    def endings(self) -> dict[str, str]:
        """The keys of all tasks in the store, each with `done` or `failed`."""
        return dict(self._select("SELECT key, ending FROM tasks"))

    def tasks(self, *, superseded: bool = False) -> list[StoredTask]:
        """The tasks that count, in the order they ended; `superseded` ones too where asked for."""
        chosen = "" if superseded else f"WHERE number IN ({CURRENT})"
        rows = self._select(f"SELECT {_TASK} FROM tasks {chosen} ORDER BY number")
        return [_make_task(row) for row in rows]

    def failures(self, *, superseded: bool = False) -> list[StoredTask]:
        """Those of `tasks` that failed."""
        return [task for task in self.tasks(superseded=superseded) if task.ending == "failed"]

    def garbage(self, *, failed: bool = False) -> list[str]:
        """Keys of tasks that `collect_garbage` removes: of a name that was run again, and done,
        with other inputs; where asked for, also those that `failed`."""
        name = "collection, dataset, ifnull(version, ''), fold, method, seed"
        also = " OR ending = 'failed'" if failed else ""
        done = f"SELECT {name} FROM tasks WHERE ending = 'done' AND number IN current"
        rows = self._select(
            f"WITH current AS ({CURRENT}) SELECT key FROM tasks "
            f"WHERE number NOT IN current AND ({name}) IN ({done}){also} ORDER BY number"
        )
        return [key for (key,) in rows]

    def explain_left_out(self, subject: Subject | None = None) -> list[str]:
        """Sentences about folds, or seeds of them, that a method has of something else only.

        Of other code, parameters, measures or data than were asked for last: they are no part of
        its values. On one `subject`, or on all.
        """
        columns = "collection, dataset, version, method, fold, seed"
        with self.snapshot():
            rows = self._select(
                f"WITH current AS ({CURRENT}) "
                f"SELECT {columns} FROM tasks WHERE ending = 'done' AND number NOT IN current "
                f"EXCEPT SELECT {columns} FROM tasks WHERE ending = 'done' AND number IN current "
                f"ORDER BY {columns}"
            )
            subjects = self._select("SELECT DISTINCT collection, dataset, version FROM tasks")
        names = name_subjects(Subject(*own) for own in subjects)
        folds: dict[tuple[str, str], dict[str, None]] = {}
        for *own, method, fold, _ in rows:
            if subject in (None, Subject(*own)):
                folds.setdefault((method, names[Subject(*own)]), {})[str(fold)] = None
        return [
            f"{method} on {dataset}: left aside {len(found)} "
            f"{'fold' if len(found) == 1 else 'folds'} ({', '.join(found)}) of other code, "
            "parameters, measures or data; run the experiment again to have them"
            for (method, dataset), found in folds.items()
        ]

    def tried(self, task: int) -> list[Tried]:
        """What tuning tried in the task of this number."""
        rows = self._select(
            "SELECT parameters, value, seconds, reason FROM tried WHERE task = ? ORDER BY place",
            (task,),
        )
        return [Tried(json.loads(row[0]), *row[1:]) for row in rows]

    def tuned_parameters(self) -> defaultdict[int, list[str]]:
        """By number of a task, the parameters of which tuning tried more than one value."""
        values: defaultdict[int, dict[str, set[str]]] = defaultdict(dict)
        for task, parameters in self._select("SELECT task, parameters FROM tried"):
            for name, value in json.loads(parameters).items():
                values[task].setdefault(name, set()).add(json.dumps(value))
        several = ((task, [name for name, found in names.items() if len(found) > 1])
                   for task, names in values.items())  # fmt: skip
        return defaultdict(list, several)

    def untrained_combinations(self, keys: Collection[str]) -> Counter[tuple[str, str]]:
        """How often tuning had to leave a combination out, by method and reason, in done tasks."""
        wanted = set(keys)
        rows = self._select(
            "SELECT t.key, t.method, r.reason FROM tried AS r JOIN tasks AS t ON t.number = r.task "
            "WHERE r.reason IS NOT NULL AND t.ending = 'done' ORDER BY t.number, r.place"
        )
        return Counter((method, reason) for key, method, reason in rows if key in wanted)

    def origin(self, task: int) -> dict[str, Any]:
        """What the values of a task depend on, and what its model says of itself."""
        ((inputs, facts),) = self._select(
            "SELECT inputs, facts FROM tasks WHERE number = ?", (task,)
        )
        return {"inputs": json.loads(inputs), "facts": json.loads(facts)}

    def environment(self, task: int) -> dict[str, Any]:
        """Where a task ran: versions, machine, threads."""
        rows = self._select(
            "SELECT content FROM environments WHERE number = "
            "(SELECT environment FROM tasks WHERE number = ?)",
            (task,),
        )
        return dict(json.loads(rows[0][0])) if rows else {}

    def typical_seconds(self) -> dict[tuple[str, str], float]:
        """Seconds a training of the done tasks by (ranker, data set), by (ranker, "") over all."""
        trainings = "(SELECT max(count(*), 1) FROM tried WHERE task = tasks.number)"
        pace = f"sum(seconds) / sum({trainings})"
        rows = self._select(
            f"SELECT ranker, dataset, {pace} FROM tasks WHERE ending = 'done' GROUP BY 1, 2 "
            f"UNION ALL SELECT ranker, '', {pace} FROM tasks WHERE ending = 'done' GROUP BY 1"
        )
        return {(ranker, dataset): float(seconds) for ranker, dataset, seconds in rows}


def _make_task(row: tuple[Any, ...]) -> StoredTask:
    number, key, *rest = row
    name, (ending, kind, reason, parameters, *numbers) = TaskName(*rest[:8]), rest[8:]
    return StoredTask(number, key, name, ending, kind, reason, json.loads(parameters), *numbers)
