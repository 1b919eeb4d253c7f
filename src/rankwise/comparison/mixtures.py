"""Results that cannot be compared are not: other tools' figures, single folds beside means.

What a result rests on is found by `rankwise.results.bases`. In each data set and measure the
results by the collection's own script stay where there are two, else those that rest on the same as
most methods; the others are left out, and said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankwise.measures.likeness import is_tool
from rankwise.results.bases import (
    MEANS,
    SCRIPT,
    UNNAMED,
    Basis,
    Column,
    Ground,
    find_bases,
    find_grounds,
    group_columns,
    name_tools,
)
from rankwise.results.table import ResultTable
from rankwise.shown import list_some
from rankwise.tabular import shortened

_LISTED = 6


def keep_alike(table: ResultTable, reference: ResultTable | None = None) -> ResultTable:
    """The results that can be compared; remarks of the returned table say what was left out.

    Where `reference` has results of the same data set and measure, these decide what the results
    must rest on; otherwise most methods of `table` do, and among equals the published figures.
    """
    if all(_says_nothing(one) for one in (table, reference) if one is not None):
        return table
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


def _says_nothing(table: ResultTable) -> bool:
    """Whether no row names a tool or a fold, so that all of a column rest on the same."""
    return not {"tool", "fold"} & set(table.columns)


def _describe_left_out(
    table: ResultTable, bases: Sequence[Basis], grounds: dict[Column, Ground], rows: Sequence[int]
) -> list[str]:
    """A sentence for each data set and way in which results differ from those that stay."""
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for row in rows:
        place = table.dataset_names[row], table.measure[row]
        why, advice = _differ(bases[row], grounds[place], table, row)
        groups[place[0], why, advice].append(row)
    return [
        f"left out: {_some(table.measure[own].tolist())} of {_some(table.method[own].tolist())} on "
        f"{shortened(dataset, 60)}: {why}; {advice}"
        for (dataset, why, advice), own in groups.items()
    ]


def _differ(own: Basis, ground: Ground, table: ResultTable, row: int) -> tuple[str, str]:
    if not ground.has_convention(own):
        there, advice = (
            ground.basis.tool,
            f"'rankwise evaluate --tool {ground.basis.tool}' gives that",
        )
        if ground.basis.convention == SCRIPT:
            named = name_tools(table.collection[row], table.dataset[row])
            there = f"{SCRIPT} ({named})"
            advice = f"'rankwise evaluate --tool {named.split(', ')[-1]}' gives that"
        known = ground.basis.convention == SCRIPT or is_tool(ground.basis.tool)
        way = f"{advice}, or see 'rankwise reconcile'" if known else "see 'rankwise reconcile'"
        return f"by {own.tool}, the others by {there}", way
    mine, theirs = (
        folds if folds == MEANS else f"of {folds}" for folds in (own.folds, ground.basis.folds)
    )
    return f"{mine}, the others are {theirs}", "compare the same folds"


def _describe_unnamed(
    table: ResultTable, bases: Sequence[Basis], grounds: dict[Column, Ground]
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
    return list_some((shortened(name, 40) for name in names), _LISTED)
