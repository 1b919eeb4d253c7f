"""The store of experiments: one object for everything that is kept of tasks, in one file."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.results.store_connection import is_store as is_store
from rankwise.results.store_kept import KeptReading
from rankwise.results.store_records import Part, Subject, TaskName, name_subjects
from rankwise.results.store_systems import SystemReading
from rankwise.results.store_writing import Writing
from rankwise.results.table import ResultTable
from rankwise.results.writing import write_results
from rankwise.small_figures import SmallBar
from rankwise.tabular import Rows, Tabular, data_frame

if TYPE_CHECKING:
    import pandas


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

    **Versions.** The file says which version of the layout it has. `open` brings an older one to
    this version in one transaction; `read` refuses it and changes nothing. A newer one and a
    database of somebody else are refused by both, unchanged. Values are kept as the 64 bits they
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
