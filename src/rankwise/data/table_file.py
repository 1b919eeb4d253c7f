"""A path that knows which columns of its table are what, so that it can go wherever a path goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.data.table_columns import TableColumns

if TYPE_CHECKING:
    _PlatformPath = Path
else:
    # Before Python 3.12 only the class of the platform can be derived from.
    _PlatformPath = type(Path())

TEXT_TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
"""The endings of tables of text, and what stands between their cells."""
ARROW_TABLES = (".parquet", ".feather", ".arrow")
TEXT_ENDINGS = (".txt", ".dat", ".letor", ".svm", ".svmlight", ".libsvm")
"""The endings that LETOR text usually has; it may have others."""
COMPRESSED_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".zstd")


class TableFile(_PlatformPath):
    """The path of a table, with the names of its columns; paths made from it have none."""

    # Not `columns`, by which others tell a frame.
    table_columns = TableColumns()

    def __reduce__(self) -> tuple[Callable[..., TableFile], tuple[str, TableColumns]]:
        return name_columns_of, (str(self), self.table_columns)


def name_columns_of(path: str | Path, columns: TableColumns) -> TableFile:
    """The path of a table whose columns are these."""
    named = TableFile(path)
    named.table_columns = columns
    return named


def find_columns(path: str | Path) -> TableColumns:
    """The columns that were named for a path; of any other path none was."""
    return path.table_columns if isinstance(path, TableFile) else TableColumns()


def is_table(path: str | Path) -> bool:
    """Whether a file is a table by its ending."""
    return find_ending(path) is not None


def find_ending(path: str | Path) -> str | None:
    """The ending that makes a file a table, that of a compression left aside; None: it is none."""
    place = Path(path)
    ending = place.suffix.lower()
    if ending in COMPRESSED_ENDINGS:
        inner = place.with_suffix("").suffix.lower()
        return inner if inner in TEXT_TABLES else None
    return ending if ending in TEXT_TABLES or ending in ARROW_TABLES else None
