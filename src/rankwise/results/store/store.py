"""The store of experiments: one object for everything that is kept of tasks, in one file.

It is written to as tasks end and plans ask for tasks, and cleared of what is no longer needed.
Functions below it answer what people ask: values of some measures, one task in full, whether the
store is whole.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.measures.measure import result_name
from rankwise.results.result_files import write_results
from rankwise.results.result_table import ResultTable
from rankwise.results.store.database_file import DamagedStore, explain_errors
from rankwise.results.store.database_file import is_store as is_store
from rankwise.results.store.integrity import Damage, DamageReading, StoreVerification
from rankwise.results.store.schema import (
    change_total,
    digest_content,
    digest_data,
    digest_generation,
    dump_canonical,
    replace_codes,
    seal_row,
    seal_task,
    write_total,
)
from rankwise.results.store.stored_values import KeptReading, SystemReading
from rankwise.results.task_records import (
    KeptName,
    Part,
    StoredTask,
    StoredValue,
    Subject,
    TaskName,
    TaskOutcome,
    TaskValue,
    name_subjects,
)
from rankwise.tables.notebook import Rows, SmallBar, Tabular, data_frame

if TYPE_CHECKING:
    import pandas


_NAME_COLUMNS = ("collection", "dataset", "version", "fold", "method", "ranker", "seed", "tool")


class Writing(DamageReading):
    """What a store that is open for writing can do; each method is one transaction."""

    def claim(self, names: Mapping[str, TaskName]) -> dict[str, int]:
        """Let a plan have its tasks that were run before: its names, and that it asked last.

        Returns by key the turn of each task, for `add`: one after the other, so that the store
        knows the order of the plan, whichever task ends first. Turns are counted from those of the
        tasks that are there, since clocks may be set back.
        """
        columns = ", ".join(f"{column} = ?" for column in (*_NAME_COLUMNS, "turn"))
        with self._transaction():
            known = {row.key: row for row in self._read_rows()}
            first = 1 + max((row.turn for row in known.values()), default=0)
            turns = {key: first + place for place, key in enumerate(names)}
            claimed = [key for key in names if key in known]
            self._connection.executemany(
                f"UPDATE tasks SET {columns} WHERE number = ?",
                [(*_list_name_cells(names[key]), turns[key], known[key].number) for key in claimed],
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
        environment = dump_canonical(outcome.environment)
        row = {
            "key": key,
            **dict(zip(_NAME_COLUMNS, _list_name_cells(name), strict=True)),
            "inputs": dump_canonical(inputs),
            "generation": digest_generation(inputs),
            "data": digest_data(inputs),
            "ending": outcome.ending,
            "kind": outcome.kind,
            "reason": _replace_codes(outcome.reason),
            "parameters": dump_canonical(outcome.parameters),
            "facts": dump_canonical(outcome.facts),
            "seconds": outcome.seconds,
            "cpu_seconds": outcome.cpu_seconds,
            "peak_bytes": outcome.peak_bytes,
            "finished": datetime.now(UTC).isoformat(timespec="microseconds"),
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
                 _replace_codes(one.reason))
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


def _list_name_cells(name: TaskName) -> tuple[Any, ...]:
    cells = (getattr(name, column) for column in _NAME_COLUMNS)
    return tuple(_replace_codes(cell) if isinstance(cell, str) else cell for cell in cells)


def _replace_codes(text: str | None) -> str | None:
    return None if text is None else replace_codes(text)


class Store(Writing, SystemReading, KeptReading, Tabular):
    """The tasks of experiments, their values and what they come from, in one SQLite file.

    `Store.open(path)` reads and writes, `Store.read(path)` only reads; both are closed by the end
    of their `with` block:

        with Store.read("results.sqlite") as store:
            print(store.table())

    This is what a store guarantees, and what engines, runners and commands rely on.

    **What is atomic.** Each method that writes (`add`, `claim`, `remove`) is one transaction. A
    task is there with its values, those of its queries, what tuning tried and the model and scores
    that were kept of it, or it is not there.
    A task that is added under a key that is known takes the place of the other as a whole.

    **Who may write.** One `Store.open` at a time, among all processes of the machine and under
    every link to the file: a second one is refused at once with a sentence, and never waits. A
    file of several names (hard links) is not written at all, as SQLite logs beside each. The
    right to write ends with its process, however that ends. Any number of processes may read
    meanwhile. An object belongs to the thread that opened it; workers get none, but send their
    outcomes to the process that writes. The folder must be on a disk that SQLite can lock, which
    not every network disk is.

    **What a reader sees.** Each reading method answers from one moment: all tasks whose `add` had
    returned by then, and nothing of later ones. Reading never waits for a writer, nor a writer for
    readers. Several answers from the same moment need `with store.snapshot():`.

    **What survives.** Every task whose `add` has returned survives the end of the process, by
    `kill -9` too. A crash of the whole machine may take the last tasks with it, never a part of
    one and never the file. A disk that is full or a file that may not be written raises a
    RankwiseError and leaves what was stored before. The last tasks may stand in the file
    `NAME-wal` beside the store until it is closed: whoever copies a store that is being written
    copies both.

    **Which tasks count.** A store keeps whatever was run. Reading methods answer by what was asked
    for last: of a method on a data set the tasks of its last code, parameters and measures; of a
    fold those on its last data. Other tasks are superseded; `collect_garbage` removes them. What
    was last is counted (`claim` gives turns), whatever the clock shows.

    **What is checked.** Every row has a digest, and the store their number. What is read is
    compared with it first: a store of which anything that counts is damaged or missing raises a
    DamagedStore, and no value of it is given out. `verify` names all that is damaged, and
    `remove_damaged` removes it. Digests tell accidents, not forgers.

    **Versions.** The file says which version of the layout it has. Another version than this one
    and a database of somebody else are refused, unchanged. Values are kept as the 64 bits they
    are; keys, parameters and names as JSON that any program can read.
    """

    def export(self, path: str | Path, *, all_tools: bool = False) -> ResultTable:
        """Write `table` into a file, in the format that its ending names, and return it."""
        table = self.table(all_tools=all_tools)
        write_results(table, path)
        return table

    def to_frame(self, part: Part = "test") -> pandas.DataFrame:
        """The values of all tasks that count as a pandas frame, one a row."""
        return data_frame(*self._list_values(part))

    def __repr__(self) -> str:
        if self._closed:
            return f"Store({str(self.path)!r}, closed)"
        tasks = self.tasks()
        failed = sum(task.ending == "failed" for task in tasks)
        mode = "" if self.writable else ", reading"
        return f"Store({str(self.path)!r}, {len(tasks) - failed} done, {failed} failed{mode})"

    def _table(self) -> Rows:
        return self._list_values("test")

    def _shown(self) -> Rows:
        """How the tasks of each method on each data set ended, and the mean of a measure."""
        if self._closed:
            return (), ()
        counts: dict[tuple[Subject, str], list[int]] = {}
        for task in self.tasks():
            cell = counts.setdefault((Subject.of(task.name), task.name.method), [0, 0])
            cell[task.ending == "failed"] += 1
        names = name_subjects(subject for subject, _ in counts)
        measure, means = self._average_first()
        largest = max((abs(mean) for mean in means.values()), default=0.0)
        rows = [
            (names[key[0]], key[1], *cell, means.get(key), SmallBar(means.get(key, 0.0), largest))
            for key, cell in counts.items()
        ]
        return ("data set", "method", "done", "failed", measure, ""), rows

    def _average_first(self) -> tuple[str, dict[tuple[Subject, str], float]]:
        """The first measure, and its mean over the tasks of each method by its own tool."""
        found: dict[tuple[Subject, str], list[float]] = {}
        measure = ""
        for one in self.values():
            measure = measure or one.measure
            if one.measure == measure and one.tool == one.name.tool:
                found.setdefault((Subject.of(one.name), one.name.method), []).append(one.value)
        return measure, {key: sum(own) / len(own) for key, own in found.items()}

    def _list_values(self, part: Part) -> Rows:
        columns = [one.name for one in fields(TaskName) if one.name != "tool"]
        rows = [
            (*(getattr(one.name, column) for column in columns), one.measure, one.tool, one.value)
            for one in self.values(part=part)
        ]
        return (*columns, "measure", "tool", "value"), rows


def choose_measures(values: Sequence[TaskValue], measures: Sequence[str]) -> list[TaskValue]:
    """Values of the measures asked for, in that order; all where none is."""
    there = list(dict.fromkeys(value.measure for value in values))
    asked = [result_name(measure) for measure in measures]
    for measure in asked:
        if measure not in there:
            raise RankwiseError(f"the store has no {measure}; it has {', '.join(there)}")
    return [value for measure in asked or there for value in values if value.measure == measure]


def verify_store(path: str | Path) -> StoreVerification:
    """What a store holds, and all of it that is not what was written.

    A file that is no store of this version at all is refused, as by `Store.read`.
    """
    try:
        with Store.read(path) as store:
            return store.verify()
    except DamagedStore as error:
        damage = Damage(None, None, f"the file: {error.what}")
        return StoreVerification(str(path), 0, 0, 0, (damage,))


def find_task(store: Store, beginning: str) -> StoredTask:
    """The task whose key begins so."""
    found = [task for task in store.tasks(superseded=True) if task.key.startswith(beginning)]
    if len(found) != 1:
        raise RankwiseError(
            f"{len(found)} tasks of {store.path} have a key that begins {beginning!r}"
        )
    return found[0]


def describe_task(store: Store, beginning: str) -> dict[str, Any]:
    """Everything that a store has of the task whose key begins so, as plain values.

    Of what is kept these are the names and sizes.
    """
    task = find_task(store, beginning)
    values = [
        *store.values(part="test", keys=[task.key]),
        *store.values(part="validation", keys=[task.key]),
    ]
    return {
        **asdict(task),
        **store.origin(task.number),
        "figures": [[value.part, value.tool, value.measure, value.value] for value in values],
        "tried": [asdict(one) for one in store.tried(task.number)],
        "kept": store.kept_of(task.key),
        "environment": store.environment(task.number),
    }
