"""The values of a store: of tasks, of queries, and as a table of results."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.measures.names import result_name
from rankwise.results.store_records import Part, QueryValues, TaskName, TaskValue, ValueChange
from rankwise.results.store_rows import TaskRow, find_current
from rankwise.results.store_tasks import TaskReading
from rankwise.results.table import ResultTable
from rankwise.results.validation import escape_unprintable

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
