"""Queries left out of data sets, and classes of queries.

Left out are queries without a relevant document, and those with few documents. Tools disagree on
what such queries score (`rankwise.measures.short_queries`), so that figures on data without them
can be compared where others cannot. They are then figures on other data, which is why nothing is
left out unless it is asked for.

The class of a query comes from a feature that is the same for all of its documents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.dataset_description import SHORT_QUERY, mark_empty, mark_short
from rankwise.data.folds import Advance, rewrite_parts
from rankwise.data.formats.letor_writer import NumberStyle
from rankwise.data.reading import read, write
from rankwise.data.text import TextColumn
from rankwise.errors import Advice, RankwiseError


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


def find_class_column(dataset: Dataset, column: int | str) -> int:
    """The place, from 0, of a feature by its number from 1 or by its name."""
    names = dataset.feature_names or ()
    if str(column) in names:
        return names.index(str(column))
    text = str(column)
    if text.isdecimal() and len(text) <= 18 and 1 <= int(text) <= dataset.n_features:
        return int(text) - 1
    known = f" or one of {', '.join(names[:6])}" if names else ""
    raise RankwiseError(
        f"the column of query classes must be a feature from 1 to {dataset.n_features}{known}, "
        f"found {text!r}",
        Advice("name it by {}", "class_column", "N"),
    )


def with_query_classes(dataset: Dataset, column: int | str) -> Dataset:
    """The same data whose queries have the classes that a feature numbers.

    The feature stays where it is. It must be known and the same in all documents of a query; the
    class is its number as text, `2` or `1.5`.
    """
    place = find_class_column(dataset, column)
    values = dataset.column(place)
    starts = dataset.query_offsets[:-1]
    least, greatest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    # NULL is unequal to itself.
    wrong = np.flatnonzero(~(least == greatest))
    if len(wrong):
        raise RankwiseError(
            f"feature {place + 1} must be the same in all documents of a query to be its class, "
            f"found {least[wrong[0]]:g} and {greatest[wrong[0]]:g} for query "
            f"{dataset.query_ids[int(wrong[0])]!r}"
        )
    classes = TextColumn.from_texts(_as_class_name(value) for value in least.tolist())
    return replace(dataset, features=as_features(dataset.stored), query_classes=classes)


def keep_column(scaled: Dataset, original: Dataset, place: int) -> Dataset:
    """Scaled data with one feature as it was before."""
    if scaled.in_file is not None:
        return scaled.with_features(scaled.in_file.replace_column(place, original.column(place)))
    features = scaled.features.copy()
    features[:, place] = original.column(place)
    return scaled.with_features(features)


def _as_class_name(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
