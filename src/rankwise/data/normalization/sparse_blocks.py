"""Sparse data transformed from their entries alone.

A transformation sees the values of one feature in one query: the entries and, where some rows of
the query have none, one 0 that stands for all of them. What it makes of that 0 holds for every
row without an entry. Nearly always it is 0 again, and the data stay sparse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.normalization.blocks import Block
from rankwise.data.sparse_features import (
    SparseFeatures,
    differs_from_zero,
    is_sparse,
    largest_array,
)
from rankwise.data.sparse_groups import EntryGroups
from rankwise.errors import RankwiseError

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
    block, entries = _block(dataset, sparse, groups)
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
    return _merged(transformed, rows[new], columns[new], np.repeat(filling.values, lengths)[new])


def _merged(
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


def _block(dataset: Dataset, sparse: SparseFeatures, groups: EntryGroups) -> tuple[Block, Integers]:
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
