"""The seven reasons for leaving a study out (Tax et al. 2015, section 2.1), as a table shows them.

A study is what the column `source` names. A table does not show everything: that a study solves
another task or alters a data set is found only where a name, version or note in the table says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from rankwise.results.comparability import (
    Basis,
    Ground,
    count_decimals,
    find_bases,
    find_grounds,
    find_units,
)
from rankwise.results.published.suspicion import (
    FINEST_PRINT,
    Cell,
    Official,
    Suspicion,
    SuspicionKind,
    is_official,
    name_cells,
)
from rankwise.results.result_table import ResultTable
from rankwise.sanitize import list_some

PAPER_MEASURES = ("NDCG@3", "NDCG@5", "NDCG@10", "MAP")

_COARSE = 2
_COARSE_PROBABILITY = 1e-3
_SMALLEST_LEVEL = 3

_NAMES = ("dataset", "version")
_TEXTS = ("dataset", "version", "note")
_WORDS: tuple[tuple[SuspicionKind, tuple[str, ...], str], ...] = (
    ("other protocol", _TEXTS, r"\b(first|one|single) fold\b|\bfold 1\b|no relevant documents"),
    ("other protocol", _TEXTS, r"without relevant documents"),
    ("other task", _TEXTS, r"rank aggregation|transfer rank|semi-?supervised"),
    ("other task", _NAMES, r"-(agg|semi|list)\b"),
    ("altered data set", _TEXTS, r"relabel\w*|(additional|extra) features|altered|modified"),
    ("altered data set", _NAMES, r"pooled|combined|subset|sample\w*"),
    ("no exact figures", _TEXTS, r"read (off|from)|from (a|the) (figure|graph|plot)|graphical"),
)


def find_other_protocols(table: ResultTable) -> list[Suspicion]:
    """Reason 1: the values of a column come from several tools, or from single folds.

    What names no tool is taken to be by the script of its collection.
    """
    bases, grounds = find_bases(table), find_grounds(table)
    findings: list[Suspicion] = []
    for place, rows in _columns(table).items():
        where = f"{place[1]} on {place[0]}"
        findings += _several_tools(rows, where, bases, grounds[place])
        findings += _single_folds(table, rows, where)
    return findings


def find_two_levels(table: ResultTable, official: dict[Cell, Official]) -> list[Suspicion]:
    """Reason 1 as well: the values of a column have two levels."""
    agreeing = {row for row, side in _sides(table, official).items() if side == 0}
    return [
        finding
        for (dataset, measure), rows in _columns(table).items()
        for finding in _two_levels(table, rows, f"{measure} on {dataset}", agreeing)
    ]


def find_named_reasons(table: ResultTable) -> list[Suspicion]:
    """Reasons 1 to 4, where the name, version or note of a data set says so."""
    findings: list[Suspicion] = []
    for kind, columns, words in _WORDS:
        said: dict[tuple[str, str], list[int]] = defaultdict(list)
        for row in range(len(table)):
            text = " ".join(getattr(table, column)[row] or "" for column in columns)
            match = re.search(words, text, re.IGNORECASE)
            if match:
                said[_study(table, row), match[0].casefold()].append(row)
        for (study, word), rows in said.items():
            where = _some(table.dataset_names[rows])
            sentence = f"{study} on {where}: the table says {word!r}"
            findings.append(Suspicion(kind, tuple(rows), sentence))
    return findings


def find_inexact_values(table: ResultTable) -> list[Suspicion]:
    """Reason 4: values with at most two decimals where rivals print more, too many for chance.

    A value printed with d decimals ends in d - 2 zeros with probability 10^(2-d).
    """
    decimals = count_decimals(table.value, FINEST_PRINT)
    typical = {column: float(np.median(decimals[rows])) for column, rows in _columns(table).items()}
    blocks: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for row in range(len(table)):
        blocks[_study(table, row), table.method[row], table.measure[row]].append(row)
    findings = []
    for (study, method, measure), rows in blocks.items():
        zeros = sum(typical[table.dataset_names[row], measure] - _COARSE for row in rows)
        coarse = bool((decimals[rows] <= _COARSE).all())
        if coarse and 10.0**-zeros <= _COARSE_PROBABILITY:
            findings.append(
                Suspicion(
                    "no exact figures",
                    tuple(rows),
                    f"{study}: {measure} of {method} is printed with {_COARSE} decimals or fewer, "
                    f"its rivals' with more; was it read off a figure?",
                )
            )
    return findings


def find_other_measures(
    table: ResultTable, measures: Sequence[str] = PAPER_MEASURES
) -> list[Suspicion]:
    """Reason 5: none of the measures of a study is among those to be compared."""
    return [
        Suspicion(
            "other measure",
            tuple(rows),
            f"{study} reports {_some(table.measure[rows])} only, none of {', '.join(measures)}",
        )
        for study, rows in _studies(table).items()
        if not any(table.measure[row] in measures for row in rows)
    ]


def find_higher_baselines(table: ResultTable, official: dict[Cell, Official]) -> list[Suspicion]:
    """Reason 6: a study reports a baseline higher than its official run.

    One unit of the last common decimal is allowed, because some studies truncate and others round.
    """
    higher: dict[str, list[int]] = defaultdict(list)
    for row, side in _sides(table, official).items():
        if side > 0 and not is_official(table.source[row]):
            higher[_study(table, row)].append(row)
    return [
        Suspicion(
            "baseline higher", tuple(rows), f"{study} reports {_against(table, rows, official)}"
        )
        for study, rows in higher.items()
    ]


def find_differing_officials(table: ResultTable, official: dict[Cell, Official]) -> list[Suspicion]:
    """Rows that are called official but differ from the official value."""
    return [
        Suspicion(
            "official figure differs",
            (row,),
            f"{table.source[row]}: {_against(table, [row], official)}",
        )
        for row, side in _sides(table, official).items()
        if side != 0 and is_official(table.source[row])
    ]


def find_missing_baselines(table: ResultTable, official: dict[Cell, Official]) -> list[Suspicion]:
    """Reason 7: no result of a study is reported by an official run or by another study."""
    sources: dict[Cell, set[str]] = defaultdict(set)
    found = name_cells(table)
    for row, cell in enumerate(found):
        sources[cell].add(_study(table, row))
    return [
        Suspicion(
            "no baseline",
            tuple(rows),
            f"{study}: no result of it is also given by another source, so none can be checked",
        )
        for study, rows in _studies(table).items()
        if not any(found[row] in official or len(sources[found[row]]) > 1 for row in rows)
    ]


def _several_tools(
    rows: list[int], where: str, bases: Sequence[Basis], ground: Ground
) -> list[Suspicion]:
    others = [row for row in rows if not ground.has_convention(bases[row])]
    if not others:
        return []
    tools = dict.fromkeys([ground.basis.tool, *(bases[row].tool for row in others)])
    return [
        Suspicion(
            "other protocol",
            tuple(others),
            f"{where} is computed by {len(tools)} tools ({_some(tools)}); their figures differ",
        )
    ]


def _single_folds(table: ResultTable, rows: list[int], where: str) -> list[Suspicion]:
    folded: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if table.fold[row] is not None:
            folded[_study(table, row), table.method[row]].add(table.fold[row])
    lone = {pair for pair, folds in folded.items() if len(folds) == 1}
    alone = [row for row in rows if (_study(table, row), table.method[row]) in lone]
    if not alone or len(alone) == len(rows):
        return []
    sentence = f"{where}: {_some(table.method[alone])} on one fold beside results over all folds"
    return [Suspicion("other protocol", tuple(alone), sentence)]


def _two_levels(
    table: ResultTable, rows: list[int], where: str, official: set[int]
) -> list[Suspicion]:
    ordered = sorted(rows, key=lambda row: float(table.value[row]))
    values = table.value[ordered]
    if len(rows) < 2 * _SMALLEST_LEVEL:
        return []
    gaps = np.diff(values)
    split = int(np.argmax(gaps)) + 1
    low, high = ordered[:split], ordered[split:]
    widest = max(values[split - 1] - values[0], values[-1] - values[split])
    if min(len(low), len(high)) < _SMALLEST_LEVEL or gaps[split - 1] <= 2 * widest:
        return []
    sides = sorted((low, high), key=lambda side: (len(official & set(side)), len(side)))
    return [
        Suspicion(
            "other protocol",
            tuple(sides[0]),
            f"{where} has two levels, {len(low)} results up to {values[split - 1]:g} and "
            f"{len(high)} from {values[split]:g}; {_some(_study(table, row) for row in sides[0])} "
            f"probably evaluated in another way",
        )
    ]


def _columns(table: ResultTable) -> dict[tuple[str, str], list[int]]:
    columns: dict[tuple[str, str], list[int]] = defaultdict(list)
    names = zip(table.dataset_names.tolist(), table.measure.tolist(), strict=True)
    for row, column in enumerate(names):
        columns[column].append(row)
    return columns


def _studies(table: ResultTable) -> dict[str, list[int]]:
    studies: dict[str, list[int]] = defaultdict(list)
    for row in range(len(table)):
        if not is_official(table.source[row]):
            studies[_study(table, row)].append(row)
    return studies


def _study(table: ResultTable, row: int) -> str:
    return table.source[row] or "a study without a name"


def _sides(table: ResultTable, official: dict[Cell, Official]) -> dict[int, int]:
    """For rows with an official value: 1 above it, -1 below it, 0 equal as printed."""
    sides = {}
    rows = zip(
        name_cells(table), table.value.tolist(), find_units(table, FINEST_PRINT), strict=True
    )
    for row, (cell, value, unit) in enumerate(rows):
        run = official.get(cell)
        if run is not None:
            allowed = max(unit, run.unit) * (1 + 1e-6)
            sides[row] = int(value > run.value + allowed) - int(value < run.value - allowed)
    return sides


def _against(table: ResultTable, rows: list[int], official: dict[Cell, Official]) -> str:
    found = name_cells(table)
    worst = max(rows, key=lambda row: abs(table.value[row] - official[found[row]].value))
    run = official[found[worst]]
    more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""
    dataset, method, measure = found[worst]
    return (
        f"{measure} {table.value[worst]:g} for {method} on {dataset}, the official value is "
        f"{run.value:g} ({run.source}){more}"
    )


def _some(names: Iterable[str]) -> str:
    return list_some(names, 4)
