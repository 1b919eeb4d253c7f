"""Parquet: one column per feature beside `label`, `qid`, `document` and `comment`; NULL is null."""

from __future__ import annotations

from pathlib import Path

from rankwise.data.dataset import Dataset
from rankwise.data.frames import to_columns
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.files import written_whole
from rankwise.shown import brief


def write_parquet(dataset: Dataset, path: str | Path) -> None:
    """Write one row per document, whole or not at all."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("Parquet", "parquet") from error
    try:
        arrays = {
            name: pyarrow.array(values, from_pandas=True)
            for name, values in to_columns(dataset).items()
        }
    except UnicodeEncodeError as error:
        raise RankwiseError(
            f"{path}: Parquet holds text in UTF-8, found other bytes in {brief(error.object)}; "
            "write LETOR text, which keeps them, or correct the ids and comments"
        ) from error
    with written_whole(path) as stream:
        pyarrow.parquet.write_table(pyarrow.table(arrays), stream, compression="zstd")
