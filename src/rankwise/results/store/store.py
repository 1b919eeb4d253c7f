"""The store of experiments: one object for everything that is kept of tasks, in one file.

Functions below it answer what people ask: values of some measures, one task in full, whether the
store is whole.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.errors import RankwiseError
from rankwise.measures.measure import result_name
from rankwise.results.comparability import Rule
from rankwise.results.result_files import write_results
from rankwise.results.result_table import ResultTable
from rankwise.results.store import stored_tasks, stored_values, task_writing
from rankwise.results.store.database_file import DamagedStore, DatabaseFile
from rankwise.results.store.database_file import is_store as is_store
from rankwise.results.store.integrity import (
    Damage,
    StoreVerification,
    TaskRow,
    VerifiedRows,
    find_damages,
    verify_rows,
)
from rankwise.results.store.schema import change_total, write_total
from rankwise.results.store.stored_values import PairedSystems
from rankwise.results.task_records import (
    KeptItem,
    KeptName,
    Part,
    QueryValues,
    StoredTask,
    Subject,
    TaskChoice,
    TaskName,
    TaskOutcome,
    TaskValue,
    Tried,
    ValueChange,
    name_subjects,
)
from rankwise.tables.notebook import Rows, SmallBar, Tabular, data_frame

if TYPE_CHECKING:
    import pandas


class Store(Tabular):
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

    def __init__(self, file: DatabaseFile) -> None:
        self.path = file.path
        self.writable = file.writable
        self._file = file
        self._rows = VerifiedRows(file)

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """The store at `path` for reading and writing, made where there is none.

        A second writer is refused.
        """
        return cls(DatabaseFile.open(path))

    @classmethod
    def read(cls, path: str | Path) -> Store:
        """The store at `path` for reading only, while others may read and one may write."""
        return cls(DatabaseFile.read(path))

    def close(self) -> None:
        """Release the file, and the right to write it; a second call does nothing."""
        self._file.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def snapshot(self) -> AbstractContextManager[None]:
        """All that is read within the block is of one moment, whatever is added meanwhile."""
        return self._file.snapshot()

    def claim(self, names: Mapping[str, TaskName]) -> dict[str, int]:
        """Let a plan have its tasks that were run before: its names, and that it asked last.

        Returns by key the turn of each task, for `add`: one after the other, so that the store
        knows the order of the plan, whichever task ends first. Turns are counted from those of the
        tasks that are there, since clocks may be set back.
        """
        with self._file.transaction() as connection:
            known = {row.key: row for row in self._rows.tasks()}
            first = 1 + max((row.turn for row in known.values()), default=0)
            turns = {key: first + place for place, key in enumerate(names)}
            claimed = [key for key in names if key in known]
            sealed = [
                task_writing.rename_task(connection, known[key].number, names[key], turns[key])
                for key in claimed
            ]
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
        with self._file.transaction() as connection:
            replaced = task_writing.remove_task(connection, key)
            added = task_writing.write_task(connection, key, name, inputs, outcome, turn)
            self._count(replaced, [added])

    def remove(self, keys: Iterable[str]) -> None:
        """Remove tasks with everything that hangs on them and on nothing else."""
        with self._file.transaction() as connection:
            removed = [task_writing.remove_task(connection, key) for key in keys]
            self._count([digest for digests in removed for digest in digests])
            task_writing.remove_unneeded(connection)

    def remove_damaged(self) -> int:
        """Remove what `damages` finds, so that its tasks can be run again; how many tasks that are.

        Where the file itself is damaged beyond what can be removed, an error says so.
        """
        with self._file.transaction() as connection:
            connection.execute("REINDEX")
            damaged = {damage.task for damage in self.damages(of_file=False)}
            removed = task_writing.remove_damaged_tasks(connection, damaged)
            write_total(connection)
        self._file.give_back_space()
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
        self._file.give_back_space()
        return len(keys)

    def _count(self, removed: Sequence[str], added: Sequence[str] = ()) -> None:
        """Keep the number of tasks and their digests combined, by what is removed and added."""
        try:
            change_total(self._file.connection, removed, added)
        except (TypeError, ValueError) as error:
            raise DamagedStore(self.path, "the number of its tasks cannot be read") from error

    def verify(self) -> StoreVerification:
        """Look at everything: each row against its digest, and the file as SQLite checks it."""
        with self.snapshot():
            return verify_rows(self._file)

    def damages(self, *, of_file: bool = True) -> list[Damage]:
        """What is damaged, task by task; where asked for, also of the file as a whole."""
        with self.snapshot():
            return find_damages(self._file, of_file=of_file)

    def endings(self) -> dict[str, str]:
        """The keys of all tasks in the store, each with `done` or `failed`.

        Their figures are looked at, since nobody should add to a damaged store.
        """
        with self.snapshot():
            tasks = self._rows.tasks()
            self._rows.figures(tasks)
        return {row.key: row.ending for row in tasks}

    def tasks(self, *, superseded: bool = False) -> list[StoredTask]:
        """The tasks that count, in the order they ended; `superseded` ones too where asked for."""
        return [stored_tasks.make_task(row) for row in self._list_rows(superseded=superseded)]

    def failures(self, *, superseded: bool = False) -> list[StoredTask]:
        """Those of `tasks` that failed."""
        return [task for task in self.tasks(superseded=superseded) if task.ending == "failed"]

    def garbage(self, *, failed: bool = False) -> list[str]:
        """Keys of tasks that `collect_garbage` removes: of a name that was run again, and done,
        with other inputs; where asked for, also those that `failed`."""
        return stored_tasks.list_garbage(self._list_rows(superseded=True), failed=failed)

    def explain_left_out(self, subject: Subject | None = None) -> list[str]:
        """Sentences about folds, or seeds of them, that a method has of something else only.

        Of other code, parameters, measures or data than were asked for last: they are no part of
        its values. On one `subject`, or on all.
        """
        return stored_tasks.explain_left_out(self._list_rows(superseded=True), subject)

    def choices(self, keys: Collection[str] | None = None) -> list[TaskChoice]:
        """What chose in the done tasks, of the given keys or of all that count."""
        with self.snapshot():
            return stored_tasks.list_choices(self._rows, keys)

    def remarks(self, subject: Subject | None = None) -> list[str]:
        """What must be said beside the values that count, on one `subject` or on all."""
        chosen = stored_tasks.explain_choices(self.choices(), subject)
        return [*self.explain_left_out(subject), *chosen]

    def tried(self, task: int) -> list[Tried]:
        """What tuning tried in the task of this number."""
        with self.snapshot():
            tried = self._rows.tried([self._rows.task(task)])[task]
        return [Tried(json.loads(row[1]), *row[2:]) for row in tried]

    def trainings(self) -> dict[int, int]:
        """By number of a task, how many combinations tuning tried in it."""
        with self.snapshot():
            tried = self._rows.tried(self._rows.tasks())
        return {task: len(rows) for task, rows in tried.items()}

    def tuned_parameters(self) -> defaultdict[int, list[str]]:
        """By number of a task, the parameters of which tuning tried more than one value."""
        with self.snapshot():
            return stored_tasks.list_tuned_parameters(self._rows)

    def untrained_combinations(self, keys: Collection[str]) -> Counter[tuple[str, str]]:
        """How often tuning had to leave a combination out, by method and reason, in done tasks."""
        with self.snapshot():
            return stored_tasks.count_untrained(self._rows, keys)

    def origin(self, task: int) -> dict[str, Any]:
        """What the values of a task depend on, and what its model says of itself."""
        with self.snapshot():
            inputs, facts = self._rows.origin(self._rows.task(task))
        return {"inputs": json.loads(inputs), "facts": json.loads(facts)}

    def environment(self, task: int) -> dict[str, Any]:
        """Where a task ran: versions, machine, threads."""
        with self.snapshot():
            number = self._rows.task(task).environment
            content = "{}" if number is None else self._rows.shared("environments", number)
        return dict(json.loads(content))

    def typical_seconds(self) -> dict[tuple[str, str], float]:
        """Seconds a combination of the done tasks, by ranker and data set."""
        with self.snapshot():
            return stored_tasks.find_typical_seconds(self._rows)

    def values(
        self, *, part: Part = "test", keys: Collection[str] | None = None
    ) -> list[TaskValue]:
        """The values of the tasks that are done, of the given keys or of all that count."""
        with self.snapshot():
            return stored_values.list_values(self._rows, part, keys)

    def table(self, *, all_tools: bool = False) -> ResultTable:
        """The values on test as a table of results, one row a fold, seeds averaged.

        Where several tools evaluated a data set, its own tool's values are taken; `all_tools`
        takes every tool's, which `tool` then tells apart.
        """
        return stored_values.make_table(self.values(), all_tools=all_tools)

    def per_query(
        self, measure: str, tool: str, *, part: Part = "test"
    ) -> dict[TaskName, QueryValues]:
        """The queries and values of one measure under one tool, by task."""
        with self.snapshot():
            return stored_values.read_query_values(self._rows, measure, tool, part)

    def query_measures(self, tool: str, *, part: Part = "test") -> list[str]:
        """The measures under one tool that have values per query, in the order of the plan."""
        with self.snapshot():
            return stored_values.list_query_measures(self._rows, tool, part)

    def difference(self, other: Store, tolerance: float = 0.0) -> list[ValueChange]:
        """The test values in which `other` differs by more than `tolerance`, in the order here."""
        return stored_values.list_changes(self.values(), other.values(), tolerance)

    def find_subject(self, name: str | None = None) -> tuple[Subject, str]:
        """The data set that is called `name`, or the only one of the store, and its own tool.

        A name is that of the data set, with `/VERSION` where the store holds it in several, and
        with `COLLECTION/` before it where that is not enough; longer names than needed will do.
        """
        return stored_values.find_subject(self.path, (one.name for one in self.tasks()), name)

    def methods(self, subject: Subject) -> list[str]:
        """The methods that were run on a data set."""
        rows = (row for row in self._list_rows(superseded=False) if row.subject == subject)
        return list(dict.fromkeys(row.method for row in rows))

    def find_homes(
        self, subject: Subject, queries: Mapping[int, Iterable[str]]
    ) -> dict[tuple[int, str], tuple[int, str]]:
        """The fold and id of every query, and where the same query stood first.

        Folds of one test file are the same queries; of a data set whose folds share queries those
        of equal ids are.
        """
        with self.snapshot():
            return stored_values.find_homes(self._rows, subject, queries)

    def paired(
        self,
        measure: str,
        tool: str,
        subject: Subject | None = None,
        methods: Collection[str] = (),
        rule: Rule = "most",
    ) -> PairedSystems:
        """Test values of every method over the queries of the folds that count, in one order.

        Of `methods` where any are named, else of all, in the order of the plan. Several seeds
        count with their mean. Which folds count, and which methods are left out, `find_comparable`
        says. Without a `subject` the store must have only one.
        """
        with self.snapshot():
            wanted = subject or self.find_subject()[0]
            return stored_values.pair_methods(self._rows, measure, tool, wanted, methods, rule)

    def kept(self, *, superseded: bool = False) -> list[KeptItem]:
        """What is kept of the tasks that count; of `superseded` ones too where asked for.

        In the order in which tasks were asked for: which of two ended first is chance.
        """
        with self.snapshot():
            return stored_values.list_kept(self._rows, self._list_rows(superseded=superseded))

    def kept_of(self, key: str) -> dict[KeptName, int]:
        """The names and sizes of what is kept of one task."""
        with self.snapshot():
            rows = [row for row in self._rows.tasks() if row.key == key]
            return {item.what: item.size for item in stored_values.list_kept(self._rows, rows)}

    def read_kept(self, key: str, what: KeptName) -> bytes:
        """A kept model, or kept scores, as `TaskOutcome` has them."""
        with self.snapshot():
            return stored_values.read_kept(self._rows, key, what)

    def export(self, path: str | Path, *, all_tools: bool = False) -> ResultTable:
        """Write `table` into a file, in the format that its ending names, and return it."""
        table = self.table(all_tools=all_tools)
        write_results(table, path)
        return table

    def to_frame(self, part: Part = "test") -> pandas.DataFrame:
        """The values of all tasks that count as a pandas frame, one a row."""
        return data_frame(*self._list_values(part))

    def _list_rows(self, *, superseded: bool) -> list[TaskRow]:
        with self.snapshot():
            return self._rows.tasks() if superseded else stored_tasks.list_current(self._rows)

    def __repr__(self) -> str:
        if self._file.closed:
            return f"Store({str(self.path)!r}, closed)"
        tasks = self.tasks()
        failed = sum(task.ending == "failed" for task in tasks)
        mode = "" if self.writable else ", reading"
        return f"Store({str(self.path)!r}, {len(tasks) - failed} done, {failed} failed{mode})"

    def _table(self) -> Rows:
        return self._list_values("test")

    def _shown(self) -> Rows:
        """How the tasks of each method on each data set ended, and the mean of a measure."""
        if self._file.closed:
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
