"""The values of a store: of tasks, of queries, as a table of results, and as systems to compare.

Methods are systems to test against each other by their values query by query. Models and scores
are kept of a task where an experiment asked for them.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import Advice, RankwiseError
from rankwise.measures.measure import result_name
from rankwise.results.comparability import Rule, find_comparable
from rankwise.results.result_table import ResultTable
from rankwise.results.result_validation import escape_unprintable
from rankwise.results.store.database_file import DamagedStore
from rankwise.results.store.stored_tasks import TaskReading, TaskRow, find_current
from rankwise.results.task_records import (
    SHARED_QUERIES,
    KeptItem,
    KeptName,
    Part,
    QueryValues,
    Subject,
    TaskName,
    TaskValue,
    ValueChange,
    list_subject_forms,
    name_subjects,
)

Values = NDArray[np.float64]


class ValueReading(TaskReading):
    """What a store tells of the values of its done tasks."""

    def values(
        self, *, part: Part = "test", keys: Collection[str] | None = None
    ) -> list[TaskValue]:
        """The values of the tasks that are done, of the given keys or of all that count."""
        with self.snapshot():
            tasks = self._find_done(keys)
            figures = self._read_figures(tasks)
        return [
            TaskValue(task.number, name, part, tool, result_name(measure), mean)
            for task in tasks
            for name in [task.name]
            for _, of_part, tool, measure, mean, _ in figures[task.number]
            if of_part == part
        ]

    def table(self, *, all_tools: bool = False) -> ResultTable:
        """The values on test as a table of results, one row a fold, seeds averaged.

        Where several tools evaluated a data set, its own tool's values are taken; `all_tools`
        takes every tool's, which `tool` then tells apart.
        """
        return make_table(self.values(), all_tools=all_tools)

    def per_query(
        self, measure: str, tool: str, *, part: Part = "test"
    ) -> dict[TaskName, QueryValues]:
        """The queries and values of one measure under one tool, by task."""
        wanted = (part, tool, result_name(measure))
        found = {}
        with self.snapshot():
            tasks = self._find_done()
            figures = self._read_figures(tasks)
            for task in tasks:
                for number, *this, spelling, _, queries in figures[task.number]:
                    if queries is not None and (*this, result_name(spelling)) == wanted:
                        found[task.name] = QueryValues(*self._read_queries(number, queries))
        if not found:
            raise RankwiseError(
                f"{self.path} holds no values per query of {measure} by the tool {tool}"
            )
        return found

    def query_measures(self, tool: str, *, part: Part = "test") -> list[str]:
        """The measures under one tool that have values per query, in the order of the plan."""
        with self.snapshot():
            tasks = self._find_done()
            figures = self._read_figures(tasks)
        rows = (row for task in tasks for row in figures[task.number])
        return list(
            dict.fromkeys(
                result_name(measure)
                for _, of_part, by, measure, _, queries in rows
                if queries is not None and (of_part, by) == (part, tool)
            )
        )

    def _read_queries(self, figure: int, queries: int) -> tuple[list[str], Values]:
        content = self._read_shared("per_query", figure)
        ids = json.loads(self._read_shared("queries", queries))
        return ids, np.frombuffer(content, dtype="<f8")

    def _find_done(self, keys: Collection[str] | None = None) -> list[TaskRow]:
        """The tasks that are done, of the given keys or of all that count, as plans order them."""
        rows = self._read_rows()
        if keys is None:
            current = find_current(rows)
            rows = [row for row in rows if row.number in current]
        else:
            wanted = set(keys)
            rows = [row for row in rows if row.key in wanted]
        done = (row for row in rows if row.ending == "done")
        return sorted(done, key=lambda row: (row.turn, row.number))

    def difference(self, other: ValueReading, tolerance: float = 0.0) -> list[ValueChange]:
        """The test values in which `other` differs by more than `tolerance`, in the order here."""
        if not tolerance >= 0.0:
            raise RankwiseError(f"the tolerance must be a number from 0, found {tolerance}")
        before, after = _index_values(self.values()), _index_values(other.values())
        found = []
        for cell in dict.fromkeys([*before, *after]):
            first, second = before.get(cell), after.get(cell)
            if first is None or second is None or abs(first - second) > tolerance:
                found.append(ValueChange._make((*cell, first, second)))
        return found


def make_table(values: Sequence[TaskValue], *, all_tools: bool = False) -> ResultTable:
    """Values of tasks as a table of results; see `ValueReading.table`."""
    cells: dict[tuple[Any, ...], dict[int, float]] = {}
    for one in values:
        if not all_tools and one.tool != one.name.tool:
            continue
        name = escape_names(one.name)
        cell = (name.collection, name.dataset, name.version, str(name.fold), name.method,
                one.measure, one.tool)  # fmt: skip
        cells.setdefault(cell, {})[name.seed] = one.value
    columns = list(zip(*cells, strict=True)) if cells else [()] * 7
    several = [f"mean of {len(seeds)} seeds" if len(seeds) > 1 else None for seeds in
               cells.values()]  # fmt: skip
    return ResultTable.from_columns(
        collection=columns[0],
        dataset=columns[1],
        method=columns[4],
        measure=columns[5],
        value=[float(np.mean(list(seeds.values()))) for seeds in cells.values()],
        version=columns[2],
        fold=columns[3],
        tool=columns[6],
        source=["rankwise bench"] * len(cells),
        note=several,
        seeds=[frozenset(seeds) for seeds in cells.values()],
    )


@lru_cache(maxsize=1 << 12)
def escape_names(name: TaskName) -> TaskName:
    """Names that a table can hold; files of an earlier version may have brought in others."""
    return replace(
        name,
        collection=escape_unprintable(name.collection),
        dataset=escape_unprintable(name.dataset),
        version=None if name.version is None else escape_unprintable(name.version),
        method=escape_unprintable(name.method),
    )


def _index_values(values: Sequence[TaskValue]) -> dict[tuple[Any, ...], float]:
    return {
        (one.name.collection, one.name.dataset, one.name.version, one.name.fold,
         one.name.method, one.name.seed, one.measure, one.tool): one.value
        for one in values
    }  # fmt: skip


_QueryKey = tuple[int, str]
_CellsByMethod = dict[str, dict[_QueryKey, list[float]]]


class PairedSystems(NamedTuple):
    """Values per query that can be compared, by method, and sentences about what cannot.

    `fold_sizes` are the numbers of queries of the folds that count, `queries` the fold and the id
    of each.
    """

    values: dict[str, Values]
    lacking: Mapping[str, str]
    sentences: list[str]
    fold_sizes: tuple[int, ...] = ()
    queries: tuple[tuple[int, str], ...] = ()


class SystemReading(ValueReading):
    """What a store tells of its methods as systems."""

    def find_subject(self, name: str | None = None) -> tuple[Subject, str]:
        """The data set that is called `name`, or the only one of the store, and its own tool.

        A name is that of the data set, with `/VERSION` where the store holds it in several, and
        with `COLLECTION/` before it where that is not enough; longer names than needed will do.
        """
        tools = {Subject.of(task.name): task.name.tool for task in self.tasks()}
        if name is None and len(tools) == 1:
            return next(iter(tools.items()))
        meant = [subject for subject in tools if name in list_subject_forms(subject)]
        if len(meant) != 1:
            there = ", ".join(name_subjects(tools).values()) or "none"
            found = "none named" if name is None else repr(name)
            raise RankwiseError(
                f"systems are compared on one data set of {self.path} ({there}), found {found}",
                Advice("name it with {}", "dataset"),
            )
        return meant[0], tools[meant[0]]

    def methods(self, subject: Subject) -> list[str]:
        """The methods that were run on a data set."""
        own = (task.name.method for task in self.tasks() if Subject.of(task.name) == subject)
        return list(dict.fromkeys(own))

    def find_homes(
        self, subject: Subject, queries: Mapping[int, Iterable[str]]
    ) -> dict[_QueryKey, _QueryKey]:
        """The fold and id of every query, and where the same query stood first.

        Folds of one test file are the same queries; of a data set whose folds share queries those
        of equal ids are.
        """
        tests: dict[int, str] = {}
        for task in self.tasks():
            if Subject.of(task.name) == subject and task.name.fold not in tests:
                files = self.origin(task.number)["inputs"].get("data")
                test = files.get("test") if isinstance(files, dict) else None
                tests[task.name.fold] = str(test or task.name.fold)
        shared = subject.dataset.endswith(SHARED_QUERIES)
        first: dict[tuple[str, str], int] = {}
        return {
            (fold, query): (first.setdefault(("" if shared else tests[fold], query), fold), query)
            for fold in sorted(queries)
            for query in queries[fold]
        }

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
            found = {
                name: row
                for name, row in self.per_query(measure, tool).items()
                if Subject.of(name) == wanted and (not methods or name.method in methods)
            }
            there: dict[int, dict[str, None]] = {}
            for name, (ids, _) in found.items():
                there.setdefault(name.fold, {}).update(dict.fromkeys(ids))
            homes = self.find_homes(wanted, there)
        kept = find_comparable(found, rule)
        cells: _CellsByMethod = {}
        for name, (ids, values) in found.items():
            if kept.includes(name.method, name.fold):
                own = cells.setdefault(name.method, {})
                for query, value in zip(ids, values.tolist(), strict=True):
                    own.setdefault(homes[name.fold, query], []).append(value)
        if not cells:
            raise RankwiseError(
                f"{self.path} holds no values of {measure} by the tool {tool} on {wanted.dataset}"
                + (" with all folds and seeds" if found else "")
            )
        order = list(next(iter(cells.values())))
        _check_same_queries(self.path, cells, order)
        values_of = {
            method: np.array([float(np.mean(own[query])) for query in order])
            for method, own in cells.items()
        }
        sizes = tuple(Counter(fold for fold, _ in order).values())
        said = kept.describe(wanted.dataset)
        copies = sum(key != home and key[0] in kept.folds for key, home in homes.items())
        said += describe_copies(copies, copies + len(order))
        return PairedSystems(values_of, kept.lacking, said, sizes, tuple(order))


def describe_copies(copies: int, queries: int) -> list[str]:
    """That queries come back in several folds, where they do."""
    if not copies:
        return []
    return [
        f"{copies} of {queries} queries were tested in an earlier fold too: each query counts "
        "once, with the mean of its values"
    ]


def _check_same_queries(
    path: Path, cells: _CellsByMethod, order: Sequence[tuple[int, str]]
) -> None:
    first = next(iter(cells))
    for method, own in cells.items():
        if own.keys() != set(order):
            folds = sorted({fold for fold, _ in own.keys() ^ set(order)})
            raise RankwiseError(
                f"methods must be run on the same queries to be compared, but {first} and {method} "
                f"of {path} differ in fold {', '.join(map(str, folds))}; run both on the same data"
            )


MOST_ARTIFACT_BYTES = 1 << 29
"""No model file is read that is larger."""


class KeptReading(TaskReading):
    """What a store tells of kept models and scores."""

    def kept(self, *, superseded: bool = False) -> list[KeptItem]:
        """What is kept of the tasks that count; of `superseded` ones too where asked for.

        In the order in which tasks were asked for: which of two ended first is chance.
        """
        with self.snapshot():
            rows = self._read_rows()
            current = find_current(rows)
            chosen = [row for row in rows if superseded or row.number in current]
            return self._list_kept(chosen)

    def kept_of(self, key: str) -> dict[KeptName, int]:
        """The names and sizes of what is kept of one task."""
        with self.snapshot():
            rows = [row for row in self._read_rows() if row.key == key]
            return {item.what: item.size for item in self._list_kept(rows)}

    def read_kept(self, key: str, what: KeptName) -> bytes:
        """A kept model, or kept scores, as `TaskOutcome` has them."""
        with self.snapshot():
            rows = [row for row in self._read_rows() if row.key == key]
            if not rows:
                raise RankwiseError(f"{self.path} has no task of the key {key[:80]!r}")
            there = {item[1]: item for item in self._read_kept(rows)[rows[0].number]}
            if what not in there:
                raise _explain_absence(self, rows[0], what, list(there))
            number, _, size, _ = there[what]
            packed = self._read_shared("kept", number)
        return self._unpack(packed, size, what)

    def _list_kept(self, rows: Sequence[TaskRow]) -> list[KeptItem]:
        found = self._read_kept(rows)
        return [
            KeptItem(row.key, row.name, cast(KeptName, what), size)
            for row in sorted(rows, key=lambda row: (row.turn, row.number))
            for _, what, size, _ in found[row.number]
        ]

    def _unpack(self, packed: bytes, size: int, what: str) -> bytes:
        """What was packed; no more than its size, as stores come from anywhere."""
        if not 0 <= size <= MOST_ARTIFACT_BYTES:
            raise DamagedStore(self.path, f"a kept {what} of {size} bytes", removable=False)
        unpacking = zlib.decompressobj()
        try:
            content = unpacking.decompress(packed, size + 1)
        except zlib.error as error:
            raise DamagedStore(self.path, f"a kept {what} cannot be unpacked ({error})") from error
        if len(content) != size:
            raise DamagedStore(self.path, f"a kept {what} is not {size} bytes long")
        return content


def _explain_absence(
    store: KeptReading, row: TaskRow, what: str, there: Sequence[str]
) -> RankwiseError:
    found = " and ".join(there) or "nothing"
    asked = "models" if what == "model" else "scores"
    return RankwiseError(
        f"{store.path} must keep the {what} of {row.name}, found {found} of it",
        Advice("run the same experiment with {}", "keep", asked),
    )
