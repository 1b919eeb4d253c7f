"""The features of a data set in one of three forms: an array, sparse rows, or rows in a file.

Rows that stay in their file are read from it whenever they are asked for, from any place of it and
from any thread: `docs/decisions/0029-data-larger-than-memory.md` says when data are held so, and
what follows. What is computed and too large for memory goes to a file on disk that has no name and
that nobody else sees.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import ALWAYS_DENSE, SparseFeatures, as_sparse, same_bits
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


Features: TypeAlias = NDArray[np.float64] | SparseFeatures | FileFeatures

BLOCK_CELLS = 1 << 20


def as_features(features: Features) -> NDArray[np.float64]:
    """Any form as the argument `features` of a data set, which takes all."""
    return cast("NDArray[np.float64]", features)


def cut_into_blocks(offsets: NDArray[np.int64], width: int) -> Iterator[tuple[int, int]]:
    """Runs of whole queries of about `BLOCK_CELLS` values, or of one query that is larger."""
    block_rows = max(1, BLOCK_CELLS // max(1, width))
    first, queries = 0, len(offsets) - 1
    while first < queries:
        fitting = int(np.searchsorted(offsets, offsets[first] + block_rows, side="right")) - 1
        last = max(first + 1, fitting)
        yield first, last
        first = last


def row_blocks(
    features: NDArray[np.float64] | FileFeatures, offsets: NDArray[np.int64]
) -> Iterator[tuple[slice, slice, NDArray[np.float64]]]:
    """The rows of whole queries at a time: the queries, the rows, and their values.

    Of an array they are views, of a file they are read. The blocks are the same for both, and so is
    the order of everything that is summed over them.
    """
    for first, last in cut_into_blocks(offsets, features.shape[1]):
        rows = slice(int(offsets[first]), int(offsets[last]))
        yield slice(first, last), rows, read_rows(features, rows)


def read_rows(features: NDArray[np.float64] | FileFeatures, rows: slice) -> NDArray[np.float64]:
    """Some rows as an array."""
    chosen = features[rows]
    return chosen.read() if isinstance(chosen, FileFeatures) else chosen


def join_features(parts: Sequence[Features]) -> Features:
    """One after the other; in a file as soon as one of them is, sparse as soon as one is that."""
    if any(isinstance(part, FileFeatures) for part in parts):
        return _join_in_file(parts)
    if any(isinstance(part, SparseFeatures) for part in parts):
        return SparseFeatures.concatenate([_as_sparse_features(part) for part in parts])
    return np.concatenate([cast("NDArray[np.float64]", part) for part in parts])


def same_features(one: Features, other: Features) -> bool:
    """Whether both hold the same values to the bit, each in any form."""
    if isinstance(one, SparseFeatures) and isinstance(other, SparseFeatures):
        return one.has_same_bits(other)
    if one.shape != other.shape:
        return False
    if isinstance(one, FileFeatures) or isinstance(other, FileFeatures):
        pairs = zip(_some_rows(one), _some_rows(other), strict=True)
        return all(same_bits(mine, its) for mine, its in pairs)
    if isinstance(one, SparseFeatures) or isinstance(other, SparseFeatures):
        return _as_sparse_features(one).has_same_bits(_as_sparse_features(other))
    return same_bits(one, other)


def _join_in_file(parts: Sequence[Features]) -> FileFeatures:
    """Rows of one file stay where they are; others are copied into one file."""
    files = [part for part in parts if isinstance(part, FileFeatures)]
    if len(files) == len(parts) and all(part.file is files[0].file for part in files):
        numbers = np.concatenate([np.asarray(part.rows, np.int64) for part in files])
        return FileFeatures(files[0].file, numbers)
    return spill((block for part in parts for block in _some_rows(part)), parts[0].shape[1])


def _some_rows(part: Features) -> Iterator[NDArray[np.float64]]:
    """About `BLOCK_CELLS` values at a time, in any form the same rows."""
    step = max(1, BLOCK_CELLS // max(1, part.shape[1]))
    for first in range(0, len(part), step):
        rows = slice(first, first + step)
        if isinstance(part, SparseFeatures):
            yield part[rows].to_dense()
        else:
            yield read_rows(part, rows)


def _as_sparse_features(part: Features) -> SparseFeatures:
    if isinstance(part, FileFeatures):
        raise TypeError("features in a file are joined in a file")
    return as_sparse(part)


class PlacedReader:
    """A file that is read at places; it never loads more than it is asked for."""

    def __init__(self, path: str | Path, stream: BinaryIO) -> None:
        self.path = path
        self.stream = stream
        self._turn = threading.Lock()

    @property
    def size(self) -> int:
        """How many bytes the file has now."""
        return os.fstat(self.stream.fileno()).st_size

    def fill(self, room: NDArray[np.uint8], position: int) -> None:
        """Fill `room` with the bytes from a position of the file on."""
        filled = 0
        while filled < len(room):
            got = self._read_at(position + filled, room.data[filled:])
            if got == 0:
                raise RankwiseError(f"{self.path}: the file became shorter while it was read")
            filled += got

    def _read_at(self, position: int, room: memoryview) -> int:
        """Read from a position; where the system cannot (Windows), threads take turns."""
        if hasattr(os, "preadv"):
            return os.preadv(self.stream.fileno(), [room], position)
        with self._turn:
            self.stream.seek(position)
            return int(self.stream.readinto(room))  # type: ignore[attr-defined]


@contextlib.contextmanager
def spilling(what: str) -> Iterator[None]:
    """A full disk, while a file without a name is written, as one sentence."""
    try:
        yield
    except OSError as error:
        import tempfile

        raise RankwiseError(
            f"cannot write {what} to {tempfile.gettempdir()}: {error.strerror or error}; make room "
            "there, or set TMPDIR to another disk"
        ) from error


def open_spill() -> BinaryIO:
    """A new file in the temporary folder, gone as soon as nobody holds it."""
    import tempfile

    # Whoever asked for it keeps it open.
    return cast("BinaryIO", tempfile.TemporaryFile())
