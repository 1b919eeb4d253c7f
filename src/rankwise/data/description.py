"""What a data set is like: the facts one wants to see before training on it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.sparse_description import ColumnFacts, describe_columns
from rankwise.data.sparse_features import WIDE, as_sparse
from rankwise.tabular import Rows, Tabular

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
    """Gather the facts in one sweep over the columns."""
    names = dataset.feature_names or tuple(str(n + 1) for n in range(dataset.n_features))
    lengths = dataset.query_lengths
    best = np.maximum.reduceat(dataset.labels, dataset.query_offsets[:-1])
    columns = _describe_columns(dataset)
    return Description(
        rows=dataset.n_documents,
        queries=dataset.n_queries,
        features=dataset.n_features,
        labels=label_counts(dataset),
        documents_per_query={
            "min": int(lengths.min()),
            "median": float(np.median(lengths)),
            "max": int(lengths.max()),
        },
        queries_without_relevant=int(np.count_nonzero(best <= 0)),
        queries_shorter_than_10=int(np.count_nonzero(lengths < SHORT_QUERY)),
        constant_features=_named(names, columns.constant),
        constant_in_queries=_named(names, columns.in_queries),
        null_features={names[n]: int(columns.nulls[n]) for n in np.flatnonzero(columns.nulls)},
        duplicate_features=[[names[n] for n in group] for group in columns.duplicates],
    )


def _named(names: tuple[str, ...], which: NDArray[np.bool_]) -> list[str]:
    return [names[number] for number in np.flatnonzero(which)]


def label_counts(dataset: Dataset) -> dict[str, int]:
    """How often each label occurs; whole labels are written without a point."""
    values, counts = np.unique(dataset.labels, return_counts=True)
    return {f"{value:g}": int(count) for value, count in zip(values, counts, strict=True)}


@dataclass(frozen=True)
class _Column:
    nulls: int
    constant: bool
    in_queries: bool
    digest: int


def _describe_columns(dataset: Dataset) -> ColumnFacts:
    """One feature after the other; of wide data all at once, from what is not 0."""
    if dataset.sparse is not None or dataset.n_features > WIDE:
        return describe_columns(as_sparse(dataset.stored), dataset.query_offsets)
    columns = [_describe_column(dataset, number) for number in range(dataset.n_features)]
    return ColumnFacts(
        nulls=np.array([column.nulls for column in columns], np.int64),
        constant=np.array([column.constant for column in columns], bool),
        in_queries=np.array([column.in_queries for column in columns], bool),
        duplicates=_duplicates(dataset, columns),
    )


def _describe_column(dataset: Dataset, number: int) -> _Column:
    values = np.ascontiguousarray(dataset.features[:, number])
    missing = np.isnan(values)
    nulls = int(np.count_nonzero(missing))
    present = values[~missing] if nulls else values
    constant = len(present) == 0 or bool(present.min() == present.max())
    in_queries = constant or (nulls == 0 and _constant_in_queries(values, dataset.query_offsets))
    return _Column(nulls, constant, in_queries, hash(values.tobytes()))


def _constant_in_queries(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> bool:
    starts = offsets[:-1]
    lowest, highest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return bool(np.array_equal(lowest, highest))


def _duplicates(dataset: Dataset, columns: list[_Column]) -> list[list[int]]:
    """Groups of features that hold the same values in every row."""
    groups: dict[int, list[int]] = {}
    for number, column in enumerate(columns):
        groups.setdefault(column.digest, []).append(number)
    return [
        group
        for group in groups.values()
        if len(group) > 1 and _all_equal(dataset.features[:, group])
    ]


def _all_equal(values: NDArray[np.float64]) -> bool:
    return all(
        np.array_equal(values[:, 0], values[:, column], equal_nan=True)
        for column in range(1, values.shape[1])
    )
