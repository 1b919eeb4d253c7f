"""All checks of a table of published results."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from rankwise.literature.official import find_official_values
from rankwise.literature.reasons import (
    PAPER_MEASURES,
    find_differing_officials,
    find_higher_baselines,
    find_inexact_values,
    find_missing_baselines,
    find_named_reasons,
    find_other_measures,
    find_other_protocols,
    find_two_levels,
)
from rankwise.literature.slips import find_identical_rows, find_outliers, find_repeated_values
from rankwise.literature.suspicion import Suspicion
from rankwise.results.table import ResultTable

_FACT = ("dataset_names", "method", "measure", "version", "tool", "source")


def find_suspicions(
    table: ResultTable, measures: Sequence[str] = PAPER_MEASURES
) -> list[Suspicion]:
    """Find what makes results in `table` doubtful: reasons to leave a study out, and likely errors.

    First come the seven reasons of Tax et al. (2015, section 2.1) for leaving a study out, as far
    as a table can show them; `measures` are those to be compared (reason 5). Then come values that
    look like errors in copying. Each suspicion is a reason to check the source, not a proof.

    Values are compared only where they can be: folds as their mean, and neither single folds nor
    figures of another tool with the others of their column, which is told instead.
    """
    protocols = find_other_protocols(table)
    apart = {row for finding in protocols for row in finding.rows}
    alike, places = average_rows(table, apart)
    official = find_official_values(alike)
    compared = [
        *find_two_levels(alike, official),
        *find_inexact_values(alike),
        *find_other_measures(alike, measures),
        *find_higher_baselines(alike, official),
        *find_missing_baselines(alike, official),
        *find_differing_officials(alike, official),
        *find_repeated_values(alike),
        *find_identical_rows(alike),
        *find_outliers(alike, official),
    ]
    return [
        *protocols,
        *find_named_reasons(table),
        *(_point_back(finding, places) for finding in compared),
    ]


def average_rows(
    table: ResultTable, apart: Collection[int]
) -> tuple[ResultTable, list[tuple[int, ...]]]:
    """The results that can be compared, folds as their means, and the rows that each is from.

    Rows in `apart` are left out: a single fold is no mean, another tool's figure another figure.
    """
    groups: dict[tuple[object, ...], list[int]] = {}
    columns = (getattr(table, name).tolist() for name in _FACT)
    for row, fact in enumerate(zip(*columns, strict=True)):
        if row not in apart:
            key = (row,) if table.fold[row] is None else fact
            groups.setdefault(key, []).append(row)
    rows = list(groups.values())
    firsts = table.take(np.array([group[0] for group in rows], dtype=np.int64))
    values = np.array([table.value[group].mean() for group in rows], dtype=np.float64)
    return replace(firsts, value=values), [tuple(group) for group in rows]


def _point_back(finding: Suspicion, places: Sequence[tuple[int, ...]]) -> Suspicion:
    rows = tuple(sorted(row for one in finding.rows for row in places[one]))
    return replace(finding, rows=rows)
