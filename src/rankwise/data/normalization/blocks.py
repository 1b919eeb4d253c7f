"""The same rows with other features, computed whole queries at a time.

So a transformation needs little memory beside its result. Sparse data are transformed from their
entries alone: a transformation sees the values of one feature in one query, the entries and, where
some rows of the query have none, one 0 that stands for all of them. What it makes of that 0 holds
for every row without an entry. Nearly always it is 0 again, and the data stay sparse. Figures of
the features of sparse data over all rows come from the entries alone too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.feature_matrix import spill
from rankwise.data.sparse_features import (
    EntryGroups,
    SparseFeatures,
    differs_from_zero,
    is_sparse,
    largest_array,
)
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError


def transformed(
    dataset: Dataset, transformation: Callable[[Block], NDArray[np.float64]]
) -> Dataset:
    """The same rows with the features that `transformation` gives for each block.

    Those of data in a file come into another one, without a name, in the temporary folder.
    """
    if dataset.sparse is not None:
        return transform_sparse(dataset, dataset.sparse, transformation)
    if dataset.in_file is not None:
        made = (transformation(block) for block in blocks(dataset))
        return dataset.with_features(spill(made, dataset.n_features))
    features = np.empty(dataset.features.shape, np.float64)
    for block in blocks(dataset):
        features[block.rows] = transformation(block)
    return dataset.with_features(features)


@dataclass(frozen=True, eq=False)
class Block:
    """The rows of some neighbouring queries.

    Attributes:
        values: (rows, features), a view into the data set, or read from its file.
        starts: the first row of each query, counted within the block.
        lengths: the number of rows of each query.
        query_ids: one text per query.
        rows: where the block stands in the data set.
        weights: for how many rows each row stands; None: for itself.
        columns: of a block of entries (`sparse_blocks`), whose values are a single column and
            whose queries are those of one feature, the feature of every row.
        row_numbers: of such a block, the row of every entry in the data set.
    """

    values: NDArray[np.float64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    query_ids: TextColumn
    rows: slice
    weights: NDArray[np.float64] | None = None
    columns: NDArray[np.int64] | None = None
    row_numbers: NDArray[np.int64] | None = None

    def least(self) -> NDArray[np.float64]:
        """Per query and feature the smallest value that is not NULL; NaN where all are."""
        return np.asarray(np.fmin.reduceat(self.values, self.starts, axis=0))

    def greatest(self) -> NDArray[np.float64]:
        """Per query and feature the largest value that is not NULL; NaN where all are."""
        return np.asarray(np.fmax.reduceat(self.values, self.starts, axis=0))

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Per query and feature the sum of `values`, which have the shape of the block."""
        if self.weights is not None:
            values = values * self.weights
        return np.asarray(np.add.reduceat(values, self.starts, axis=0))

    def per_query(self, figures: NDArray[np.float64]) -> NDArray[np.float64]:
        """Figures of features as they go with figures of queries and features."""
        return figures if self.columns is None else figures[self.columns[self.starts], np.newaxis]

    def on_rows(self, figures: NDArray[np.float64]) -> NDArray[np.float64]:
        """Figures of queries, repeated for each of their rows."""
        return np.repeat(figures, self.lengths, axis=0)


def blocks(dataset: Dataset) -> Iterator[Block]:
    """The data set in blocks of a bounded number of values; a query is never divided."""
    offsets = dataset.query_offsets
    for queries, rows, values in dataset.row_blocks():
        yield Block(
            values=values,
            starts=offsets[queries] - offsets[queries.start],
            lengths=np.diff(offsets[queries.start : queries.stop + 1]),
            query_ids=dataset.query_ids[queries],
            rows=rows,
        )


def refuse_infinite(block: Block) -> None:
    """Refuse an infinite value, for which no scale exists; the message says where it stands."""
    infinite = np.argwhere(np.isinf(block.values))
    if len(infinite):
        row, feature = (int(index) for index in infinite[0])
        query = int(np.searchsorted(block.starts, row, side="right")) - 1
        value, number = block.values[row, feature], block.rows.start + row
        if block.columns is not None and block.row_numbers is not None:
            feature, number = int(block.columns[row]), int(block.row_numbers[row])
        raise RankwiseError(
            f"features must be finite or NULL to be scaled, found {value} as feature "
            f"{feature + 1} of row {number + 1}, query {block.query_ids[query]!r}"
        )


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# A value, its row and its column, and what sorting them takes.
_BYTES_OF_AN_ENTRY = 64


class Filling(NamedTuple):
    """Values for rows `first` to before `last` of a feature, wherever there is no entry."""

    first: Integers
    last: Integers
    columns: Integers
    values: Floats


def transform_sparse(
    dataset: Dataset, sparse: SparseFeatures, transformation: Callable[[Block], Floats]
) -> Dataset:
    """The same rows with the features that `transformation` gives for each group.

    It must leave a feature at 0 that is 0 in the whole query.
    """
    if len(sparse.values) == 0:
        return dataset
    groups = EntryGroups.of(sparse, dataset.query_offsets)
    block, entries = _block_of_entries(dataset, sparse, groups)
    found = transformation(block)[:, 0]
    values = np.empty(len(sparse.values))
    values[groups.order] = found[entries]
    ends = block.starts + block.lengths - 1
    filled = groups.with_zeros & differs_from_zero(found[ends])
    offsets, queries = dataset.query_offsets, groups.queries[filled]
    filling = Filling(
        offsets[queries], offsets[queries + 1], groups.columns[filled], found[ends[filled]]
    )
    return dataset.with_features(fill(sparse.with_values(values), sparse, filling))


def fill(
    transformed: SparseFeatures, before: SparseFeatures, filling: Filling
) -> SparseFeatures | Floats:
    """The transformed entries, and `filling` where there was no entry before."""
    lengths = filling.last - filling.first
    total = int(lengths.sum())
    if total == 0:
        return transformed
    _refuse_large(before, total)
    ends = np.cumsum(lengths)
    within = np.arange(total) - np.repeat(ends - lengths, lengths)
    rows = np.repeat(filling.first, lengths) + within
    columns = np.repeat(filling.columns, lengths)
    keys = rows * before.width + columns
    held = before.row_of_entries * before.width + before.columns
    new = ~np.isin(keys, held)
    return _merge_entries(
        transformed, rows[new], columns[new], np.repeat(filling.values, lengths)[new]
    )


def _merge_entries(
    sparse: SparseFeatures, rows: Integers, columns: Integers, values: Floats
) -> SparseFeatures | Floats:
    """The entries with others in free cells, in the form that suits so many."""
    height, width = sparse.shape
    rows = np.concatenate([sparse.row_of_entries, rows])
    columns = np.concatenate([sparse.columns, columns])
    values = np.concatenate([sparse.values, values])
    if not is_sparse(height, width, len(values)):
        dense = np.zeros((height, width))
        dense[rows, columns] = values
        return dense
    order = np.lexsort((columns, rows))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(rows, None, height))])
    return SparseFeatures(values[order], columns[order].astype(np.int32), offsets, width)


def _block_of_entries(
    dataset: Dataset, sparse: SparseFeatures, groups: EntryGroups
) -> tuple[Block, Integers]:
    """The groups as one block of a single column, and where in it the entries are."""
    with_zero = groups.with_zeros
    lengths = groups.counts + with_zero
    starts = np.cumsum(lengths) - lengths
    shifts = np.repeat(starts - groups.starts, groups.counts)
    entries = np.arange(len(groups.order)) + shifts
    values, weights = np.zeros(int(lengths.sum())), np.ones(int(lengths.sum()))
    values[entries] = sparse.values[groups.order]
    ends = (starts + lengths - 1)[with_zero]
    weights[ends] = (groups.lengths - groups.counts)[with_zero]
    rows = np.zeros(len(values), np.int64)
    rows[entries] = sparse.row_of_entries[groups.order]
    block = Block(
        values=values[:, np.newaxis],
        starts=starts,
        lengths=lengths,
        query_ids=dataset.query_ids.take(groups.queries),
        rows=slice(0, len(sparse)),
        weights=weights[:, np.newaxis],
        columns=np.repeat(groups.columns, lengths),
        row_numbers=rows,
    )
    return block, entries


def _refuse_large(sparse: SparseFeatures, filled: int) -> None:
    needed, most = _BYTES_OF_AN_ENTRY * (len(sparse.values) + filled), largest_array(sparse)
    if needed > most:
        raise RankwiseError(
            f"these data are sparse: {len(sparse):,} documents with {sparse.width:,} features, of "
            f"which this scale would move {filled:,} zeros to other values and need "
            f"{needed / 2**30:.1f} GiB, where {most / 2**30:.2g} GiB is the most; choose a "
            "scale that leaves 0 where it is, such as sum (rankwise data normalize IN OUT --to "
            "sum), or keep fewer features"
        )


def sparse_extremes(sparse: SparseFeatures) -> tuple[Floats, Floats]:
    """The smallest and the largest value of every feature; 0 where it has none but NULL."""
    if np.isinf(sparse.values).any():
        raise RankwiseError("features must be finite or NULL to be scaled, found infinite ones")
    least, greatest = np.full(sparse.width, np.inf), np.full(sparse.width, -np.inf)
    present = ~np.isnan(sparse.values)
    columns, values = sparse.columns[present], sparse.values[present]
    np.minimum.at(least, columns, values)
    np.maximum.at(greatest, columns, values)
    # A row without an entry has a 0.
    zeros = np.bincount(sparse.columns, minlength=sparse.width) < len(sparse)
    least[zeros], greatest[zeros] = np.minimum(least[zeros], 0.0), np.maximum(greatest[zeros], 0.0)
    none = least > greatest
    return np.where(none, 0.0, least), np.where(none, 0.0, greatest)


def sparse_moments(sparse: SparseFeatures, unit: Floats, least: Floats) -> tuple[Floats, Floats]:
    """Mean and deviation of every feature, as `fit_scaling` has them; `least` is in its unit."""
    columns, width = sparse.columns, sparse.width
    absent = np.isnan(sparse.values)
    values = np.where(absent, 0.0, sparse.values / unit[columns] - least[columns])
    n = np.maximum(len(sparse) - np.bincount(columns[absent], minlength=width), 1.0)
    zeros = len(sparse) - np.bincount(columns, minlength=width)
    mean = (np.bincount(columns, values, width) - zeros * least) / n
    squares = np.where(absent, 0.0, np.square(values - mean[columns]))
    total = np.bincount(columns, squares, width) + zeros * np.square(least + mean)
    return (least + mean) * unit, np.sqrt(total / n) * unit
