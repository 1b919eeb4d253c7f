"""Data sets of tables, wherever these come from: what they ask of a table, and how they are made.

Every row is a document. Columns are told apart by `rankwise.data.table_columns`; of the others,
those that hold numbers are features, and those that hold texts only are left out. What was not
said by whoever reads the table is said by a `GuessRemark`. Frames of pandas and polars are such
tables.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.frames import (
    as_text,
    grouped,
    is_missing,
    meaningful_names,
    name_columns,
    number_column,
    refuse_labels,
    runs,
)
from rankwise.data.table_columns import ColumnRoles, TableColumns, assign_roles, refuse_second_roles
from rankwise.data.text import TextColumn, classes_of_comments
from rankwise.errors import Advice, GuessRemark, RankwiseError
from rankwise.sanitize import brief, list_some

_MOST_NAMED = 6


class DataTable(Protocol):
    """Rows and named columns, of a file or of a frame."""

    where: str
    names: list[str]
    index: Collection[str]
    n_rows: int

    def load(self, texts: Collection[str], numbers: Collection[str]) -> None:
        """Read these columns, once, before anything else is asked but the names."""

    def read_texts(self, name: str) -> list[Any]:
        """The values of a column of ids; what is missing is None or NaN."""

    def read_numbers(self, name: str) -> NDArray[np.float64]:
        """The values of a column; NaN where there is none. What is no number is refused."""

    def holds_texts(self, name: str) -> bool:
        """Whether a column holds texts, none of which is a number."""

    def refuse(self, error: RankwiseError) -> RankwiseError:
        """The error with the place of the table before it."""


def make_dataset_of(
    table: DataTable,
    columns: TableColumns,
    *,
    qid: ArrayLike | None = None,
    group: ArrayLike | None = None,
    merge: bool = False,
    needs_labels: bool = True,
) -> Dataset:
    """The data set that a table holds.

    Queries are those of a column, of `qid` (an id a row) or of `group` (so many rows each). With
    `merge` the rows of a query need not stand together. Without `needs_labels` a table without
    labels is taken, and all of them are 0.
    """
    try:
        if sum(given is not None for given in (columns.query, qid, group)) > 1:
            raise RankwiseError("queries must be given once: by a column, by qid or by group")
        roles = assign_roles(
            table.names, columns, index=table.index, needs_labels=needs_labels,
            needs_queries=qid is None and group is None,
        )  # fmt: skip
        texts = {roles.query, roles.document, roles.comment} - {None}
        numbers = {roles.label, roles.weight, *roles.features} - {None}
        table.load({t for t in texts if t}, {n for n in numbers if n})
        if table.n_rows == 0:
            raise RankwiseError("the table must hold at least one row, found none")
        features, left_out = _choose_features(table, roles, columns.features is not None)
        made = _make_dataset(table, roles, features, _list_queries(table, roles, qid, group), merge)
    except RankwiseError as error:
        raise table.refuse(error) from error
    _say_guesses(table, roles, left_out)
    return made


def _choose_features(
    table: DataTable, roles: ColumnRoles, named: bool
) -> tuple[list[str], list[str]]:
    """The features, and the columns that are none since they hold texts."""
    if named:
        return list(roles.features), []
    left_out = [name for name in roles.features if table.holds_texts(name)]
    kept = [name for name in roles.features if name not in set(left_out)]
    refuse_second_roles(kept)
    return kept, left_out


def _list_queries(
    table: DataTable, roles: ColumnRoles, qid: ArrayLike | None, group: ArrayLike | None
) -> NDArray[np.object_]:
    """The query id of every row, None where it is missing."""
    if group is not None:
        starts, ids = grouped(group, table.n_rows)
        lengths = np.diff(np.append(starts, table.n_rows))
        return np.repeat(np.array(list(ids), dtype=object), lengths)
    found = list(np.asarray(qid).tolist()) if roles.query is None else table.read_texts(roles.query)
    if len(found) != table.n_rows:
        raise RankwiseError(
            f"qid must hold one query id per row ({table.n_rows}), found {len(found)}"
        )
    queries = np.empty(len(found), dtype=object)
    queries[:] = [None if is_missing(value) else as_text(value) for value in found]
    return queries


def _make_dataset(
    table: DataTable,
    roles: ColumnRoles,
    features: list[str],
    queries: NDArray[np.object_],
    merge: bool,
) -> Dataset:
    order = _order_rows(queries) if merge else slice(None)
    starts, query_ids = runs(queries[order], table.n_rows)
    offsets = np.append(starts, table.n_rows)
    values = np.empty((table.n_rows, len(features)))
    for number, name in enumerate(features):
        values[:, number] = table.read_numbers(name)[order]
    labels = np.zeros(table.n_rows) if roles.label is None else table.read_numbers(roles.label)
    refuse_labels(labels)
    comments = _read_texts(table, roles.comment, order)
    return Dataset(
        features=values,
        labels=labels[order],
        query_offsets=offsets,
        query_ids=query_ids,
        document_ids=_read_texts(table, roles.document, order),
        comments=comments,
        feature_names=meaningful_names(features),
        weights=None if roles.weight is None else table.read_numbers(roles.weight)[order],
        query_classes=classes_of_comments(comments, offsets, query_ids),
    )


def _order_rows(queries: NDArray[np.object_]) -> NDArray[np.int64]:
    """The rows of each query together, where the first of them stands."""
    first: dict[object, int] = {}
    return np.argsort([first.setdefault(one, len(first)) for one in queries], kind="stable")


def _read_texts(table: DataTable, name: str | None, order: Any) -> TextColumn | None:
    if name is None:
        return None
    found = np.empty(table.n_rows, dtype=object)
    found[:] = ["" if is_missing(one) else as_text(one) for one in table.read_texts(name)]
    return TextColumn.from_texts(found[order])


def refuse_texts(name: str, found: str) -> RankwiseError:
    """The refusal of a column that should be a feature and is none."""
    return RankwiseError(
        f"column {name!r} must hold numbers, found {found}; every column besides label, qid, "
        "document and comment is a feature: leave it out, or make it a number",
        Advice("name the features: {}", "features", "A,B,C"),
    )


def refuse_other_bytes(path: str | Path, error: UnicodeEncodeError) -> RankwiseError:
    """The refusal to write ids and comments that are no text."""
    return RankwiseError(
        f"{path}: tables hold text in UTF-8, found other bytes in {brief(error.object)}; "
        "write LETOR text, which keeps them, or correct the ids and comments"
    )


def is_number(text: str) -> bool:
    """Whether a text is a number; NaN is none, nor is 1_000, which Python alone reads as one."""
    try:
        return "_" not in text and float(text) == float(text)
    except ValueError:
        return False


def _say_guesses(table: DataTable, roles: ColumnRoles, left_out: list[str]) -> None:
    said = list(roles.guessed)
    if left_out:
        shown = list_some(map(repr, left_out), _MOST_NAMED)
        one = len(left_out) == 1
        are, they = ("is", "it holds") if one else ("are", "they hold")
        said.append(f"{shown} {are} left out, for {they} texts")
    if said:
        warnings.warn(GuessRemark(f"{table.where}: {', '.join(said)}"), stacklevel=2)


def is_frame(given: object) -> bool:
    """Whether this is a frame of pandas or polars, of which neither is imported to know it."""
    kind = type(given)
    return kind.__name__ == "DataFrame" and kind.__module__.split(".")[0] in ("pandas", "polars")


class FrameTable:
    """The columns of a frame; the index of one of pandas is none of them."""

    where = "the frame"
    index: Collection[str] = ()

    def __init__(self, frame: Any) -> None:
        self._columns = name_columns(frame)
        self.names = list(self._columns)
        self.n_rows = len(frame)

    def load(self, texts: Collection[str], numbers: Collection[str]) -> None:
        """Nothing: all columns are there."""

    def read_texts(self, name: str) -> list[Any]:
        """The values of a column."""
        return list(self._columns[name])

    def read_numbers(self, name: str) -> NDArray[np.float64]:
        """The values of a column as doubles; dates, times and texts are refused."""
        return number_column(self._columns[name], name)

    def holds_texts(self, name: str) -> bool:
        """Whether a column is of texts, and none of them is a number."""
        column = self._columns[name]
        if str(column.dtype) not in (
            "object",
            "str",
            "string",
            "String",
            "category",
            "Categorical",
        ):
            return False
        found = [value for value in column if not is_missing(value)]
        return bool(found) and all(isinstance(one, str) and not is_number(one) for one in found)

    def refuse(self, error: RankwiseError) -> RankwiseError:
        """The error as it is: a frame has no place."""
        return error
