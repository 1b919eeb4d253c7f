"""The one type that data take in Rankwise: flat arrays, queries contiguous, NaN is NULL.

With the checks that the arrays of a data set belong together, and the order of features that other
data, or a model, want by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.document_relations import Relation, check_relation
from rankwise.data.feature_matrix import (
    Features,
    FileFeatures,
    read_rows,
    row_blocks,
    same_features,
)
from rankwise.data.feature_matrix import as_features as as_features
from rankwise.data.frames import as_text, refuse_labels, refuse_other_order, without_mask
from rankwise.data.sparse_features import SparseFeatures, as_sparse, is_sparse, refuse_dense
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from rankwise.sanitize import list_some
from rankwise.tables.notebook import Rows, Tabular

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

    Data of which nearly all are 0 are held sparse. Their `features` are made when somebody asks
    for them, up to a limit (`largest_array`); beyond, asking is an error, and `sparse` has them.

    Data that were opened from a packed file leave their features there. Their `features` are an
    array that the system maps from the file when somebody asks, read in where it is small;
    `value_blocks` and `in_file` read rows without it.

    Attributes:
        features: (documents, features) float64; NaN is NULL. A `SparseFeatures` or a
            `FileFeatures` may be given.
        labels: (documents,) float64 relevance judgements.
        query_offsets: (queries + 1,) int64, from 0 to the number of documents.
        query_ids: one text per query.
        document_ids: one text per document, where the source names them.
        comments: what followed `#` in each row of the source, verbatim.
        feature_names: one name per feature, where the source names them.
        weights: (documents,) float64, how much each document counts in training; None is 1 each.
        query_classes: one text per query, the class it belongs to, where queries have classes.
        query_features: (queries, columns) float64 facts of the queries themselves.
        relations: how documents of the same query are related, each relation under its name.
        sparse: the features where they are held sparse, otherwise None.
        in_file: the features where they stay in a file, otherwise None.
    """

    features: NDArray[np.float64]
    labels: NDArray[np.float64]
    query_offsets: NDArray[np.int64]
    query_ids: TextColumn
    document_ids: TextColumn | None = None
    comments: TextColumn | None = None
    feature_names: tuple[str, ...] | None = None
    weights: NDArray[np.float64] | None = None
    query_classes: TextColumn | None = None
    query_features: NDArray[np.float64] | None = None
    relations: tuple[Relation, ...] = ()
    # Not for the constructor: `replace(dataset, features=…)` must not carry the old ones along.
    sparse: SparseFeatures | None = field(default=None, init=False, repr=False)
    in_file: FileFeatures | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        arrays: list[tuple[str, type]] = [("labels", np.float64), ("query_offsets", np.int64)]
        if isinstance(self.features, SparseFeatures | FileFeatures):
            form = "sparse" if isinstance(self.features, SparseFeatures) else "in_file"
            object.__setattr__(self, form, self.features)
            # From here on `__getattr__` answers for it.
            object.__delattr__(self, "features")
        else:
            arrays.append(("features", np.float64))
        given = [name for name in ("weights", "query_features") if getattr(self, name) is not None]
        arrays += [(name, np.float64) for name in given]
        for name, dtype in arrays:
            refuse_other_order(getattr(self, name), name)
            view: NDArray[Any] = np.asarray(without_mask(getattr(self, name)), dtype=dtype).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)
        check_shapes(self)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The features of other forms as an array, made when first asked for, then kept."""
            if name != "features" or (self.sparse is None and self.in_file is None):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            array = (
                _as_dense_features(self.sparse) if self.in_file is None else self.in_file.to_array()
            )
            array.flags.writeable = False
            object.__setattr__(self, "features", array)
            return array

    @property
    def stored(self) -> Features:
        """The features in the form in which they are held."""
        if self.in_file is not None:
            return self.in_file
        return self.features if self.sparse is None else self.sparse

    @property
    def stored_values(self) -> NDArray[np.float64]:
        """The values that are held: all of dense features, those other than 0 of sparse ones."""
        return self.features if self.sparse is None else self.sparse.values

    def value_blocks(self) -> Iterator[NDArray[np.float64]]:
        """`stored_values`, some at a time: of whole queries, or all at once where sparse."""
        if self.sparse is not None:
            return iter([self.sparse.values])
        return (values for _, _, values in self.row_blocks())

    def row_blocks(self) -> Iterator[tuple[slice, slice, NDArray[np.float64]]]:
        """Whole queries at a time: which queries, which rows, and their features as an array."""
        held = self.stored
        return row_blocks(self.features if isinstance(held, SparseFeatures) else held,
                          self.query_offsets)  # fmt: skip

    def column(self, number: int) -> NDArray[np.float64]:
        """The values of one feature, of all rows."""
        held = self.stored
        return held[:, number] if isinstance(held, np.ndarray) else held.column(number)

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
        return int(self.stored.shape[1])

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
            ("labels", ", ".join(f"{as_text(label)}: {count:,}" for label, count in pairs)),
        ]
        return ("fact", "value"), facts

    def query(self, number: int) -> Query:
        """The rows of query `number` as views."""
        rows = slice(self.query_offsets[number], self.query_offsets[number + 1])
        documents = None if self.document_ids is None else self.document_ids[rows]
        held = self.stored
        features = (
            _as_dense_features(held[rows])
            if isinstance(held, SparseFeatures)
            else read_rows(held, rows)
        )
        return Query(self.query_ids[number], features, self.labels[rows], documents)

    def queries(self) -> Iterator[Query]:
        """All queries in order."""
        return (self.query(number) for number in range(self.n_queries))

    def select_queries(self, chosen: slice | ArrayLike) -> Dataset:
        """The chosen queries, in the order given; an unbroken run of them is not copied.

        `chosen` is a slice, the numbers of queries from 0, or one truth value per query.
        """
        numbers = self._query_numbers(chosen)
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
            features=as_features(self.stored[rows]),
            labels=self.labels[rows],
            query_offsets=offsets,
            query_ids=self.query_ids.take(numbers),
            document_ids=_take_rows(self.document_ids, rows),
            comments=_take_rows(self.comments, rows),
            weights=None if self.weights is None else self.weights[rows],
            query_classes=_take_rows(self.query_classes, numbers),
            query_features=None if self.query_features is None else self.query_features[numbers],
            relations=tuple(relation.take(rows) for relation in self.relations),
        )

    def _query_numbers(self, chosen: slice | ArrayLike) -> NDArray[np.int64]:
        numbers = np.arange(self.n_queries, dtype=np.int64)
        if isinstance(chosen, slice):
            return numbers[chosen]
        index = np.asarray(chosen)
        # An empty list is an array of doubles.
        index = index.astype(np.int64) if index.shape == (0,) else index
        try:
            found: NDArray[np.int64] = numbers[index]
        except IndexError as error:
            raise RankwiseError(
                "queries are chosen by a slice, by numbers from 0 to "
                f"{self.n_queries - 1} or by one truth value per query ({error})"
            ) from error
        if found.ndim != 1:
            raise RankwiseError(
                f"queries are chosen by a list of one dimension, found {index.ndim}"
            )
        return found

    def with_features(self, features: Features) -> Dataset:
        """The same rows with other feature values (and as many names only if they still fit)."""
        fits = features.ndim == 2 and features.shape[1] == self.n_features
        names = self.feature_names if fits else None
        return replace(self, features=as_features(features), feature_names=names)

    def with_feature_names(self, names: Sequence[str] | None) -> Dataset:
        """The same rows whose features have these names."""
        given = None if names is None else tuple(names)
        return replace(self, features=as_features(self.stored), feature_names=given)

    def relation(self, name: str) -> Relation:
        """The relation of this name; a RankwiseError where the data have none."""
        found = next((held for held in self.relations if held.name == name), None)
        if found is None:
            known = ", ".join(held.name for held in self.relations) or "none"
            raise RankwiseError(f"the data must have a relation {name!r}, found {known}")
        return found

    def without_texts(self) -> Dataset:
        """The same rows without comments and document ids."""
        return replace(self, features=as_features(self.stored), comments=None, document_ids=None)

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
        held = self.stored
        if not isinstance(held, FileFeatures) and is_sparse(
            self.n_documents, n_features, self.n_documents * self.n_features
        ):
            held = as_sparse(held)
        if not isinstance(held, np.ndarray):
            return self.with_features(held.widened(n_features))
        padding = np.zeros((self.n_documents, missing))
        return self.with_features(np.hstack([held, padding]))

    def to_dense(self) -> Dataset:
        """The same data held dense, however large the array is."""
        return self if self.sparse is None else self.with_features(self.sparse.to_dense())

    def ordered_as(self, wanted: Sequence[str] | None, whose: str) -> Dataset:
        """The same rows with their features, by name, in the order of `wanted`, which is `whose`.

        Where one of the two has no names, as rows of LETOR text have not, places are all there is.
        """
        if wanted is None or self.feature_names is None:
            return self
        order = find_order(self.feature_names, wanted, whose)
        if order is None:
            return self
        held = self.stored
        if isinstance(held, FileFeatures):
            ordered: Features = held.take_columns(order)
        else:
            ordered = held.ordered(order) if isinstance(held, SparseFeatures) else held[:, order]
        return replace(self, features=as_features(ordered), feature_names=tuple(wanted))

    def equals(self, other: Dataset) -> bool:
        """Whether both hold the same arrays to the bit (NULL equals NULL) and the same texts."""
        return (
            same_features(self.stored, other.stored)
            and np.array_equal(self.labels, other.labels)
            and np.array_equal(self.query_offsets, other.query_offsets)
            and self.query_ids == other.query_ids
            and self.document_ids == other.document_ids
            and self.comments == other.comments
            and self.feature_names == other.feature_names
            and _same_array(self.weights, other.weights)
            and self.query_classes == other.query_classes
            and _same_array(self.query_features, other.query_features)
            and len(self.relations) == len(other.relations)
            and all(a.equals(b) for a, b in zip(self.relations, other.relations, strict=True))
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
        """A data set from `X, y` and either `qid` (a query id per row) or `group` (row counts).

        A sparse matrix of scipy stays sparse.
        """
        from rankwise.data.frames import split_arrays

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


def _as_dense_features(rows: SparseFeatures) -> NDArray[np.float64]:
    refuse_dense(rows)
    return rows.to_dense()


def _take_rows(column: TextColumn | None, rows: Any) -> TextColumn | None:
    if column is None:
        return None
    return column[rows] if isinstance(rows, slice) else column.take(rows)


def _same_array(mine: NDArray[np.float64] | None, its: NDArray[np.float64] | None) -> bool:
    if mine is None or its is None:
        return mine is its
    return np.array_equal(mine, its, equal_nan=True)


def check_shapes(dataset: Dataset) -> None:
    """Refuse arrays of different lengths, offsets that do not rise, and labels that are none."""
    documents, features = len(dataset.labels), dataset.stored
    if features.ndim != 2 or dataset.labels.ndim != 1:
        raise RankwiseError(
            "features must have two dimensions and labels one, "
            f"found {features.ndim} and {dataset.labels.ndim}"
        )
    if len(features) != documents:
        raise RankwiseError(
            f"features and labels must have as many rows, found {len(features)} and {documents}"
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
    if names is not None and len(names) != features.shape[1]:
        raise RankwiseError(
            f"there must be one name per feature, found {len(names)} for {features.shape[1]}"
        )
    _check_weights(dataset)
    _check_queries(dataset)
    for relation in dataset.relations:
        check_relation(relation, offsets)


def _check_weights(dataset: Dataset) -> None:
    weights = dataset.weights
    if weights is None:
        return
    if weights.shape != dataset.labels.shape:
        raise RankwiseError(
            f"there must be one weight per document ({len(dataset.labels)}), "
            f"found shape {weights.shape}"
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(wrong):
        raise RankwiseError(
            f"weights must be finite and not below 0, found {weights[wrong[0]]:g} "
            f"in row {wrong[0] + 1}"
        )


def _check_queries(dataset: Dataset) -> None:
    queries = len(dataset.query_offsets) - 1
    classes, features = dataset.query_classes, dataset.query_features
    if classes is not None and len(classes) != queries:
        raise RankwiseError(
            f"there must be one class per query, found {len(classes)} for {queries} queries"
        )
    if features is not None and (features.ndim != 2 or len(features) != queries):
        raise RankwiseError(
            f"features of queries must have one row per query ({queries}), "
            f"found shape {features.shape}"
        )


def find_order(names: Sequence[str], wanted: Sequence[str], whose: str) -> list[int] | None:
    """Where each of the features that are wanted stands; None where all stand as they should.

    `whose` says who wants them, as in "the model". One that is missing, one too many, or a name
    that stands for two columns of another order is refused.
    """
    if tuple(names) == tuple(wanted):
        return None
    for what, absent in (
        ("lack", [name for name in wanted if name not in set(names)]),
        ("also have", [name for name in names if name not in set(wanted)]),
    ):
        if absent:
            raise RankwiseError(
                f"the data must have the features of {whose}, by name: they {what} "
                f"{list_names(absent)}"
            )
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names) or len(set(wanted)) < len(wanted):
        repeated = sorted(name for name in places if list(names).count(name) > 1)
        raise RankwiseError(
            f"features must have different names to be brought into the order of {whose}, found "
            f"{list_names(repeated)} twice"
        )
    return [places[name] for name in wanted]


def list_names(names: Iterable[str], most: int = 5) -> str:
    """The first of the names in quotes, and how many more there are; a long one is cut."""
    return list_some((f"{name!r:.80}" for name in names), most)
