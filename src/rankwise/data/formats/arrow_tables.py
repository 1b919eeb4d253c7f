"""Tables of Arrow, as Parquet and Feather hold them; NULL is null."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.parquet_bounds import read_bounded_feather, read_bounded_table
from rankwise.data.formats.table import is_number, refuse_texts
from rankwise.data.table_columns import COMMENT, DOCUMENT, QUERY, TableColumns
from rankwise.data.table_file import find_ending
from rankwise.errors import FormatError, MissingExtra, RankwiseError
from rankwise.files import readable
from rankwise.shown import cut

_UNNAMED_INDEX = re.compile(r"__index_level_[0-9]+__")


class ArrowTable:
    """A table in Arrow's memory as one of which data sets are made."""

    def __init__(self, path: str | Path, columns: TableColumns) -> None:
        self.where = str(path)
        self._path = path
        self._table = _read(path, columns)
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


def _read(path: str | Path, columns: TableColumns) -> Any:
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
