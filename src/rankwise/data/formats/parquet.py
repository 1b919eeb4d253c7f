"""Parquet: one column per feature beside `label`, `qid`, `document` and `comment`; NULL is null."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.arrays import as_text, is_missing, refuse_labels, runs
from rankwise.data.class_comments import classes_of_comments
from rankwise.data.dataset import Dataset
from rankwise.data.formats.parquet_bounds import read_bounded_table
from rankwise.data.frames import COMMENT, DOCUMENT, LABEL, QUERY, meaningful_names, to_columns
from rankwise.data.text import TextColumn
from rankwise.errors import FormatError, MissingExtra, RankwiseError
from rankwise.files import readable, written_whole
from rankwise.shown import brief, cut

_UNNAMED_INDEX = re.compile(r"__index_level_[0-9]+__")


def read_parquet(path: str | Path) -> Dataset:
    """Read what `write_parquet` wrote, or any table with the columns `label` and `qid`.

    Every other column is a feature and must hold numbers; the index of a pandas frame is none.
    """
    arrow, _ = _libraries()
    with readable(path) as stream:
        try:
            table = read_bounded_table(stream, path, (QUERY, DOCUMENT, COMMENT))
        except (arrow.ArrowException, OSError, ValueError) as error:
            raise FormatError(f"the file must be a Parquet table ({error})", path) from error
    names = table.column_names
    for needed in (LABEL, QUERY):
        if needed not in names:
            raise FormatError(
                f"the table must have the columns label and qid, {needed} is missing", path
            )
    if table.num_rows == 0:
        raise FormatError("the table must hold at least one row, found none", path)
    apart = {LABEL, QUERY, DOCUMENT, COMMENT, *_index_columns(table)}
    feature_names = [name for name in names if name not in apart]
    features = np.empty((table.num_rows, len(feature_names)))
    for number, name in enumerate(feature_names):
        features[:, number] = _numbers(table, name, path)
    labels = _numbers(table, LABEL, path)
    try:
        starts, query_ids = runs(_query_ids(table), table.num_rows)
        refuse_labels(labels)
        offsets, comments = np.append(starts, table.num_rows), _column(table, COMMENT)
        classes = classes_of_comments(comments, offsets, query_ids)
    except RankwiseError as error:
        raise FormatError(str(error), path) from error
    return Dataset(
        features=features,
        labels=labels,
        query_offsets=offsets,
        query_ids=query_ids,
        document_ids=_column(table, DOCUMENT),
        comments=comments,
        feature_names=meaningful_names(feature_names),
        query_classes=classes,
    )


def write_parquet(dataset: Dataset, path: str | Path) -> None:
    """Write one row per document, whole or not at all."""
    arrow, parquet = _libraries()
    try:
        arrays = {
            name: arrow.array(values, from_pandas=True)
            for name, values in to_columns(dataset).items()
        }
    except UnicodeEncodeError as error:
        raise RankwiseError(
            f"{path}: Parquet holds text in UTF-8, found other bytes in {brief(error.object)}; "
            "write LETOR text, which keeps them, or correct the ids and comments"
        ) from error
    with written_whole(path) as stream:
        parquet.write_table(arrow.table(arrays), stream, compression="zstd")


def _libraries() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("Parquet", "parquet") from error
    return pyarrow, pyarrow.parquet


def _index_columns(table: Any) -> set[str]:
    """The columns that hold the index of a pandas frame, which numbers rows and describes none."""
    kept = table.schema.pandas_metadata or {}
    named = {name for name in kept.get("index_columns", ()) if isinstance(name, str)}
    return named | {name for name in table.column_names if _UNNAMED_INDEX.fullmatch(name)}


def _numbers(table: Any, name: str, path: str | Path) -> NDArray[np.float64]:
    import pyarrow

    column = table.column(name)
    if not _holds_numbers(column.type):
        raise FormatError(
            f"column {name!r} must hold numbers, found {column.type}; every column besides "
            "label, qid, document and comment is a feature: leave it out, or make it a number",
            path,
        )
    try:
        values = column.cast(pyarrow.float64())
    except pyarrow.ArrowException as error:
        raise FormatError(f"column {name!r} must hold numbers ({error})", path) from error
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)


def _holds_numbers(kind: Any) -> bool:
    """Not dates, times and texts, though each of them can be cast to a number."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return _holds_numbers(kind.value_type)
    numbers = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    return types.is_null(kind) or any(one(kind) for one in numbers)


def _query_ids(table: Any) -> NDArray[np.object_]:
    """Texts; one that is missing stays so."""
    found = _values(table, QUERY)
    return np.array([None if is_missing(one) else as_text(one) for one in found], dtype=object)


def _texts(table: Any, name: str) -> list[str]:
    return ["" if is_missing(value) else as_text(value) for value in _values(table, name)]


def _values(table: Any, name: str) -> list[Any]:
    from pyarrow import types

    if types.is_nested(table.column(name).type):
        raise RankwiseError(
            f"column {name!r} must hold texts or numbers, found {table.column(name).type}"
        )
    try:
        values: list[Any] = table.column(name).to_pylist()
    except (ValueError, OverflowError) as error:
        # Dates of years that Python does not know, and the like.
        raise RankwiseError(
            f"column {name!r} must hold texts or numbers, found {table.column(name).type} that "
            f"cannot be read ({cut(str(error))})"
        ) from error
    return values


def _column(table: Any, name: str) -> TextColumn | None:
    return TextColumn.from_texts(_texts(table, name)) if name in table.column_names else None
