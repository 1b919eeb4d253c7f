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
from rankwise.results.store.integrity import TaskRow, VerifiedRows
from rankwise.results.store.stored_tasks import choose_done, list_current
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


def list_values(rows: VerifiedRows, part: Part, keys: Collection[str] | None) -> list[TaskValue]:
    """The values of the tasks that are done, of the given keys or of all that count."""
    tasks = _find_done(rows, keys)
    figures = rows.figures(tasks)
    return [
        TaskValue(task.number, name, part, tool, result_name(measure), mean)
        for task in tasks
        for name in [task.name]
        for _, of_part, tool, measure, mean, _ in figures[task.number]
        if of_part == part
    ]


def read_query_values(
    rows: VerifiedRows, measure: str, tool: str, part: Part
) -> dict[TaskName, QueryValues]:
    """The queries and values of one measure under one tool, by task."""
    wanted = (part, tool, result_name(measure))
    tasks = _find_done(rows)
    figures = rows.figures(tasks)
    found = {}
    for task in tasks:
        for number, *this, spelling, _, queries in figures[task.number]:
            if queries is not None and (*this, result_name(spelling)) == wanted:
                content = rows.shared("per_query", number)
                ids = json.loads(rows.shared("queries", queries))
                found[task.name] = QueryValues(ids, np.frombuffer(content, dtype="<f8"))
    if not found:
        raise RankwiseError(
            f"{rows.path} holds no values per query of {measure} by the tool {tool}"
        )
    return found


def list_query_measures(rows: VerifiedRows, tool: str, part: Part) -> list[str]:
    """The measures under one tool that have values per query, in the order of the plan."""
    tasks = _find_done(rows)
    figures = rows.figures(tasks)
    return list(
        dict.fromkeys(
            result_name(measure)
            for task in tasks
            for _, of_part, by, measure, _, queries in figures[task.number]
            if queries is not None and (of_part, by) == (part, tool)
        )
    )


def _find_done(rows: VerifiedRows, keys: Collection[str] | None = None) -> list[TaskRow]:
    """The tasks that are done, of the given keys or of all that count, as plans order them."""
    return _sort_by_turn(choose_done(rows.tasks(), keys))


def _sort_by_turn(tasks: Iterable[TaskRow]) -> list[TaskRow]:
    return sorted(tasks, key=lambda row: (row.turn, row.number))


def list_changes(
    before: Sequence[TaskValue], after: Sequence[TaskValue], tolerance: float
) -> list[ValueChange]:
    """The values that differ by more than `tolerance`, in the order they have before."""
    if not tolerance >= 0.0:
        raise RankwiseError(f"the tolerance must be a number from 0, found {tolerance}")
    old, new = _index_values(before), _index_values(after)
    changes = []
    for cell in dict.fromkeys([*old, *new]):
        first, second = old.get(cell), new.get(cell)
        if first is None or second is None or abs(first - second) > tolerance:
            changes.append(ValueChange._make((*cell, first, second)))
    return changes


def _index_values(values: Sequence[TaskValue]) -> dict[tuple[Any, ...], float]:
    return {
        (one.name.collection, one.name.dataset, one.name.version, one.name.fold,
         one.name.method, one.name.seed, one.measure, one.tool): one.value
        for one in values
    }  # fmt: skip


def make_table(values: Sequence[TaskValue], *, all_tools: bool = False) -> ResultTable:
    """Values of tasks as a table of results; see `Store.table`."""
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
    """Names that a table can hold; stores hold any."""
    return replace(
        name,
        collection=escape_unprintable(name.collection),
        dataset=escape_unprintable(name.dataset),
        version=None if name.version is None else escape_unprintable(name.version),
        method=escape_unprintable(name.method),
    )


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


def find_subject(path: Path, names: Iterable[TaskName], name: str | None) -> tuple[Subject, str]:
    """The data set that is called `name`, or the only one of the tasks, and its own tool."""
    tools = {Subject.of(task): task.tool for task in names}
    if name is None and len(tools) == 1:
        return next(iter(tools.items()))
    meant = [subject for subject in tools if name in list_subject_forms(subject)]
    if len(meant) != 1:
        there = ", ".join(name_subjects(tools).values()) or "none"
        found = "none named" if name is None else repr(name)
        raise RankwiseError(
            f"systems are compared on one data set of {path} ({there}), found {found}",
            Advice("name it with {}", "dataset"),
        )
    return meant[0], tools[meant[0]]


def find_homes(
    rows: VerifiedRows, subject: Subject, queries: Mapping[int, Iterable[str]]
) -> dict[_QueryKey, _QueryKey]:
    """The fold and id of every query, and where the same query stood first."""
    tests: dict[int, str] = {}
    for task in list_current(rows):
        if task.subject == subject and task.fold not in tests:
            files = json.loads(rows.origin(task)[0]).get("data")
            test = files.get("test") if isinstance(files, dict) else None
            tests[task.fold] = str(test or task.fold)
    shared = subject.dataset.endswith(SHARED_QUERIES)
    first: dict[tuple[str, str], int] = {}
    return {
        (fold, query): (first.setdefault(("" if shared else tests[fold], query), fold), query)
        for fold in sorted(queries)
        for query in queries[fold]
    }


def pair_methods(
    rows: VerifiedRows,
    measure: str,
    tool: str,
    subject: Subject,
    methods: Collection[str],
    rule: Rule,
) -> PairedSystems:
    """Test values of every method over the queries of the folds that count, in one order."""
    found = {
        name: row
        for name, row in read_query_values(rows, measure, tool, "test").items()
        if Subject.of(name) == subject and (not methods or name.method in methods)
    }
    there: dict[int, dict[str, None]] = {}
    for name, (ids, _) in found.items():
        there.setdefault(name.fold, {}).update(dict.fromkeys(ids))
    homes = find_homes(rows, subject, there)
    kept = find_comparable(found, rule)
    cells: _CellsByMethod = {}
    for name, (ids, values) in found.items():
        if kept.includes(name.method, name.fold):
            own = cells.setdefault(name.method, {})
            for query, value in zip(ids, values.tolist(), strict=True):
                own.setdefault(homes[name.fold, query], []).append(value)
    if not cells:
        raise RankwiseError(
            f"{rows.path} holds no values of {measure} by the tool {tool} on {subject.dataset}"
            + (" with all folds and seeds" if found else "")
        )
    order = list(next(iter(cells.values())))
    _check_same_queries(rows.path, cells, order)
    values_of = {
        method: np.array([float(np.mean(own[query])) for query in order])
        for method, own in cells.items()
    }
    sizes = tuple(Counter(fold for fold, _ in order).values())
    said = kept.describe(subject.dataset)
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


def list_kept(rows: VerifiedRows, tasks: Iterable[TaskRow]) -> list[KeptItem]:
    """What is kept of the tasks, in the order in which they were asked for.

    Which of two tasks ended first is chance.
    """
    ordered = _sort_by_turn(tasks)
    found = rows.kept(ordered)
    return [
        KeptItem(row.key, row.name, cast(KeptName, what), size)
        for row in ordered
        for _, what, size, _ in found[row.number]
    ]


def read_kept(rows: VerifiedRows, key: str, what: KeptName) -> bytes:
    """A kept model, or kept scores, as `TaskOutcome` has them."""
    tasks = [row for row in rows.tasks() if row.key == key]
    if not tasks:
        raise RankwiseError(f"{rows.path} has no task of the key {key[:80]!r}")
    there = {item[1]: item for item in rows.kept(tasks)[tasks[0].number]}
    if what not in there:
        found = " and ".join(there) or "nothing"
        raise RankwiseError(
            f"{rows.path} must keep the {what} of {tasks[0].name}, found {found} of it",
            Advice("run the same experiment with {}", "keep",
                   "models" if what == "model" else "scores"),
        )  # fmt: skip
    number, _, size, _ = there[what]
    return _unpack(rows.path, rows.shared("kept", number), size, what)


def _unpack(path: Path, packed: bytes, size: int, what: str) -> bytes:
    """What was packed; no more than its size, as stores come from anywhere."""
    if not 0 <= size <= MOST_ARTIFACT_BYTES:
        raise DamagedStore(path, f"a kept {what} of {size} bytes", removable=False)
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, size + 1)
    except zlib.error as error:
        raise DamagedStore(path, f"a kept {what} cannot be unpacked ({error})") from error
    if len(content) != size:
        raise DamagedStore(path, f"a kept {what} is not {size} bytes long")
    return content
