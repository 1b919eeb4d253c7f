"""Writing into a store: tasks as they end, what a plan asks for, and what is no longer needed."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.results.canonical_json import dump_canonical, replace_codes
from rankwise.results.generations import digest_data, digest_generation
from rankwise.results.store_connection import DamagedStore, explain_errors
from rankwise.results.store_damage import DamageReading
from rankwise.results.store_digests import (
    change_total,
    digest_content,
    seal_row,
    seal_task,
    write_total,
)
from rankwise.results.store_records import KeptName, StoredValue, TaskName, TaskOutcome

_NAME = ("collection", "dataset", "version", "fold", "method", "ranker", "seed", "tool")


class Writing(DamageReading):
    """What a store that is open for writing can do; each method is one transaction."""

    def claim(self, names: Mapping[str, TaskName]) -> dict[str, int]:
        """Let a plan have its tasks that were run before: its names, and that it asked last.

        Returns by key the turn of each task, for `add`: one after the other, so that the store
        knows the order of the plan, whichever task ends first. Turns are counted from those of the
        tasks that are there, since clocks may be set back.
        """
        columns = ", ".join(f"{column} = ?" for column in (*_NAME, "planned", "turn"))
        now = _format_time(datetime.now(UTC))
        with self._transaction():
            known = {row.key: row for row in self._read_rows()}
            first = 1 + max((row.turn for row in known.values()), default=0)
            turns = {key: first + place for place, key in enumerate(names)}
            claimed = [key for key in names if key in known]
            self._connection.executemany(
                f"UPDATE tasks SET {columns} WHERE number = ?",
                [(*_list_cells(names[key]), now, turns[key], known[key].number) for key in claimed],
            )
            sealed = [seal_row(self._connection, known[key].number) for key in claimed]
            self._count([known[key].digest for key in claimed], sealed)
        return turns

    def add(
        self,
        key: str,
        name: TaskName,
        inputs: Mapping[str, Any],
        outcome: TaskOutcome,
        *,
        turn: int | None = None,
    ) -> None:
        """Keep how a task ended; what was known of the same key before is replaced.

        `turn` is what `claim` said of the task; a task of no plan is asked for last.
        """
        with self._transaction():
            former = self._remove(key)
            task = self._insert_task(key, name, inputs, outcome, turn)
            self._insert_tried(task, outcome)
            for value in outcome.values:
                self._insert_value(task, value)
            for what, content in outcome.kept.items():
                self._insert_kept(task, what, content)
            self._count(former, [seal_task(self._connection, task)])

    def remove(self, keys: Iterable[str]) -> None:
        """Remove tasks with everything that hangs on them and on nothing else."""
        with self._transaction():
            self._count([digest for key in keys for digest in self._remove(key)])
            self._remove_unneeded()

    def remove_damaged(self) -> int:
        """Remove what `damages` finds, so that its tasks can be run again; how many tasks that are.

        Where the file itself is damaged beyond what can be removed, an error says so.
        """
        with self._transaction():
            self._execute("REINDEX")
            before = self._count_tasks()
            for task in {damage.task for damage in self.damages(of_file=False)}:
                self._execute("DELETE FROM tasks WHERE number = ?", (task,))
            for table in ("figures", "tried", "kept"):
                self._execute(f"DELETE FROM {table} WHERE task NOT IN (SELECT number FROM tasks)")
            self._execute("DELETE FROM per_query WHERE figure NOT IN (SELECT number FROM figures)")
            self._remove_unneeded()
            write_total(self._connection)
            removed = before - self._count_tasks()
        self._give_back_space()
        left = self.damages()
        if left:
            raise RankwiseError(
                f"{self.path} is damaged beyond what can be removed ({left[0].sentence}); put back "
                "a copy of it, or begin a new store"
            )
        return removed

    def collect_garbage(self, *, failed: bool = False) -> int:
        """Remove superseded tasks, and on request `failed` ones; how many those were.

        The space is given back to the file system.
        """
        keys = self.garbage(failed=failed)
        self.remove(keys)
        self._give_back_space()
        return len(keys)

    def _give_back_space(self) -> None:
        with explain_errors(self.path):
            self._connection.execute("VACUUM")

    def _remove_unneeded(self) -> None:
        """Remove what tasks share and none needs any more."""
        for table, users in (("queries", "figures"), ("environments", "tasks")):
            column = "queries" if table == "queries" else "environment"
            used = f"SELECT {column} FROM {users} WHERE {column} IS NOT NULL"
            self._execute(f"DELETE FROM {table} WHERE number NOT IN ({used})")

    def _count_tasks(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM tasks NOT INDEXED").fetchone()[0])

    def _remove(self, key: str) -> list[str]:
        """Remove a task where it is there; the digest of its row."""
        rows = self._select("SELECT digest FROM tasks WHERE key = ?", (key,))
        self._execute("DELETE FROM tasks WHERE key = ?", (key,))
        return [digest for (digest,) in rows]

    def _count(self, removed: Sequence[str], added: Sequence[str] = ()) -> None:
        """Keep the number of tasks and their digests combined, by what is removed and added."""
        try:
            change_total(self._connection, removed, added)
        except (TypeError, ValueError) as error:
            raise DamagedStore(self.path, "the number of its tasks cannot be read") from error

    def _insert_task(
        self,
        key: str,
        name: TaskName,
        inputs: Mapping[str, Any],
        outcome: TaskOutcome,
        turn: int | None,
    ) -> int:
        if turn is None:
            (last,) = self._connection.execute("SELECT max(turn) FROM tasks").fetchone()
            turn = 1 + (last or 0)
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
            "planned": now,
            "turn": turn,
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
                "INSERT INTO per_query (figure, content, digest) VALUES (?, ?, ?)",
                (number, content, digest_content("per_query", number, content)),
            )

    def _insert_kept(self, task: int, what: KeptName, content: bytes) -> None:
        packed = zlib.compress(content)
        number = self._execute(
            "INSERT INTO kept (task, what, size, digest, content) VALUES (?, ?, ?, '', ?)",
            (task, what, len(content), packed),
        )
        digest = digest_content("kept", number, packed)
        self._execute("UPDATE kept SET digest = ? WHERE number = ?", (digest, number))

    def _find_or_insert(self, table: str, column: str, content: str) -> int:
        """The number of a row that many tasks share, added where it is new."""
        statement = f"SELECT number FROM {table} WHERE {column} = ?"
        found = self._connection.execute(statement, (content,)).fetchone()
        if found:
            return int(found[0])
        number = self._execute(f"INSERT INTO {table} ({column}) VALUES (?)", (content,))
        digest = digest_content(table, number, content)
        self._execute(f"UPDATE {table} SET digest = ? WHERE number = ?", (digest, number))
        return number

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
