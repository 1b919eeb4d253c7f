"""Leaving queries out of data sets: those without a relevant document, those with few documents.

Tools disagree on what such queries score (`rankwise.evaluation.query_check`), so that figures on
data without them can be compared where others cannot. They are then figures on other data, which is
why nothing is left out unless it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.description import SHORT_QUERY, mark_empty, mark_short
from rankwise.data.formats.letor_writer import NumberStyle
from rankwise.data.reading import read
from rankwise.data.rewriting import Advance, rewrite_parts
from rankwise.data.writing import write
from rankwise.errors import RankwiseError


@dataclass(frozen=True)
class QueryDrop:
    """Which queries are left out: empty ones, and those with fewer documents than a number."""

    empty: bool = False
    shorter_than: int | None = None

    def mark(self, dataset: Dataset) -> NDArray[np.bool_]:
        """For each query of a data set whether it is left out."""
        marked = np.zeros(dataset.n_queries, dtype=np.bool_)
        if self.empty:
            marked |= mark_empty(dataset)
        if self.shorter_than is not None:
            marked |= mark_short(dataset, self.shorter_than)
        return marked


@dataclass(frozen=True)
class FilteredPart:
    """What was left out of one file: queries and rows before, and those that were kept."""

    source: str
    output: str
    queries: int
    rows: int
    kept_queries: int
    kept_rows: int


def parse_drop(text: str) -> QueryDrop:
    """`empty`, `short` (fewer than 10 documents), `short:5`, or both kinds with a comma between."""
    empty, shorter_than = False, None
    for part in (one.strip() for one in text.split(",")):
        name, colon, number = part.partition(":")
        if part == "empty" and not empty:
            empty = True
        elif name == "short" and shorter_than is None:
            shorter_than = _parse_length(number, text) if colon else SHORT_QUERY
        else:
            raise RankwiseError(
                "queries to drop must be empty, short or short:k, each once and with commas "
                f"between, found {text!r}"
            )
    return QueryDrop(empty, shorter_than)


def filter_queries(dataset: Dataset, drop: str | QueryDrop) -> Dataset:
    """The data set without the queries that `drop` names; one query at least must be left."""
    chosen = parse_drop(drop) if isinstance(drop, str) else drop
    kept = np.flatnonzero(~chosen.mark(dataset))
    if not len(kept):
        raise RankwiseError(
            f"a query must be left, found that all {dataset.n_queries} of them are to be dropped"
        )
    return dataset.select_queries(kept)


def filter_files(
    source: str | Path,
    target: str | Path,
    drop: str | QueryDrop,
    *,
    numbers: NumberStyle = "shortest",
    advance: Advance = lambda done, total: None,
) -> list[FilteredPart]:
    """Write a file, or the folds of a folder, without the queries that `drop` names.

    Of a folder, every part of every fold is written under its own name; where the folds are one
    folder down, as those of LETOR's versions are, so are they in `target`, which must be new or
    empty. Other files of the folder are not copied.
    """
    chosen = parse_drop(drop) if isinstance(drop, str) else drop

    def rewrite(file: Path, place: Path, shown: Path) -> FilteredPart:
        return _filter_file(file, place, shown, chosen, numbers)

    return rewrite_parts(source, target, rewrite, advance)


def _filter_file(
    source: str | Path, target: Path, shown: Path, drop: QueryDrop, numbers: NumberStyle
) -> FilteredPart:
    before = read(source)
    try:
        after = filter_queries(before, drop)
    except RankwiseError as error:
        raise RankwiseError(f"{source}: {error}") from error
    write(after, target, numbers=numbers)
    return FilteredPart(
        str(source), str(shown), before.n_queries, before.n_documents,
        after.n_queries, after.n_documents,
    )  # fmt: skip


def _parse_length(number: str, text: str) -> int:
    if not (number.isascii() and number.isdecimal() and int(number[:9]) > 0 and len(number) < 9):
        raise RankwiseError(f"short:k must have a whole number from 1 as k, found {text!r}")
    return int(number)
