"""Tables of Arrow, as Parquet and Feather hold them; NULL is null.

Written are the columns `label`, `qid`, `document`, `comment` and one per feature. Files expand no
further than data do, although one may hold equal values once.

Arrow reads with threads that outlive the call. One that still holds a Python file when the
interpreter ends asks for it then, and the whole process is aborted (exit code 134), its output
written and its answer lost. So files are given to it as memory of Arrow's own, which asks nobody.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.formats.compression import LARGEST_EXPANSION
from rankwise.data.formats.data_table import is_number, refuse_other_bytes, refuse_texts
from rankwise.data.frames import to_columns
from rankwise.data.table_columns import COMMENT, DOCUMENT, QUERY, TableColumns, find_ending
from rankwise.errors import FormatError, MissingExtra, RankwiseError
from rankwise.files import readable, written_whole
from rankwise.sanitize import cut

_UNNAMED_INDEX = re.compile(r"__index_level_[0-9]+__")


class ArrowTable:
    """A table in Arrow's memory as one of which data sets are made."""

    def __init__(self, path: str | Path, columns: TableColumns) -> None:
        self.where = str(path)
        self._path = path
        self._table = _read_table(path, columns)
        self.names: list[str] = self._table.column_names
        self.n_rows: int = self._table.num_rows
        self.index: Collection[str] = self._find_index()

    def load(self, texts: Collection[str], numbers: Collection[str]) -> None:
        """Nothing: all columns are there."""

    def read_texts(self, name: str) -> list[Any]:
        """The values of a column as Python has them; lists and the like are refused."""
        from pyarrow import types

        column = self._table.column(name)
        kind = column.type
        if types.is_nested(kind):
            raise RankwiseError(f"column {name!r} must hold texts or numbers, found {kind}")
        try:
            values: list[Any] = column.to_pylist()
        except (ValueError, OverflowError) as error:
            # Dates of years that Python does not know, and the like.
            raise RankwiseError(
                f"column {name!r} must hold texts or numbers, found {kind} that cannot be read "
                f"({cut(str(error))})"
            ) from error
        return values

    def read_numbers(self, name: str) -> NDArray[np.float64]:
        """The values of a column as doubles; dates, times and texts are refused."""
        import pyarrow

        column = self._table.column(name)
        if not _holds_numbers(column.type):
            raise refuse_texts(name, str(column.type))
        try:
            values = column.cast(pyarrow.float64())
        except pyarrow.ArrowException as error:
            raise RankwiseError(f"column {name!r} must hold numbers ({error})") from error
        return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)

    def holds_texts(self, name: str) -> bool:
        """Whether a column is of texts, and none of them is a number."""
        from pyarrow import types

        column = self._table.column(name)
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if not (types.is_string(kind) or types.is_large_string(kind)):
            return False
        return not any(is_number(one) for one in column.unique().to_pylist() if one)

    def refuse(self, error: RankwiseError) -> RankwiseError:
        """The error with the name of the file before it."""
        if isinstance(error, FormatError):
            return error
        return FormatError(error.message, self._path, advice=error.advice)

    def _find_index(self) -> set[str]:
        """The columns that hold the index of a pandas frame, which numbers rows and no more."""
        kept = self._table.schema.pandas_metadata or {}
        named = {name for name in kept.get("index_columns", ()) if isinstance(name, str)}
        return named | {name for name in self.names if _UNNAMED_INDEX.fullmatch(name)}


def _read_table(path: str | Path, columns: TableColumns) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("Parquet", "parquet") from error
    named = {columns.query, columns.document, QUERY, DOCUMENT, COMMENT} - {None}
    texts = tuple(sorted(name for name in named if name))
    is_parquet = find_ending(path) == ".parquet"
    with readable(path) as stream:
        try:
            if is_parquet:
                return read_bounded_table(stream, path, texts)
            return read_bounded_feather(stream, path)
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            kind = "a Parquet" if is_parquet else "a Feather"
            raise FormatError(f"the file must be {kind} table ({error})", path) from error


def _holds_numbers(kind: Any) -> bool:
    """Not dates, times and texts, though each of them can be cast to a number."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return _holds_numbers(kind.value_type)
    numbers = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    return types.is_null(kind) or any(one(kind) for one in numbers)


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


ALWAYS_ALLOWED = 1 << 26


def read_bounded_table(stream: BinaryIO, path: str | Path, texts: tuple[str, ...]) -> Any:
    """The table of an open file; `texts` are columns of texts, however often one is repeated.

    A table may take 100 times the size of its file, and 64 MiB in any case. Texts are counted
    before they are repeated.
    """
    import pyarrow.parquet

    size = os.fstat(stream.fileno()).st_size
    most = max(ALWAYS_ALLOWED, LARGEST_EXPANSION * size)
    source = load_for_arrow(stream)
    facts = pyarrow.parquet.read_metadata(source)
    _refuse_expansion(8 * facts.num_rows * facts.num_columns, most, size, path)
    columns = [facts.schema.column(number).path for number in range(facts.num_columns)]
    twice = next((name for name, count in Counter(columns).items() if count > 1), None)
    if twice is not None:
        raise FormatError(f"columns must have different names, found {twice!r} twice", path)
    source.seek(0)
    table = pyarrow.parquet.read_table(source, read_dictionary=sorted({*columns} & {*texts}))
    for name in texts:
        if name in table.column_names:
            _refuse_expansion(_text_bytes(table.column(name)), most, size, path)
    return table


def read_bounded_feather(stream: BinaryIO, path: str | Path) -> Any:
    """The table of an open Feather file (version 2, which is Arrow's own), bounded as Parquet is.

    Its batches are counted as they are decompressed, one at a time.
    """
    import pyarrow.ipc

    size = os.fstat(stream.fileno()).st_size
    most = max(ALWAYS_ALLOWED, LARGEST_EXPANSION * size)
    with pyarrow.ipc.open_file(load_for_arrow(stream)) as opened:
        twice = next((n for n, count in Counter(opened.schema.names).items() if count > 1), None)
        if twice is not None:
            raise FormatError(f"columns must have different names, found {twice!r} twice", path)
        batches, needed = [], 0
        for number in range(opened.num_record_batches):
            batches.append(opened.get_batch(number))
            needed += max(batches[-1].nbytes, 8 * batches[-1].num_rows * len(opened.schema))
            _refuse_expansion(needed, most, size, path)
        table = pyarrow.Table.from_batches(batches, opened.schema)
    table.validate(full=True)
    return table


def _text_bytes(column: Any) -> int:
    """The bytes of all texts of a column; 0 where it holds something else."""
    import pyarrow
    import pyarrow.compute as compute

    total = 0
    for chunk in column.chunks:
        if pyarrow.types.is_dictionary(chunk.type):
            lengths = compute.binary_length(chunk.dictionary)
            total += compute.sum(lengths.take(chunk.indices).cast("int64")).as_py() or 0
    return total


def _refuse_expansion(needed: int, most: int, size: int, path: str | Path) -> None:
    if needed > most:
        raise FormatError(
            f"a table may take {LARGEST_EXPANSION} times its file (of {size:,} bytes), and "
            f"{ALWAYS_ALLOWED:,} bytes in any case, this one would take {needed:,}; if it can be "
            "trusted, read it yourself: Dataset.from_frame(pandas.read_parquet(PATH))",
            path,
        )


def load_for_arrow(stream: BinaryIO) -> Any:
    """The bytes of an open file, as Arrow's readers take them."""
    import pyarrow

    buffer = pyarrow.allocate_buffer(os.fstat(stream.fileno()).st_size, resizable=True)
    read = stream.readinto(memoryview(buffer)) if buffer.size else 0  # type: ignore[attr-defined]
    if read < buffer.size:
        buffer.resize(read)
    return pyarrow.BufferReader(buffer)
