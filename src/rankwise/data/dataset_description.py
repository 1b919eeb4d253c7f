"""What a data set is like: the facts one wants to see before training on it.

Those of the features of sparse data are found from the entries alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.frames import as_text
from rankwise.data.sparse_features import WIDE, EntryGroups, SparseFeatures, as_sparse
from rankwise.tables.notebook import Rows, Tabular

SHORT_QUERY = 10


@dataclass(frozen=True)
class Description(Tabular):
    """Counts and oddities of a data set. Features are named by their names or from 1.

    `constant_in_queries` are features that never differ between the documents of one query: they
    cannot rank anything, whatever they correlate with.
    """

    rows: int
    queries: int
    features: int
    labels: dict[str, int]
    documents_per_query: dict[str, float]
    queries_without_relevant: int
    queries_without_irrelevant: int
    queries_shorter_than_10: int
    constant_features: list[str]
    constant_in_queries: list[str]
    null_features: dict[str, int]
    duplicate_features: list[list[str]]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        return f"{self.rows:,} rows of {self.queries:,} queries, {self.features:,} features"

    def _table(self) -> Rows:
        return ("fact", "value"), list(self.as_dict().items())


def describe(dataset: Dataset) -> Description:
    """Gather the facts in one sweep over the rows."""
    names = dataset.feature_names or tuple(str(n + 1) for n in range(dataset.n_features))
    lengths = dataset.query_lengths
    columns = _describe_columns(dataset)
    return Description(
        rows=dataset.n_documents,
        queries=dataset.n_queries,
        features=dataset.n_features,
        labels=label_counts(dataset),
        documents_per_query={
            "min": int(lengths.min()) if len(lengths) else 0,
            "median": float(np.median(lengths)) if len(lengths) else 0.0,
            "max": int(lengths.max()) if len(lengths) else 0,
        },
        queries_without_relevant=int(np.count_nonzero(mark_empty(dataset))),
        queries_without_irrelevant=int(np.count_nonzero(mark_all_relevant(dataset))),
        queries_shorter_than_10=int(np.count_nonzero(mark_short(dataset))),
        constant_features=_name_features(names, columns.constant),
        constant_in_queries=_name_features(names, columns.in_queries),
        null_features={names[n]: int(columns.nulls[n]) for n in np.flatnonzero(columns.nulls)},
        duplicate_features=[[names[n] for n in group] for group in columns.duplicates],
    )


def _name_features(names: tuple[str, ...], which: NDArray[np.bool_]) -> list[str]:
    return [names[number] for number in np.flatnonzero(which)]


def mark_empty(dataset: Dataset) -> NDArray[np.bool_]:
    """For each query whether no document of it has a label above 0."""
    if not dataset.n_queries:
        return np.zeros(0, dtype=np.bool_)
    return np.maximum.reduceat(dataset.labels, dataset.query_offsets[:-1]) <= 0


def mark_all_relevant(dataset: Dataset) -> NDArray[np.bool_]:
    """For each query whether every document of it has a label of 1 or more."""
    if not dataset.n_queries:
        return np.zeros(0, dtype=np.bool_)
    return np.minimum.reduceat(dataset.labels, dataset.query_offsets[:-1]) >= 1


def mark_short(dataset: Dataset, cutoff: int = SHORT_QUERY) -> NDArray[np.bool_]:
    """For each query whether it has fewer documents than the cut-off."""
    return dataset.query_lengths < cutoff


def label_counts(dataset: Dataset) -> dict[str, int]:
    """How often each label occurs; whole labels are written without a point."""
    values, counts = np.unique(dataset.labels, return_counts=True)
    return {as_text(v): n for v, n in zip(values.tolist(), counts.tolist(), strict=True)}


def _describe_columns(dataset: Dataset) -> ColumnFacts:
    """Some queries after the other; of wide data all features at once, from what is not 0.

    Of data without rows nothing is said: no feature is constant there, or repeats another.
    """
    if not dataset.n_documents:
        none = np.zeros(dataset.n_features, bool)
        return ColumnFacts(none.astype(np.int64), none, none, [])
    held = dataset.stored
    if isinstance(held, SparseFeatures):
        return describe_columns(held, dataset.query_offsets)
    if isinstance(held, np.ndarray) and dataset.n_features > WIDE:
        return describe_columns(as_sparse(held), dataset.query_offsets)
    width, offsets = dataset.n_features, dataset.query_offsets
    nulls, in_queries = np.zeros(width, np.int64), np.ones(width, bool)
    least, greatest = np.full(width, np.nan), np.full(width, np.nan)
    digests = [blake2b(digest_size=16) for _ in range(width)]
    for queries, _, values in dataset.row_blocks():
        # Feature by feature in memory: each is hashed, and goes through faster.
        columns = np.ascontiguousarray(values.T)
        starts = offsets[queries] - offsets[queries.start]
        nulls += np.count_nonzero(np.isnan(columns), axis=1)
        lowest = np.minimum.reduceat(columns, starts, axis=1)
        highest = np.maximum.reduceat(columns, starts, axis=1)
        in_queries &= (lowest == highest).all(axis=1)
        least = np.fmin(least, np.fmin.reduce(columns, axis=1))
        greatest = np.fmax(greatest, np.fmax.reduce(columns, axis=1))
        for digest, column in zip(digests, columns, strict=True):
            digest.update(column.data)
    constant = (least == greatest) | np.isnan(least)
    return ColumnFacts(
        nulls=nulls,
        constant=constant,
        in_queries=constant | ((nulls == 0) & in_queries),
        duplicates=_find_duplicates([digest.digest() for digest in digests]),
    )


def _find_duplicates(digests: list[bytes]) -> list[list[int]]:
    """Groups of features that hold the same values in every row."""
    groups: dict[bytes, list[int]] = {}
    for number, digest in enumerate(digests):
        groups.setdefault(digest, []).append(number)
    return [group for group in groups.values() if len(group) > 1]


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
    duplicates = _find_sparse_duplicates(sparse, groups)
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


def _find_sparse_duplicates(sparse: SparseFeatures, groups: EntryGroups) -> list[list[int]]:
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
