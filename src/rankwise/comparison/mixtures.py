"""Results that cannot be compared are not: other tools' figures, single folds beside means.

What a result rests on is found by `rankwise.results.bases`. In each data set and measure the
results that rest on the same as most methods stay; the others are left out, and said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankwise.results.bases import (
    MEANS,
    SCRIPT,
    UNNAMED,
    Basis,
    Column,
    find_bases,
    group_columns,
    name_tools,
)
from rankwise.results.table import ResultTable
from rankwise.tabular import shortened

_LISTED = 6


@dataclass(frozen=True)
class _Ground:
    """What the results that stay in a column rest on, and whether some of them name no tool."""

    basis: Basis
    unnamed: bool

    def bears(self, other: Basis) -> bool:
        """Whether a result that rests on `other` can be compared here."""
        return other.folds == self.basis.folds and self.has_convention(other)

    def has_convention(self, other: Basis) -> bool:
        """Whether the tools agree; of one that is not named nothing else is known."""
        return other.convention in (self.basis.convention, UNNAMED) or (
            self.basis.convention == UNNAMED
        )


def keep_alike(table: ResultTable, reference: ResultTable | None = None) -> ResultTable:
    """The results that can be compared; remarks of the returned table say what was left out.

    Where `reference` has results of the same data set and measure, these decide what the results
    must rest on; otherwise most methods of `table` do, and among equals the published figures.
    """
    bases = find_bases(table)
    columns = group_columns(table)
    grounds = {} if reference is None else find_grounds(reference)
    grounds = {**find_grounds(table, bases), **grounds}
    kept = np.ones(len(table), dtype=bool)
    for place, rows in columns.items():
        kept[rows] = [grounds[place].bears(bases[row]) for row in rows]
    said = [*_describe_left_out(table, bases, grounds, np.flatnonzero(~kept).tolist())]
    said += _describe_unnamed(table, bases, grounds)
    return replace(table.take(kept), remarks=tuple(dict.fromkeys((*table.remarks, *said))))


def find_grounds(
    table: ResultTable, bases: Sequence[Basis] | None = None
) -> dict[Column, _Ground]:
    """By column what most of its methods rest on."""
    known = find_bases(table) if bases is None else bases
    found = {}
    for place, rows in group_columns(table).items():
        methods: dict[Basis, set[str]] = defaultdict(set)
        for row in rows:
            methods[known[row]].add(table.method[row])
        most = max(methods, key=lambda basis: (len(methods[basis]), _rank(basis)))
        unnamed = any(basis.convention == UNNAMED for basis in methods)
        found[place] = _Ground(most, unnamed)
    return found


def _rank(basis: Basis) -> tuple[bool, bool, bool]:
    """Published figures come before others, named tools before unnamed ones, means before folds."""
    return basis.convention == SCRIPT, basis.convention != UNNAMED, basis.folds == MEANS


def _describe_left_out(
    table: ResultTable, bases: Sequence[Basis], grounds: dict[Column, _Ground], rows: Sequence[int]
) -> list[str]:
    """A sentence for each data set and way in which results differ from those that stay."""
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for row in rows:
        place = table.dataset_names[row], table.measure[row]
        why, advice = _differ(bases[row], grounds[place], table, row)
        groups[place[0], why, advice].append(row)
    return [
        f"left out: {_some(table.measure[own])} of {_some(table.method[own])} on "
        f"{shortened(dataset, 60)}: {why}; {advice}"
        for (dataset, why, advice), own in groups.items()
    ]


def _differ(own: Basis, ground: _Ground, table: ResultTable, row: int) -> tuple[str, str]:
    if not ground.has_convention(own):
        there, advice = ground.basis.tool, f"evaluate by {ground.basis.tool}"
        if ground.basis.convention == SCRIPT:
            named = name_tools(table.collection[row], table.dataset[row])
            there, advice = f"{SCRIPT} ({named})", f"evaluate with --tool {named.split(', ')[-1]}"
        return f"by {own.tool}, the others by {there}", f"{advice}, or see 'rankwise reconcile'"
    return f"of {own.folds}, the others are {ground.basis.folds}", "compare the same folds"


def _describe_unnamed(
    table: ResultTable, bases: Sequence[Basis], grounds: dict[Column, _Ground]
) -> list[str]:
    """A sentence where figures by a named tool stand beside some that name none."""
    mixed: dict[str, set[str]] = defaultdict(set)
    for row, place in enumerate(zip(table.dataset_names, table.measure, strict=True)):
        ground = grounds[place]
        pair = {bases[row].convention, ground.basis.convention}
        if (UNNAMED in pair or ground.unnamed) and pair != {UNNAMED}:
            tool = bases[row].tool if bases[row].tool != UNNAMED else ground.basis.tool
            mixed[place[0]].add(tool)
    return [
        f"on {shortened(dataset, 60)} figures by {_some(sorted(tools))} stand beside figures that "
        "name no tool, and are taken to be by the same"
        for dataset, tools in mixed.items()
    ]


def _some(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - _LISTED} more" if len(distinct) > _LISTED else ""
    return ", ".join(shortened(name, 40) for name in distinct[:_LISTED]) + more
