"""The one type that data take in Rankwise: flat arrays, queries contiguous, NaN is NULL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.arrays import refuse_labels
from rankwise.data.feature_order import find_order
from rankwise.data.text import TextColumn, join
from rankwise.errors import RankwiseError
from rankwise.tabular import Rows, Tabular

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True, eq=False)
class Query:
    """One query's rows: views into the data set, nothing is copied."""

    id: str
    features: NDArray[np.float64]
    labels: NDArray[np.float64]
    document_ids: TextColumn | None


@dataclass(frozen=True, eq=False)
class Dataset(Tabular):
    """Judged documents of queries, as features.

    Rows `query_offsets[q]` up to `query_offsets[q + 1]` are the documents of query q, so queries
    are contiguous by construction. The arrays are read-only.

    Attributes:
        features: (documents, features) float64; NaN is NULL.
        labels: (documents,) float64 relevance judgements.
        query_offsets: (queries + 1,) int64, from 0 to the number of documents.
        query_ids: one text per query.
        document_ids: one text per document, where the source names them.
        comments: what followed `#` in each row of the source, verbatim.
        feature_names: one name per feature, where the source names them.
    """

    features: NDArray[np.float64]
    labels: NDArray[np.float64]
    query_offsets: NDArray[np.int64]
    query_ids: TextColumn
    document_ids: TextColumn | None = None
    comments: TextColumn | None = None
    feature_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name, dtype in (
            ("features", np.float64),
            ("labels", np.float64),
            ("query_offsets", np.int64),
        ):
            view = np.asarray(getattr(self, name), dtype=dtype).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)
        _check_shapes(self)

    @property
    def n_documents(self) -> int:
        """Number of rows."""
        return len(self.labels)

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_offsets) - 1

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.features.shape[1])

    @property
    def query_lengths(self) -> NDArray[np.int64]:
        """Documents per query."""
        return np.diff(self.query_offsets)

    @property
    def query_of_rows(self) -> NDArray[np.int64]:
        """The query number of every row, as `qid` arrays elsewhere."""
        return np.repeat(np.arange(self.n_queries, dtype=np.int64), self.query_lengths)

    def __repr__(self) -> str:
        return (
            f"Dataset({self.n_documents} documents, {self.n_queries} queries, "
            f"{self.n_features} features)"
        )

    def _shown(self) -> Rows:
        """The counts, and how often each label occurs."""
        labels, counts = np.unique(self.labels, return_counts=True)
        pairs = zip(labels.tolist(), counts.tolist(), strict=True)
        facts = [
            ("documents", self.n_documents),
            ("queries", self.n_queries),
            ("features", self.n_features),
            ("labels", ", ".join(f"{label:g}: {count:,}" for label, count in pairs)),
        ]
        return ("fact", "value"), facts

    def query(self, number: int) -> Query:
        """The rows of query `number` as views."""
        rows = slice(self.query_offsets[number], self.query_offsets[number + 1])
        documents = None if self.document_ids is None else self.document_ids[rows]
        return Query(self.query_ids[number], self.features[rows], self.labels[rows], documents)

    def queries(self) -> Iterator[Query]:
        """All queries in order."""
        return (self.query(number) for number in range(self.n_queries))

    def select_queries(self, chosen: slice | ArrayLike) -> Dataset:
        """The chosen queries, in the order given; an unbroken run of them is not copied."""
        numbers = np.arange(self.n_queries, dtype=np.int64)[_as_index(chosen)]
        lengths = self.query_lengths[numbers]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        rows: Any
        if len(numbers) and np.array_equal(
            numbers, np.arange(numbers[0], numbers[0] + len(numbers))
        ):
            rows = slice(self.query_offsets[numbers[0]], self.query_offsets[numbers[-1] + 1])
        else:
            within = np.arange(offsets[-1], dtype=np.int64) - np.repeat(offsets[:-1], lengths)
            rows = np.repeat(self.query_offsets[numbers], lengths) + within
        return replace(
            self,
            features=self.features[rows],
            labels=self.labels[rows],
            query_offsets=offsets,
            query_ids=self.query_ids.take(numbers),
            document_ids=_take(self.document_ids, rows),
            comments=_take(self.comments, rows),
        )

    def with_features(self, features: NDArray[np.float64]) -> Dataset:
        """The same rows with other feature values (and as many names only if they still fit)."""
        fits = features.ndim == 2 and features.shape[1] == self.n_features
        return replace(self, features=features, feature_names=self.feature_names if fits else None)

    def widened(self, n_features: int) -> Dataset:
        """The same rows with columns of 0 added up to `n_features`, as absent indices are 0.

        Features with names are not numbered, so that one that is absent is not known to be 0.
        """
        missing = n_features - self.n_features
        if missing <= 0:
            return self
        if self.feature_names is not None:
            raise RankwiseError(
                f"there must be {n_features} features, found {self.n_features}, which have names: "
                "none of those absent is known to be 0"
            )
        padding = np.zeros((self.n_documents, missing))
        return replace(self, features=np.hstack([self.features, padding]), feature_names=None)

    def ordered_as(self, wanted: Sequence[str] | None, whose: str) -> Dataset:
        """The same rows with their features, by name, in the order of `wanted`, which is `whose`.

        Where one of the two has no names, as rows of LETOR text have not, places are all there is.
        """
        if wanted is None or self.feature_names is None:
            return self
        order = find_order(self.feature_names, wanted, whose)
        if order is None:
            return self
        return replace(self, features=self.features[:, order], feature_names=tuple(wanted))

    def equals(self, other: Dataset) -> bool:
        """Whether both hold the same arrays to the bit (NULL equals NULL) and the same texts."""
        return (
            _same_bits(self.features, other.features)
            and np.array_equal(self.labels, other.labels)
            and np.array_equal(self.query_offsets, other.query_offsets)
            and self.query_ids == other.query_ids
            and self.document_ids == other.document_ids
            and self.comments == other.comments
            and self.feature_names == other.feature_names
        )

    @classmethod
    def from_arrays(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        group: ArrayLike | None = None,
        document_ids: Sequence[str] | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> Dataset:
        """A data set from `X, y` and either `qid` (a query id per row) or `group` (row counts)."""
        from rankwise.data.arrays import split_arrays

        return cls(**split_arrays(X, y, qid, group, document_ids, feature_names))

    @classmethod
    def from_frame(
        cls,
        frame: pandas.DataFrame | polars.DataFrame,
        *,
        label: str = "label",
        query: str = "qid",
        document: str | None = None,
    ) -> Dataset:
        """A data set from a pandas or polars frame; all other columns are features."""
        from rankwise.data.frames import split_frame

        return cls(**split_frame(frame, label=label, query=query, document=document))

    def to_pandas(self) -> pandas.DataFrame:
        """A frame with `label`, `qid`, `document` where known, and one column per feature."""
        from rankwise.data.frames import to_pandas

        return to_pandas(self)

    def to_frame(self) -> pandas.DataFrame:
        """The frame of `to_pandas`, by the name that all results have for it."""
        return self.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The same frame for polars."""
        from rankwise.data.frames import to_polars

        return to_polars(self)


def concatenate(parts: Sequence[Dataset]) -> Dataset:
    """Join data sets one after the other; the query ids of all parts must differ."""
    if not parts:
        raise RankwiseError("nothing to join: at least one data set is needed")
    widths = {part.n_features for part in parts}
    if len(widths) > 1:
        raise RankwiseError(f"data sets to join must have equally many features, found {widths}")
    parts = _ordered_alike(parts)
    lengths = np.concatenate([part.query_lengths for part in parts])
    joined = Dataset(
        features=np.concatenate([part.features for part in parts]),
        labels=np.concatenate([part.labels for part in parts]),
        query_offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        query_ids=join([part.query_ids.packed() for part in parts]),
        document_ids=_join([part.document_ids for part in parts]),
        comments=_join([part.comments for part in parts]),
        feature_names=_first_names(parts),
    )
    check_unique_queries(joined)
    return joined


def equally_wide(parts: Sequence[Dataset]) -> list[Dataset]:
    """All parts as wide as the widest: sparse files leave their last features out."""
    width = max((part.n_features for part in parts), default=0)
    return [part.widened(width) for part in _ordered_alike(parts)]


def _ordered_alike(parts: Sequence[Dataset]) -> list[Dataset]:
    """All parts that name their features with these in the order of the first that does."""
    names = _first_names(parts)
    return [part.ordered_as(names, "the data before them") for part in parts]


def _first_names(parts: Sequence[Dataset]) -> tuple[str, ...] | None:
    return next((part.feature_names for part in parts if part.feature_names is not None), None)


def merge_repeated_queries(dataset: Dataset) -> Dataset:
    """Rows of equal query ids brought together, each query where it first appears."""
    first: dict[str, int] = {}
    homes = [first.setdefault(text, number) for number, text in enumerate(dataset.query_ids)]
    if len(first) == dataset.n_queries:
        return dataset
    order = np.argsort(np.array(homes), kind="stable")
    grouped = dataset.select_queries(order)
    kept = np.flatnonzero(np.diff(np.array(homes)[order], prepend=-1))
    offsets = np.append(grouped.query_offsets[kept], dataset.n_documents)
    return replace(grouped, query_offsets=offsets, query_ids=grouped.query_ids.take(kept))


def check_unique_queries(dataset: Dataset) -> None:
    """Refuse a query id that stands for two queries."""
    seen: set[str] = set()
    for query_id in dataset.query_ids:
        if query_id in seen:
            raise RankwiseError(f"query id {query_id!r} stands for more than one query")
        seen.add(query_id)


def _join(columns: Sequence[TextColumn | None]) -> TextColumn | None:
    present = [column.packed() for column in columns if column is not None]
    return join(present) if len(present) == len(columns) else None


def _same_bits(values: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Equal to the bit, so that -0 is not 0; all NaN are the same NULL."""
    if not np.array_equal(values, others, equal_nan=True):
        return False
    return not np.any((np.signbit(values) != np.signbit(others)) & ~np.isnan(values))


def _take(column: TextColumn | None, rows: Any) -> TextColumn | None:
    if column is None:
        return None
    return column[rows] if isinstance(rows, slice) else column.take(rows)


def _as_index(chosen: slice | ArrayLike) -> Any:
    return chosen if isinstance(chosen, slice) else np.asarray(chosen)


def _check_shapes(dataset: Dataset) -> None:
    documents = len(dataset.labels)
    if dataset.features.ndim != 2 or dataset.labels.ndim != 1:
        raise RankwiseError(
            "features must have two dimensions and labels one, "
            f"found {dataset.features.ndim} and {dataset.labels.ndim}"
        )
    if len(dataset.features) != documents:
        raise RankwiseError(
            f"features and labels must have as many rows, found {len(dataset.features)} "
            f"and {documents}"
        )
    refuse_labels(dataset.labels)
    offsets = dataset.query_offsets
    if (
        len(offsets) < 1
        or offsets[0] != 0
        or offsets[-1] != documents
        or np.any(np.diff(offsets) < 1)
    ):
        raise RankwiseError(
            f"query offsets must rise from 0 to the number of documents ({documents}), "
            "with at least one document a query"
        )
    if len(dataset.query_ids) != len(offsets) - 1:
        raise RankwiseError(
            f"there must be one id per query, found {len(dataset.query_ids)} ids "
            f"for {len(offsets) - 1} queries"
        )
    for what, column in (("document id", dataset.document_ids), ("comment", dataset.comments)):
        if column is not None and len(column) != documents:
            raise RankwiseError(
                f"there must be one {what} per document, found {len(column)} for {documents}"
            )
    names = dataset.feature_names
    if names is not None and len(names) != dataset.features.shape[1]:
        raise RankwiseError(
            f"there must be one name per feature, found {len(names)} "
            f"for {dataset.features.shape[1]}"
        )
