"""Parquet and Feather, as Arrow has them; NULL is null.

The columns are `label`, `qid`, `document`, `comment` and one per feature.
"""

from __future__ import annotations

from pathlib import Path

from rankwise.data.dataset import Dataset
from rankwise.data.formats.table import refuse_other_bytes
from rankwise.data.frames import to_columns
from rankwise.data.table_file import find_ending
from rankwise.errors import MissingExtra
from rankwise.files import written_whole


def write_arrow_table(dataset: Dataset, path: str | Path) -> None:
    """Write one row per document, whole or not at all."""
    try:
        import pyarrow
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("Parquet", "parquet") from error
    try:
        arrays = {
            name: pyarrow.array(values, from_pandas=True)
            for name, values in to_columns(dataset).items()
        }
    except UnicodeEncodeError as error:
        raise refuse_other_bytes(path, error) from error
    with written_whole(path) as stream:
        if find_ending(path) == ".parquet":
            pyarrow.parquet.write_table(pyarrow.table(arrays), stream, compression="zstd")
        else:
            pyarrow.feather.write_feather(pyarrow.table(arrays), stream, compression="zstd")
