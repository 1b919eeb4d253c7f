"""What to doubt in published results: all checks, of files and of shipped tables together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from rankwise.errors import RankwiseError, location
from rankwise.files import is_there
from rankwise.measures.measure import result_name
from rankwise.results.published.copying_slips import (
    find_identical_rows,
    find_outliers,
    find_repeated_values,
)
from rankwise.results.published.exclusion_reasons import (
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
from rankwise.results.published.published_tables import SHIPPED, read_shipped
from rankwise.results.published.suspicion import Suspicion, SuspicionKind, find_official_values
from rankwise.results.result_reading import inspect_results
from rankwise.results.result_table import ResultTable, average_groups, stack_results
from rankwise.tables.notebook import Rows, Tabular


@dataclass(frozen=True)
class PlacedSuspicion:
    """Something to look at; `rows` say in which file and line the results stand."""

    kind: SuspicionKind
    reason: int | None
    rows: tuple[str, ...]
    sentence: str


@dataclass(frozen=True)
class PublishedCheck(Tabular):
    """What was found in so many results; `remarks` are rows that could not be read."""

    findings: tuple[PlacedSuspicion, ...]
    results: int
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"{len(self.findings)} findings in {self.results} results"

    def _table(self) -> Rows:
        return ("kind", "reason", "rows", "sentence"), [
            (one.kind, one.reason, ", ".join(one.rows), one.sentence) for one in self.findings
        ]


def check_published(
    *tables: str | Path, measures: Sequence[str] = (), kinds: Sequence[str] = ()
) -> PublishedCheck:
    """Say what to doubt in results: in files, or in shipped tables by their names.

    `find_suspicions` says what is looked for; `measures` are those that are compared, by default
    those of the paper, and only findings of these `kinds` are told, or all.
    """
    unknown = next((kind for kind in kinds if kind not in get_args(SuspicionKind)), None)
    if unknown is not None:
        raise RankwiseError(
            f"no finding is of the kind {unknown!r}; kinds are {', '.join(get_args(SuspicionKind))}"
        )
    table, places, remarks = _join_tables(tables)
    compared = [result_name(measure) for measure in measures] or PAPER_MEASURES
    found = [one for one in find_suspicions(table, compared) if not kinds or one.kind in kinds]
    return PublishedCheck(
        tuple(_place_suspicion(one, places) for one in found), len(table), tuple(remarks)
    )


def _join_tables(names: Sequence[str | Path]) -> tuple[ResultTable, list[str], list[str]]:
    """The rows of all tables one after another, where each stands, and what cannot be read."""
    parts, places, remarks = [], [], []
    for name in names:
        if str(name) in {table.name for table in SHIPPED} and not is_there(name):
            parts.append(read_shipped(str(name)))
            places += [location(name, row + 2) for row in range(len(parts[-1]))]
            continue
        inspection = inspect_results(name)
        remarks += [inspection.describe(problem) for problem in inspection.problems]
        parts.append(inspection.table)
        places += [location(name, row) for row in inspection.rows]
    return stack_results(parts), places, remarks


def _place_suspicion(one: Suspicion, places: Sequence[str]) -> PlacedSuspicion:
    rows = tuple(places[row] for row in one.rows)
    return PlacedSuspicion(one.kind, one.reason, rows, one.sentence)


_CHECKED_FACT = ("dataset_names", "method", "measure", "version", "tool", "source")


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
    columns = (getattr(table, name).tolist() for name in _CHECKED_FACT)
    for row, fact in enumerate(zip(*columns, strict=True)):
        if row not in apart:
            key = (row,) if table.fold[row] is None else fact
            groups.setdefault(key, []).append(row)
    rows = list(groups.values())
    return average_groups(table, rows), [tuple(group) for group in rows]


def _point_back(finding: Suspicion, places: Sequence[tuple[int, ...]]) -> Suspicion:
    rows = tuple(sorted(row for one in finding.rows for row in places[one]))
    return replace(finding, rows=rows)
