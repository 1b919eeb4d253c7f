"""Parquet: one column per feature beside `label`, `qid`, `document` and `comment`; NULL is null."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.arrays import runs
from rankwise.data.dataset import Dataset
from rankwise.data.frames import COMMENT, DOCUMENT, LABEL, QUERY, meaningful_names, to_columns
from rankwise.data.text import TextColumn
from rankwise.errors import FormatError, MissingExtra, RankwiseError
from rankwise.files import readable, written_whole
from rankwise.shown import brief, cut


def read_parquet(path: str | Path) -> Dataset:
    """Read what `write_parquet` wrote, or any table with the columns `label` and `qid`."""
    arrow, parquet = _libraries()
    with readable(path) as stream:
        try:
            table = parquet.read_table(stream)
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
    feature_names = [n for n in names if n not in (LABEL, QUERY, DOCUMENT, COMMENT)]
    features = np.empty((table.num_rows, len(feature_names)))
    for number, name in enumerate(feature_names):
        features[:, number] = _numbers(table, name, path)
    starts, query_ids = runs(np.array(_texts(table, QUERY), dtype=object), table.num_rows)
    return Dataset(
        features=features,
        labels=_numbers(table, LABEL, path),
        query_offsets=np.append(starts, table.num_rows),
        query_ids=query_ids,
        document_ids=_column(table, DOCUMENT),
        comments=_column(table, COMMENT),
        feature_names=meaningful_names(feature_names),
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


def _numbers(table: Any, name: str, path: str | Path) -> NDArray[np.float64]:
    import pyarrow

    try:
        values = table.column(name).cast(pyarrow.float64())
    except pyarrow.ArrowException as error:
        raise FormatError(f"column {name!r} must hold numbers ({error})", path) from error
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)


def _texts(table: Any, name: str) -> list[str]:
    try:
        values = table.column(name).to_pylist()
    except (ValueError, OverflowError) as error:
        # Dates of years that Python does not know, and the like.
        raise RankwiseError(
            f"column {name!r} must hold texts or numbers, found {table.column(name).type} that "
            f"cannot be read ({cut(str(error))})"
        ) from error
    return ["" if value is None else str(value) for value in values]


def _column(table: Any, name: str) -> TextColumn | None:
    return TextColumn.from_texts(_texts(table, name)) if name in table.column_names else None
