"""The mean of a method's results over the folds of a data set, where that mean is comparable."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.results.table import ResultTable

_SUBJECT = ("collection", "dataset", "version", "measure", "tool")
_FACT = (*_SUBJECT, "method", "source")
_Groups = dict[tuple[Any, ...], list[int]]


def average_folds(table: ResultTable, partial: bool = False) -> ResultTable:
    """One row per fact, in order of first appearance; see `ResultTable.aggregate_folds`."""
    facts = _rows_by(table, _FACT)
    folded = {key: rows for key, rows in facts.items() if _has_folds(table, rows)}
    if not folded:
        return table
    for rows in folded.values():
        _check_folds(table, rows)
    if not partial:
        _check_same_folds(table, folded)
    return _averaged(table, facts, folded)


def _rows_by(table: ResultTable, names: tuple[str, ...]) -> _Groups:
    groups: _Groups = defaultdict(list)
    columns = (getattr(table, name).tolist() for name in names)
    for row, key in enumerate(zip(*columns, strict=True)):
        groups[key].append(row)
    return groups


def _has_folds(table: ResultTable, rows: list[int]) -> bool:
    return any(table.fold[row] is not None for row in rows)


def _check_folds(table: ResultTable, rows: list[int]) -> None:
    folds = [table.fold[row] for row in rows]
    if None in folds:
        raise RankwiseError(
            f"{_described(table, rows[0])} must have either folds or their mean, found both "
            f"(folds {_listed(set(folds) - {None})} and a row without one); remove one of them"
        )
    twice = next((fold for fold in folds if folds.count(fold) > 1), None)
    if twice is not None:
        values = " and ".join(str(table.value[row]) for row in rows if table.fold[row] == twice)
        raise RankwiseError(
            f"{_described(table, rows[0])} must have one result per fold, found {values} "
            f"for fold {twice}; remove all but one"
        )


def _check_same_folds(table: ResultTable, folded: _Groups) -> None:
    seen: _Groups = {}
    for key, rows in folded.items():
        first = seen.setdefault(key[: len(_SUBJECT)], rows)
        here, there = ({table.fold[row] for row in group} for group in (rows, first))
        if here != there:
            raise RankwiseError(
                f"means over folds are comparable only over the same folds: "
                f"{_described(table, rows[0])} has folds {_listed(here)}, "
                f"{table.method[first[0]]} has {_listed(there)}; add the missing folds or "
                f"leave one of the methods out"
            )


def _averaged(table: ResultTable, facts: _Groups, folded: _Groups) -> ResultTable:
    groups = [
        group
        for key, rows in facts.items()
        for group in ([rows] if key in folded else [[row] for row in rows])
    ]
    firsts = table.take(np.array([group[0] for group in groups], dtype=np.int64))
    return replace(
        firsts,
        value=np.array([np.mean(table.value[group]) for group in groups]),
        fold=np.full(len(groups), None, dtype=object),
        seeds=np.full(len(groups), None, dtype=object),
        note=np.array([_shared_note(table, group) for group in groups], dtype=object),
    )


def _shared_note(table: ResultTable, rows: list[int]) -> str | None:
    notes = {table.note[row] for row in rows}
    return notes.pop() if len(notes) == 1 else None


def _described(table: ResultTable, row: int) -> str:
    return f"{table.measure[row]} of {table.method[row]} on {table.dataset_names[row]}"


def _listed(folds: set[Any]) -> str:
    return ", ".join(sorted(folds))
