"""The values of a store: of tasks, of queries, and as a table of results."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.measures.names import result_name
from rankwise.results.store_records import Part, QueryValues, TaskName, TaskValue, ValueChange
from rankwise.results.store_tasks import CURRENT, TaskReading
from rankwise.results.table import ResultTable


class ValueReading(TaskReading):
    """What a store tells of the values of its done tasks."""

    def values(
        self, *, part: Part = "test", keys: Collection[str] | None = None
    ) -> list[TaskValue]:
        """The values of the tasks that are done, of the given keys or of all that count."""
        names = ", ".join(f"t.{column}" for column in TaskName.__dataclass_fields__)
        rows = self._select(
            f"SELECT t.key, t.number, f.tool, f.measure, f.mean, {names} FROM figures AS f "
            "JOIN tasks AS t ON t.number = f.task WHERE t.ending = 'done' AND f.part = ? "
            + ("" if keys is not None else f"AND t.number IN ({CURRENT}) ")
            + "ORDER BY t.planned, t.number, f.number",
            (part,),
        )
        wanted = None if keys is None else set(keys)
        return [
            TaskValue(number, TaskName(*name), part, tool, result_name(measure), value)
            for key, number, tool, measure, value, *name in rows
            if wanted is None or key in wanted
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
        names = ", ".join(f"t.{column}" for column in TaskName.__dataclass_fields__)
        with self.snapshot():
            spellings = self._find_spellings(measure)
            marks = ", ".join("?" * len(spellings))
            rows = self._select(
                f"SELECT q.ids, p.content, {names} FROM figures AS f "
                "JOIN tasks AS t ON t.number = f.task JOIN per_query AS p ON p.figure = f.number "
                "JOIN queries AS q ON q.number = f.queries "
                f"WHERE t.ending = 'done' AND f.part = ? AND f.tool = ? AND f.measure IN ({marks}) "
                f"AND t.number IN ({CURRENT}) ORDER BY t.planned, t.number",
                (part, tool, *spellings),
            )
        if not rows:
            raise RankwiseError(
                f"{self.path} holds no values per query of {measure} by the tool {tool}"
            )
        return {
            TaskName(*name): QueryValues(json.loads(ids), np.frombuffer(content, dtype="<f8"))
            for ids, content, *name in rows
        }

    def _find_spellings(self, measure: str) -> list[str]:
        """The names under which the store holds a measure."""
        wanted = result_name(measure)
        there = self._select("SELECT DISTINCT measure FROM figures")
        return [name for (name,) in there if result_name(name) == wanted]

    def difference(self, other: ValueReading, tolerance: float = 0.0) -> list[ValueChange]:
        """The test values in which `other` differs by more than `tolerance`, in the order here."""
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
        name = one.name
        if not all_tools and one.tool != name.tool:
            continue
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


def _index_values(values: Sequence[TaskValue]) -> dict[tuple[Any, ...], float]:
    return {
        (one.name.collection, one.name.dataset, one.name.version, one.name.fold,
         one.name.method, one.name.seed, one.measure, one.tool): one.value
        for one in values
    }  # fmt: skip
