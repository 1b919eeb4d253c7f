"""Features of which nearly all are 0: only the others are held, row by row.

`docs/decisions/0011-sparse-data.md` says when data are held so, and what follows from it. Grouped
by query and feature, the entries are what figures of both are computed from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError

# An array of so many bytes is small enough to be dense whatever it holds …
ALWAYS_DENSE = 1 << 26
# … but for rows so wide that what works feature by feature would take long.
WIDE = 10_000
# Data are sparse where less than one cell in so many is written.
CELLS_PER_ENTRY = 8
# Sparse data become a dense array, for those who need one, up to so many times their entries; and
# up to so many bytes in any case.
LARGEST_EXPANSION, ALWAYS_MADE = 100, 1 << 28
ROWS_AT_ONCE = 4096


def is_sparse(rows: int, width: int, entries: int) -> bool:
    """Whether data of so many rows and features, of which `entries` are written, are held sparse.

    They are if less than one cell in 8 is written, and a dense array would take more than 64 MiB
    or the rows have more than 10,000 features.
    """
    cells = rows * width
    large = 8 * cells > ALWAYS_DENSE or width > WIDE
    return large and CELLS_PER_ENTRY * entries < cells


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """Compressed sparse rows: row r has the entries from `row_offsets[r]` to the next offset.

    There is one form for one content: columns rise within a row, and every cell that is not
    exactly +0 is there, so that −0 and NULL (NaN) are. The arrays are read-only. scipy has them as
    `csr_matrix((values, columns, row_offsets), shape)`.

    Attributes:
        values: (entries,) float64; NaN is NULL.
        columns: (entries,) int32, the feature of every value, from 0.
        row_offsets: (documents + 1,) int64, from 0 to the number of entries.
        width: how many features there are.
    """

    values: NDArray[np.float64]
    columns: NDArray[np.int32]
    row_offsets: NDArray[np.int64]
    width: int

    def __post_init__(self) -> None:
        for name, dtype in (("values", "f8"), ("columns", "i4"), ("row_offsets", "i8")):
            view = np.ascontiguousarray(getattr(self, name), dtype=dtype).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features, as a dense array has them."""
        return len(self), self.width

    @property
    def ndim(self) -> int:
        """Two, as a dense array has them."""
        return 2

    @property
    def row_lengths(self) -> NDArray[np.int64]:
        """How many entries each row has."""
        return np.diff(self.row_offsets)

    @property
    def row_of_entries(self) -> NDArray[np.int64]:
        """The row of every entry."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.row_lengths)

    def __len__(self) -> int:
        return len(self.row_offsets) - 1

    def __repr__(self) -> str:
        return f"SparseFeatures({len(self)} × {self.width}, {len(self.values)} entries)"

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> SparseFeatures:
        """The chosen rows, in the order given; an unbroken run of them is not copied."""
        if isinstance(rows, slice):
            first, last, step = rows.indices(len(self))
            if step == 1:
                return self._run(first, max(first, last))
            rows = np.arange(len(self), dtype=np.int64)[rows]
        lengths = self.row_lengths[rows]
        offsets = _summed(lengths)
        within = np.arange(offsets[-1], dtype=np.int64) - np.repeat(offsets[:-1], lengths)
        places = np.repeat(self.row_offsets[:-1][rows], lengths) + within
        return SparseFeatures(self.values[places], self.columns[places], offsets, self.width)

    def _run(self, first: int, last: int) -> SparseFeatures:
        begin, end = self.row_offsets[first], self.row_offsets[last]
        offsets = self.row_offsets[first : last + 1] - begin
        return SparseFeatures(self.values[begin:end], self.columns[begin:end], offsets, self.width)

    def widened(self, width: int) -> SparseFeatures:
        """The same entries in rows of `width` features."""
        return replace(self, width=width)

    def with_column(self, values: NDArray[np.float64]) -> SparseFeatures:
        """The same rows with one more feature, the last."""
        kept = np.flatnonzero(differs_from_zero(values))
        ends = self.row_offsets[1:][kept]
        lengths = self.row_lengths.copy()
        lengths[kept] += 1
        return SparseFeatures(
            np.insert(self.values, ends, values[kept]),
            np.insert(self.columns, ends, self.width),
            _summed(lengths),
            self.width + 1,
        )

    def with_values(self, values: NDArray[np.float64]) -> SparseFeatures:
        """Other values in the same cells; those that are +0 are left out."""
        kept = differs_from_zero(values)
        if kept.all():
            return replace(self, values=values)
        offsets = _summed(kept)[self.row_offsets]
        return SparseFeatures(values[kept], self.columns[kept], offsets, self.width)

    def take_columns(self, chosen: NDArray[np.int64]) -> SparseFeatures:
        """The features `chosen`, rising, as features 0, 1, 2 …"""
        columns = np.searchsorted(chosen, self.columns)
        kept = np.append(chosen, -1)[columns] == self.columns
        offsets = _summed(kept)[self.row_offsets]
        return SparseFeatures(self.values[kept], columns[kept], offsets, len(chosen))

    def ordered(self, order: Sequence[int] | NDArray[np.int64]) -> SparseFeatures:
        """All features in another order: feature `order[j]` becomes feature j."""
        columns = np.argsort(np.asarray(order)).astype(np.int32)[self.columns]
        entries = np.lexsort((columns, self.row_of_entries))
        return replace(self, values=self.values[entries], columns=columns[entries])

    def column(self, number: int) -> NDArray[np.float64]:
        """The values of one feature, of all rows."""
        found = np.zeros(len(self))
        places = np.flatnonzero(self.columns == number)
        found[np.searchsorted(self.row_offsets, places, side="right") - 1] = self.values[places]
        return found

    def fill(self, room: NDArray[np.float64]) -> None:
        """Put the entries into an array of zeros that is at least as wide."""
        room[self.row_of_entries, self.columns] = self.values

    def to_dense(self) -> NDArray[np.float64]:
        """All cells as an array, however large it is."""
        dense = np.zeros(self.shape)
        self.fill(dense)
        return dense

    def dense_blocks(self, cells: int = 1 << 22) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Some rows at a time as arrays of about so many cells: where they stand, and they."""
        rows_at_once = max(1, cells // max(1, self.width))
        for first in range(0, len(self), rows_at_once):
            rows = slice(first, first + rows_at_once)
            yield rows, self[rows].to_dense()

    def has_same_bits(self, other: SparseFeatures) -> bool:
        """Whether both hold the same cells to the bit; all NaN are the same NULL."""
        return (
            self.shape == other.shape
            and np.array_equal(self.row_offsets, other.row_offsets)
            and np.array_equal(self.columns, other.columns)
            and same_bits(self.values, other.values)
        )

    @classmethod
    def from_dense(cls, features: NDArray[np.float64]) -> SparseFeatures:
        """The cells of an array that are not exactly +0, found some rows at a time."""
        rows, width = features.shape
        parts = []
        for first in range(0, max(rows, 1), ROWS_AT_ONCE):
            block = features[first : first + ROWS_AT_ONCE]
            where = differs_from_zero(block)
            offsets = _summed(np.count_nonzero(where, axis=1))
            parts.append(cls(block[where], np.nonzero(where)[1].astype(np.int32), offsets, width))
        return cls.concatenate(parts)

    @classmethod
    def from_scipy(cls, matrix: Any) -> SparseFeatures:
        """From a sparse matrix or array of scipy; entries of one cell are added up, as there."""
        rows = matrix.tocsr().astype(np.float64, copy=True)
        rows.sum_duplicates()
        found = cls(rows.data, rows.indices, rows.indptr, int(rows.shape[1]))
        return found.with_values(found.values)

    @classmethod
    def concatenate(cls, parts: Sequence[SparseFeatures]) -> SparseFeatures:
        """The rows of all parts one after the other, as wide as the widest."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.columns for part in parts]),
            _summed(np.concatenate([part.row_lengths for part in parts])),
            max(part.width for part in parts),
        )


def as_sparse(features: NDArray[np.float64] | SparseFeatures) -> SparseFeatures:
    """Either form as the sparse one."""
    if isinstance(features, SparseFeatures):
        return features
    return SparseFeatures.from_dense(features)


def refuse_dense(sparse: SparseFeatures) -> None:
    """Refuse to make an array of sparse data that nobody has the memory for."""
    rows, width = sparse.shape
    needed, most = 8 * rows * width, largest_array(sparse)
    if needed > most:
        raise RankwiseError(
            f"these data are sparse: {rows:,} documents with {width:,} features would need "
            f"{needed / 2**30:.1f} GiB as a dense array, which is made up to "
            f"{most / 2**30:.2g} GiB here ({LARGEST_EXPANSION} times what is not 0); keep fewer "
            "features, or choose what takes sparse data: ridge-regression, ranksvm-primal, listnet "
            "and lambdamart do"
        )


def largest_array(sparse: SparseFeatures) -> int:
    """How many bytes may be made of sparse data: 100 times their own, and 256 MiB in any case."""
    arrays = (sparse.values, sparse.columns, sparse.row_offsets)
    return max(ALWAYS_MADE, LARGEST_EXPANSION * sum(array.nbytes for array in arrays))


def differs_from_zero(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which values are not exactly +0: −0 and NaN differ from it."""
    bits = np.ascontiguousarray(values).view(np.int64)
    return np.asarray(bits != 0)


def same_bits(values: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Equal to the bit, so that -0 is not 0; all NaN are the same NULL."""
    if not np.array_equal(values, others, equal_nan=True):
        return False
    return not np.any((np.signbit(values) != np.signbit(others)) & ~np.isnan(values))


def _summed(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """0, and the sums of the first 1, 2, 3 … lengths."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


Integers = NDArray[np.int64]


class EntryGroups(NamedTuple):
    """All entries of one feature in one query make a group; rows without an entry have a 0 there.

    Attributes:
        order: where each entry, taken group by group, stands in the data; rows rise in a group.
        starts: the first entry of each group, counted in this order.
        counts: how many entries each group has, one at least.
        queries: the query of each group.
        columns: the feature of each group.
        lengths: how many rows the query of each group has.
    """

    order: Integers
    starts: Integers
    counts: Integers
    queries: Integers
    columns: Integers
    lengths: Integers

    @classmethod
    def of(cls, sparse: SparseFeatures, query_offsets: Integers) -> EntryGroups:
        """Groups by query, then by feature."""
        queries = np.searchsorted(query_offsets, sparse.row_of_entries, side="right") - 1
        keys = queries * sparse.width + sparse.columns
        order = np.argsort(keys, kind="stable")
        changes = np.diff(keys[order], prepend=-1) != 0
        starts = np.flatnonzero(changes)
        counts = np.diff(np.append(starts, len(order)))
        first = order[starts]
        lengths = np.diff(query_offsets)[queries[first]]
        columns = sparse.columns[first].astype(np.int64)
        return cls(order, starts, counts, queries[first], columns, lengths)

    @classmethod
    def by_feature(cls, sparse: SparseFeatures) -> EntryGroups:
        """All rows taken as one query: a group for every feature that has entries."""
        return cls.of(sparse, np.array([0, len(sparse)], np.int64))

    @property
    def with_zeros(self) -> NDArray[np.bool_]:
        """Which groups have rows without an entry, so that one of their values is 0."""
        return np.asarray(self.counts < self.lengths)
