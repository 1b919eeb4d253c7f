"""What the features of sparse data are like, found from the entries alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.sparse_features import SparseFeatures
from rankwise.data.sparse_groups import EntryGroups

Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]


class ColumnFacts(NamedTuple):
    """Facts of all features.

    Attributes:
        nulls: how many values are NULL.
        constant: whether all others are equal.
        in_queries: whether they are equal within each query, and none is NULL.
        duplicates: groups of features that hold the same values in every row.
    """

    nulls: Integers
    constant: Truths
    in_queries: Truths
    duplicates: list[list[int]]


def describe_columns(sparse: SparseFeatures, query_offsets: Integers) -> ColumnFacts:
    """The facts of every feature; one without an entry is 0 everywhere."""
    groups = EntryGroups.by_feature(sparse)
    used = groups.columns
    nulls = np.bincount(sparse.columns[np.isnan(sparse.values)], minlength=sparse.width)
    constant, in_queries = np.ones(sparse.width, bool), np.ones(sparse.width, bool)
    constant[used] = _are_equal(sparse, groups)
    within = EntryGroups.of(sparse, query_offsets)
    in_queries[within.columns[~_are_equal(sparse, within)]] = False
    in_queries &= nulls == 0
    duplicates = _duplicates(sparse, groups)
    return ColumnFacts(nulls, constant, constant | in_queries, duplicates)


def _are_equal(sparse: SparseFeatures, groups: EntryGroups) -> Truths:
    """Whether the values of each group that are no NULL are equal."""
    if len(groups.starts) == 0:
        return np.ones(0, bool)
    values, zero = sparse.values[groups.order], groups.with_zeros
    least = np.fmin.reduceat(values, groups.starts)
    greatest = np.fmax.reduceat(values, groups.starts)
    least = np.where(zero, np.fmin(least, 0.0), least)
    greatest = np.where(zero, np.fmax(greatest, 0.0), greatest)
    return np.asarray((least == greatest) | np.isnan(least))


def _duplicates(sparse: SparseFeatures, groups: EntryGroups) -> list[list[int]]:
    """Features with the same entries; those without any are all alike."""
    used = groups.columns
    empty = np.setdiff1d(np.arange(sparse.width), used, assume_unique=True).tolist()
    found = [empty] if len(empty) > 1 else []
    if len(used):
        rows = sparse.row_of_entries[groups.order]
        bits = np.ascontiguousarray(sparse.values[groups.order]).view(np.uint64)
        sums = np.add.reduceat(_mixed(rows, bits), groups.starts)
        order = np.lexsort((groups.counts, sums))
        changes = (np.diff(sums[order]) != 0) | (np.diff(groups.counts[order]) != 0)
        for alike in np.split(order, np.flatnonzero(changes) + 1):
            if len(alike) > 1 and _are_same(groups, alike, rows, bits):
                found.append(sorted(used[alike].tolist()))
    return sorted(found)


def _are_same(
    groups: EntryGroups, features: Integers, rows: Integers, bits: NDArray[np.uint64]
) -> bool:
    """Whether features with equally many entries hold the same values in the same rows."""
    places = groups.starts[features][:, np.newaxis] + np.arange(groups.counts[features[0]])
    same = (rows[places] == rows[places[0]]) & (bits[places] == bits[places[0]])
    return bool(same.all())


def _mixed(rows: Integers, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A number for a row and a value that hardly any other pair has (splitmix64's last steps)."""
    mixed = rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + bits
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
