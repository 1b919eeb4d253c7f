"""Features that stay in their file: rows are read from it whenever they are asked for.

`docs/decisions/0029-data-larger-than-memory.md` says when data are held so, and what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rankwise.data.placed_reading import PlacedReader
from rankwise.data.sparse_features import ALWAYS_DENSE
from rankwise.data.spilling import open_spill, spilling
from rankwise.errors import RankwiseError
from rankwise.files import reading_failure

FLOAT64, FLOAT32 = np.dtype("<f8"), np.dtype("<f4")
# Of rows that are read for no query's sake, so many values at a time.
CELLS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class RowFile:
    """A file, held open, with an array in it: `width` values a row from byte `begin` on.

    Attributes:
        path: by which another process can open it; None of a file without a name.
        reader: the open file. One that was replaced on disk meanwhile stays what it was.
        begin: where the first row begins.
        width: how many values a row has.
        dtype: double or single precision, the lower byte first.
    """

    path: Path | None
    reader: PlacedReader
    begin: int
    width: int
    dtype: np.dtype[Any]

    @property
    def row_bytes(self) -> int:
        """How many bytes a row takes."""
        return self.width * self.dtype.itemsize

    def fill(self, room: NDArray[Any], first: int) -> None:
        """Fill `room`, rows of this precision, with the rows from `first` on."""
        raw = room.reshape(-1).view(np.uint8)
        try:
            self.reader.fill(raw, self.begin + first * self.row_bytes)
        except OSError as error:
            raise RankwiseError(reading_failure(self.reader.path, error)) from error

    def map(self, first: int, rows: int) -> NDArray[np.float64]:
        """Rows of doubles as an array that the system loads page by page, and may drop again."""
        try:
            mapped = np.memmap(
                self.reader.stream,
                self.dtype,
                "r",
                offset=self.begin + first * self.row_bytes,
                shape=(rows, self.width),
            )
            return np.asarray(mapped, np.float64)
        except (OSError, ValueError, MemoryError) as error:
            raise RankwiseError(
                f"{rows:,} documents with {self.width:,} features are needed as one array of "
                f"{rows * self.row_bytes / 2**30:.1f} GiB, which cannot be mapped into memory "
                f"({getattr(error, 'strerror', None) or error}); raise the limit (ulimit -v), or "
                "choose what reads data in blocks: lambdamart, mart, ranksvm-primal do"
            ) from error

    def __reduce__(self) -> tuple[Callable[..., RowFile], tuple[Any, ...]]:
        if self.path is None:
            raise RankwiseError(
                "features that stand in a file without a name cannot be sent to another process; "
                "write the data to a file first, and read that"
            )
        facts = (self.reader.size, self.begin, self.width, self.dtype.str)
        return _reopen, (self.path, *facts)


def _reopen(path: Path, size: int, begin: int, width: int, dtype: str) -> RowFile:
    """The file of a data set in another process."""
    reader = PlacedReader(path, open_to_keep(path))
    if reader.size != size:
        raise RankwiseError(f"{path}: the file changed while it was used")
    return RowFile(path, reader, begin, width, np.dtype(dtype))


def open_to_keep(path: str | Path) -> BinaryIO:
    """A file open for reading for as long as somebody holds it."""
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        raise RankwiseError(reading_failure(path, error)) from error


@dataclass(frozen=True, eq=False)
class FileFeatures:
    """Some rows of a file, in some order; choosing among them reads nothing.

    Attributes:
        file: where the values stand.
        rows: the numbers of the rows there.
    """

    file: RowFile
    rows: range | NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features, as an array has them."""
        return len(self.rows), self.file.width

    @property
    def ndim(self) -> int:
        """Two, as an array has them."""
        return 2

    @property
    def is_single(self) -> bool:
        """Whether the file holds single precision."""
        return self.file.dtype == FLOAT32

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"FileFeatures({len(self)} × {self.file.width}, {self.file.dtype.name})"

    def __getitem__(self, rows: slice | NDArray[Any]) -> FileFeatures:
        """The chosen rows, in the order given."""
        if isinstance(rows, slice):
            return replace(self, rows=self.rows[rows])
        return replace(self, rows=np.asarray(self.rows, np.int64)[rows])

    def read(self) -> NDArray[np.float64]:
        """The rows as an array of doubles in memory; singles become the same numbers."""
        found = np.empty(self.shape, self.file.dtype)
        for place, first, count in self._runs():
            self.file.fill(found[place : place + count], first)
        return np.asarray(found, np.float64)

    def read_row(self, number: int) -> NDArray[np.float64]:
        """One row, for those who ask for many one by one."""
        found = np.empty(self.file.width, self.file.dtype)
        self.file.fill(found, int(self.rows[number]))
        return np.asarray(found, np.float64)

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Some rows at a time: where they stand among these, and their values."""
        step = max(1, CELLS_AT_ONCE // max(1, self.file.width))
        for first in range(0, len(self), step):
            rows = slice(first, min(first + step, len(self)))
            yield rows, self[rows].read()

    def column(self, number: int) -> NDArray[np.float64]:
        """The values of one feature, of all rows."""
        found = np.empty(len(self))
        for rows, values in self.blocks():
            found[rows] = values[:, number]
        return found

    def take_columns(self, order: Any) -> FileFeatures:
        """The features `order`, in this order, in a file of their own."""
        chosen = np.asarray(order, np.int64)
        return spill((values[:, chosen] for _, values in self.blocks()), len(chosen))

    def with_column(self, values: NDArray[np.float64]) -> FileFeatures:
        """The same rows with one more feature, the last, in a file of their own."""
        wider = (np.column_stack([block, values[rows]]) for rows, block in self.blocks())
        return spill(wider, self.file.width + 1)

    def replace_column(self, number: int, values: NDArray[np.float64]) -> FileFeatures:
        """The same rows with other values in one feature, in a file of their own."""

        def replaced(rows: slice, block: NDArray[np.float64]) -> NDArray[np.float64]:
            block[:, number] = values[rows]
            return block

        return spill((replaced(*one) for one in self.blocks()), self.file.width)

    def widened(self, width: int) -> FileFeatures:
        """The same rows with columns of 0 added, in a file of their own."""
        missing = width - self.file.width
        return spill((np.pad(values, ((0, 0), (0, missing))) for _, values in self.blocks()), width)

    def to_array(self) -> NDArray[np.float64]:
        """All rows as one array: small ones in memory, large ones mapped from a file."""
        if 8 * len(self) * self.file.width <= ALWAYS_DENSE:
            return self.read()
        placed = self if self._is_run and not self.is_single else self._copied()
        return placed.file.map(placed.rows[0], len(placed))

    def _copied(self) -> FileFeatures:
        return spill((values for _, values in self.blocks()), self.file.width)

    @property
    def _is_run(self) -> bool:
        return isinstance(self.rows, range) and self.rows.step == 1

    def _runs(self) -> Iterator[tuple[int, int, int]]:
        """Rows that follow each other in the file: their place here, the first there, how many."""
        if len(self) == 0:
            return
        if self._is_run:
            yield 0, self.rows[0], len(self)
            return
        numbers = np.asarray(self.rows, np.int64)
        begins = np.concatenate([[0], np.flatnonzero(np.diff(numbers) != 1) + 1, [len(numbers)]])
        firsts = numbers[begins[:-1]]
        counts = np.diff(begins).tolist()
        yield from zip(begins[:-1].tolist(), firsts.tolist(), counts, strict=True)


def spill(blocks: Iterable[NDArray[np.float64]], width: int) -> FileFeatures:
    """Rows, some at a time, as features in a file without a name in the temporary folder."""
    stream = open_spill()
    rows = 0
    for block in blocks:
        with spilling("features"):
            stream.write(np.ascontiguousarray(block, FLOAT64).data)
        rows += len(block)
    with spilling("features"):
        stream.flush()
    file = RowFile(None, PlacedReader("the temporary folder", stream), 0, width, FLOAT64)
    return FileFeatures(file, range(rows))
