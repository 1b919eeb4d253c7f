"""What a data set is like: the facts one wants to see before training on it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.arrays import as_text
from rankwise.data.dataset import Dataset
from rankwise.data.sparse_description import ColumnFacts, describe_columns
from rankwise.data.sparse_features import WIDE, SparseFeatures, as_sparse
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
        constant_features=_named(names, columns.constant),
        constant_in_queries=_named(names, columns.in_queries),
        null_features={names[n]: int(columns.nulls[n]) for n in np.flatnonzero(columns.nulls)},
        duplicate_features=[[names[n] for n in group] for group in columns.duplicates],
    )


def _named(names: tuple[str, ...], which: NDArray[np.bool_]) -> list[str]:
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
        duplicates=_duplicates([digest.digest() for digest in digests]),
    )


def _duplicates(digests: list[bytes]) -> list[list[int]]:
    """Groups of features that hold the same values in every row."""
    groups: dict[bytes, list[int]] = {}
    for number, digest in enumerate(digests):
        groups.setdefault(digest, []).append(number)
    return [group for group in groups.values() if len(group) > 1]
