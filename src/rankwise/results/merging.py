"""Result tables merged into one, with a rule for values that disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import Advice, RankwiseError
from rankwise.results.table import COLUMNS, ResultTable

Conflicts = Literal["error", "first", "last", "mean"]

_FACT = ("dataset_names", "method", "measure", "version", "fold", "tool")
_CELL = ("dataset_names", "method", "measure")


def merge_results(
    tables: Iterable[ResultTable],
    conflicts: Conflicts = "error",
    names: Sequence[str] | None = None,
) -> ResultTable:
    """All rows of `tables`, one per method, data set, measure, version, fold and tool.

    Rows that agree are kept once, the first of them. Where values differ, `error` raises naming
    both values and their sources, `first` and `last` keep one, `mean` averages them and joins
    their sources. `names` are what to call tables whose rows name no source: those of files, say.
    """
    parts = list(tables)
    called = names if names is not None else [f"table {n + 1}" for n in range(len(parts))]
    ends = np.cumsum([len(part) for part in parts])

    def origin(row: int) -> str:
        part = int(np.searchsorted(ends, row, side="right"))
        return f"{called[part]}, row {row - int(ends[part]) + len(parts[part]) + 1}"

    return _resolved(stack_results(parts), _FACT, conflicts, origin)


def stack_results(tables: Sequence[ResultTable]) -> ResultTable:
    """All rows of `tables`, one table after another, with nothing resolved."""
    if not tables:
        return ResultTable.empty()
    columns = {
        name: np.concatenate([getattr(table, name) for table in tables])
        for name in (*COLUMNS, "seeds")
    }
    remarks = dict.fromkeys(remark for table in tables for remark in table.remarks)
    return ResultTable(**columns, remarks=tuple(remarks))


def keep_one_per_cell(table: ResultTable, conflicts: Conflicts = "error") -> ResultTable:
    """At most one row per method, data set and measure, whatever the version, tool or source.

    A comparison needs this. Average the folds first (`ResultTable.aggregate_folds`).
    """
    return _resolved(table, _CELL, conflicts, lambda row: f"row {row + 1}")


def _resolved(
    table: ResultTable, key: tuple[str, ...], conflicts: Conflicts, origin: Callable[[int], str]
) -> ResultTable:
    if conflicts not in get_args(Conflicts):
        raise RankwiseError(
            f"the rule for conflicts must be one of {', '.join(get_args(Conflicts))}, "
            f"found {conflicts!r}"
        )
    groups: dict[tuple[Any, ...], list[int]] = {}
    for row, cells in enumerate(zip(*(getattr(table, n).tolist() for n in key), strict=True)):
        groups.setdefault(cells, []).append(row)
    if len(groups) == len(table):
        return table
    if conflicts == "error":
        _refuse_conflicts(table, groups.values(), origin)
    if conflicts == "mean":
        return _means(table, list(groups.values()))
    chosen = [group[-1 if conflicts == "last" else 0] for group in groups.values()]
    return table.take(np.array(chosen, dtype=np.int64))


def _refuse_conflicts(
    table: ResultTable, groups: Iterable[list[int]], origin: Callable[[int], str]
) -> None:
    values = table.value.tolist()
    differing = [group for group in groups if len({values[row] for row in group}) > 1]
    if not differing:
        return
    first, *_ = group = differing[0]
    other = next(row for row in group if table.value[row] != table.value[first])
    found = " and ".join(
        f"{table.value[row]:g} ({table.source[row] or origin(row)})" for row in (first, other)
    )
    more = f" (and {len(differing) - 1} more such conflicts)" if len(differing) > 1 else ""
    raise RankwiseError(
        f"{table.measure[first]} of {table.method[first]} on {table.dataset_names[first]} must "
        f"have one value, found {found}{more}",
        Advice("remove one"),
        Advice("choose a rule: {}", "conflicts", ("first", "last", "mean")),
    )


def _means(table: ResultTable, groups: list[list[int]]) -> ResultTable:
    firsts = table.take(np.array([group[0] for group in groups], dtype=np.int64))
    return replace(
        firsts,
        value=np.array([table.value[group].mean() for group in groups]),
        source=_joined(table.source, groups),
        seeds=np.full(len(groups), None, dtype=object),
        note=_joined(table.note, groups),
    )


def _joined(column: NDArray[np.object_], groups: list[list[int]]) -> NDArray[np.object_]:
    texts = [" | ".join(dict.fromkeys(t for t in column[group] if t)) or None for group in groups]
    joined = np.empty(len(texts), dtype=object)
    joined[:] = texts
    return joined
