"""What to doubt in published results: in files of results and in shipped tables together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from rankwise.errors import RankwiseError, location
from rankwise.files import is_there
from rankwise.literature.checking import find_suspicions
from rankwise.literature.reasons import PAPER_MEASURES
from rankwise.literature.shipped import SHIPPED, read_shipped
from rankwise.literature.suspicion import Suspicion, SuspicionKind
from rankwise.measures.names import result_name
from rankwise.results.merging import stack_results
from rankwise.results.reading import inspect_results
from rankwise.results.table import ResultTable
from rankwise.tabular import Rows, Tabular


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
    table, places, remarks = _joined(tables)
    compared = [result_name(measure) for measure in measures] or PAPER_MEASURES
    found = [one for one in find_suspicions(table, compared) if not kinds or one.kind in kinds]
    return PublishedCheck(tuple(_placed(one, places) for one in found), len(table), tuple(remarks))


def _joined(names: Sequence[str | Path]) -> tuple[ResultTable, list[str], list[str]]:
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


def _placed(one: Suspicion, places: Sequence[str]) -> PlacedSuspicion:
    rows = tuple(places[row] for row in one.rows)
    return PlacedSuspicion(one.kind, one.reason, rows, one.sentence)
