"""Marks on published results that a careful reader would not compare with the rest.

The marks are data, in `marks.csv` beside this file: a method, where its result stands, the study
that it is from, the kind of doubt and the reason in a sentence. An empty field means any.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Literal, cast

import numpy as np

from rankwise.results.published.citations import split_sources
from rankwise.results.result_table import ResultTable

MarkKind = Literal["feedback", "version", "second-hand", "copied", "other-measure"]

MARK_KINDS: dict[MarkKind, str] = {
    "feedback": "learns from feedback on the queries that are scored",
    "version": "mixes versions of a collection",
    "second-hand": "known from another study only, and out of proportion there",
    "copied": "a slip in copying, mostly the value of another cell",
    "other-measure": "another measure under the same name",
}
"""What each kind of mark says of a result."""


@dataclass(frozen=True)
class Mark:
    """A doubt about the results of a method that name a study as source; empty means any."""

    method: str
    collection: str
    dataset: str
    measure: str
    source: str
    kind: MarkKind
    why: str

    def concerns(self, collection: str, dataset: str, measure: str, source: str | None) -> bool:
        """Whether a result of the method that stands there is meant."""
        return (
            self.collection in ("", collection)
            and self.dataset in ("", dataset)
            and self.measure in ("", measure)
            and self.source in split_sources(source)
        )


@cache
def read_marks() -> tuple[Mark, ...]:
    """All marks, in the order of the file."""
    file = resources.files("rankwise.results.published") / "marks.csv"
    rows = csv.DictReader(file.read_text("utf-8").splitlines())
    return tuple(
        Mark(
            row["method"],
            row["collection"],
            row["dataset"],
            row["measure"],
            row["source"],
            cast(MarkKind, row["kind"]),
            row["why"],
        )
        for row in rows
    )


def find_marks(table: ResultTable) -> list[tuple[Mark, ...]]:
    """For each row of `table` the marks that it bears."""
    known: dict[str, list[Mark]] = defaultdict(list)
    for mark in read_marks():
        known[mark.method].append(mark)
    places = zip(table.collection, table.dataset, table.measure, table.source, strict=True)
    return [
        tuple(mark for mark in known.get(method, ()) if mark.concerns(*place))
        for method, place in zip(table.method, places, strict=True)
    ]


def leave_out_marked(table: ResultTable) -> ResultTable:
    """The table without the results that bear a mark; its remarks say what went, and why."""
    marks = find_marks(table)
    kept = table.take(np.array([not found for found in marks], dtype=bool))
    return replace(kept, remarks=(*table.remarks, *describe_marked(table, marks)))


def describe_marked(table: ResultTable, marks: Sequence[tuple[Mark, ...]]) -> list[str]:
    """Sentences about marked results: how many of how many, and for each kind whose they are.

    A result with marks of two kinds counts with both.
    """
    marked = sum(map(bool, marks))
    if not marked:
        return []
    sentences = [f"left out: {marked} of {len(table):,} results are marked as not comparable"]
    for kind, meaning in MARK_KINDS.items():
        counts: dict[str, int] = defaultdict(int)
        for method, found in zip(table.method, marks, strict=True):
            counts[method] += any(mark.kind == kind for mark in found)
        whose = [f"{method} {count}" for method, count in sorted(counts.items()) if count]
        if whose:
            named = ", ".join(whose)
            sentences.append(f"{kind}: {sum(counts.values())} ({meaning}): {named}")
    return sentences
