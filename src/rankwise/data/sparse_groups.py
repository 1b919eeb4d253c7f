"""The entries of sparse data by query and feature: what figures of both are computed from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures

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
