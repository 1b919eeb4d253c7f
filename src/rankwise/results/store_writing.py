"""Writing into a store: tasks as they end, what a plan asks for, and what is no longer needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from rankwise.results.canonical_json import dump_canonical, replace_codes
from rankwise.results.generations import digest_data, digest_generation
from rankwise.results.store_connection import explain_errors
from rankwise.results.store_records import StoredValue, TaskName, TaskOutcome
from rankwise.results.store_tasks import TaskReading

_NAME = ("collection", "dataset", "version", "fold", "method", "ranker", "seed", "tool")


class Writing(TaskReading):
    """What a store that is open for writing can do; each method is one transaction."""

    def claim(self, names: Mapping[str, TaskName]) -> dict[str, str]:
        """Let a plan have its tasks that were run before: its names, and that it asked last.

        Returns by key when each task was planned, for `add`: one a microsecond after the one
        before it, so that the store knows the order of the plan, whichever task ends first.
        """
        columns = ", ".join(f"{column} = ?" for column in (*_NAME, "planned"))
        known, now = self.endings(), datetime.now(UTC)
        planned = {
            key: _format_time(now + timedelta(microseconds=place))
            for place, key in enumerate(names)
        }
        claimed = [
            (*_list_cells(name), planned[key], key) for key, name in names.items() if key in known
        ]
        with self._transaction():
            self._connection.executemany(f"UPDATE tasks SET {columns} WHERE key = ?", claimed)
        return planned

    def add(
        self,
        key: str,
        name: TaskName,
        inputs: Mapping[str, Any],
        outcome: TaskOutcome,
        *,
        planned: str | None = None,
    ) -> None:
        """Keep how a task ended; what was known of the same key before is replaced.

        `planned` is what `claim` said of the task; a task of no plan counts as planned now.
        """
        with self._transaction():
            self._execute("DELETE FROM tasks WHERE key = ?", (key,))
            task = self._insert_task(key, name, inputs, outcome, planned)
            self._insert_tried(task, outcome)
            for value in outcome.values:
                self._insert_value(task, value)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove tasks with everything that hangs on them and on nothing else."""
        with self._transaction():
            self._connection.executemany("DELETE FROM tasks WHERE key = ?", [(k,) for k in keys])
            self._execute(
                "DELETE FROM queries WHERE number NOT IN "
                "(SELECT queries FROM figures WHERE queries IS NOT NULL)"
            )
            self._execute(
                "DELETE FROM environments WHERE number NOT IN "
                "(SELECT environment FROM tasks WHERE environment IS NOT NULL)"
            )

    def collect_garbage(self, *, failed: bool = False) -> int:
        """Remove superseded tasks, and on request `failed` ones; how many those were.

        The space is given back to the file system.
        """
        keys = self.garbage(failed=failed)
        self.remove(keys)
        with explain_errors(self.path):
            self._connection.execute("VACUUM")
        return len(keys)

    def _insert_task(
        self,
        key: str,
        name: TaskName,
        inputs: Mapping[str, Any],
        outcome: TaskOutcome,
        planned: str | None,
    ) -> int:
        now = _format_time(datetime.now(UTC))
        environment = dump_canonical(outcome.environment)
        row = {
            "key": key,
            **dict(zip(_NAME, _list_cells(name), strict=True)),
            "inputs": dump_canonical(inputs),
            "generation": digest_generation(inputs),
            "data": digest_data(inputs),
            "ending": outcome.ending,
            "kind": outcome.kind,
            "reason": _clean(outcome.reason),
            "parameters": dump_canonical(outcome.parameters),
            "facts": dump_canonical(outcome.facts),
            "seconds": outcome.seconds,
            "cpu_seconds": outcome.cpu_seconds,
            "peak_bytes": outcome.peak_bytes,
            "finished": now,
            "planned": planned or now,
            "environment": self._find_or_insert("environments", "content", environment),
        }
        marks = ", ".join("?" * len(row))
        statement = f"INSERT INTO tasks ({', '.join(row)}) VALUES ({marks})"
        return self._execute(statement, tuple(row.values()))

    def _insert_tried(self, task: int, outcome: TaskOutcome) -> None:
        self._connection.executemany(
            "INSERT INTO tried (task, place, parameters, value, seconds, reason) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [
                (task, place, dump_canonical(one.parameters), one.value, one.seconds,
                 _clean(one.reason))
                for place, one in enumerate(outcome.tried)
            ],
        )  # fmt: skip

    def _insert_value(self, task: int, value: StoredValue) -> None:
        queries = None
        if value.values is not None:
            queries = self._find_or_insert("queries", "ids", dump_canonical(value.query_ids))
        number = self._execute(
            "INSERT INTO figures (task, part, tool, measure, mean, queries) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (task, value.part, value.tool, value.measure, value.mean, queries),
        )
        if value.values is not None:
            content = np.asarray(value.values, dtype="<f8").tobytes()
            self._execute(
                "INSERT INTO per_query (figure, content) VALUES (?, ?)", (number, content)
            )

    def _find_or_insert(self, table: str, column: str, content: str) -> int:
        """The number of a row that many tasks share, added where it is new."""
        statement = f"SELECT number FROM {table} WHERE {column} = ?"
        found = self._connection.execute(statement, (content,)).fetchone()
        if found:
            return int(found[0])
        return self._execute(f"INSERT INTO {table} ({column}) VALUES (?)", (content,))

    def _execute(self, statement: str, cells: tuple[Any, ...] = ()) -> int:
        """Run one statement; the number of the row it inserted."""
        return int(self._connection.execute(statement, cells).lastrowid or 0)


def _format_time(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


def _list_cells(name: TaskName) -> tuple[Any, ...]:
    cells = (getattr(name, column) for column in _NAME)
    return tuple(_clean(cell) if isinstance(cell, str) else cell for cell in cells)


def _clean(text: str | None) -> str | None:
    return None if text is None else replace_codes(text)
