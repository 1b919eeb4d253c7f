"""Result tables as Parquet; needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from rankwise.arrow_source import load_for_arrow
from rankwise.errors import FormatError, MissingExtra
from rankwise.files import readable
from rankwise.results.records import LARGEST_FILE, resolve_columns
from rankwise.results.table import ResultTable
from rankwise.results.validation import Record
from rankwise.shown import cut

_LINE_END = "\n"


def read_parquet(path: str | Path) -> Iterator[Record]:
    """The rows of a Parquet file, counted from 1; its size is checked before it is unpacked."""
    parquet, arrow_error = _pyarrow("reading Parquet")
    with readable(path) as stream:
        try:
            file = parquet.ParquetFile(load_for_arrow(stream))
            _check_size(file.metadata, path)
            columns = resolve_columns(file.schema_arrow.names, path, None)
            row = 0
            for batch in file.iter_batches():
                for cells in batch.to_pylist():
                    row += 1
                    yield Record(row, dict(zip(columns, cells.values(), strict=True)))
        # Besides its own errors: dates that Python has no year for, lengths that are lies.
        except (arrow_error, ValueError, OverflowError, OSError, KeyError) as error:
            raise FormatError(
                f"the file must be Parquet: {cut(str(error).partition(_LINE_END)[0], 200)}", path
            ) from error


def write_parquet(table: ResultTable, stream: BinaryIO) -> None:
    """Write `table` with text columns and one float64 column."""
    parquet, _ = _pyarrow("writing Parquet")
    import pyarrow

    columns: dict[str, Any] = {}
    for name in table.columns:
        kind = pyarrow.float64() if name == "value" else pyarrow.string()
        columns[name] = pyarrow.array(getattr(table, name).tolist(), type=kind)
    parquet.write_table(pyarrow.table(columns), stream)


def _pyarrow(purpose: str) -> tuple[Any, type[Exception]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(purpose, "parquet") from None
    return pyarrow.parquet, pyarrow.ArrowException


def _check_size(metadata: Any, path: str | Path) -> None:
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    size = sum(group.total_byte_size for group in groups)
    if size > LARGEST_FILE:
        raise FormatError(
            f"a result table may unpack to {LARGEST_FILE >> 20} MB, this one to {size >> 20} MB",
            path,
        )
