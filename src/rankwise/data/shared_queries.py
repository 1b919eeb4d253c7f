"""Queries that two data sets share: what may not be learnt from where it is tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.text import TextColumn
from rankwise.native import DOUBLES, INT32S, INT64, INT64S, INT64S_OUT, UINT8S_OUT, function

_digest_dense = function("rankwise_digest_rows", DOUBLES, INT64, INT64, INT64S_OUT)
_digest_sparse = function("rankwise_digest_sparse_rows", DOUBLES, INT32S, INT64S, INT64, INT64S_OUT)
_have_different = function(
    "rankwise_have_different_rows", INT64S, INT64S, INT64, INT64, INT64S_OUT, UINT8S_OUT
)

Digests = NDArray[np.uint64]

LEAST_ROWS = 3
"""A query of fewer different rows may have the same content as another by chance."""


@dataclass(frozen=True, eq=False)
class QueryPrints:
    """What queries of a data set are known by, without their features.

    Attributes:
        ids: one text per query.
        counted: whether the ids only count the queries, from 0 or 1, as where a file names none.
        contents: a digest of the features of each query, whatever the order of its rows.
        labels: the same of its labels.
        telling: whether a query has enough different rows to be known by its content alone.
    """

    ids: tuple[str, ...]
    counted: bool
    contents: Digests
    labels: Digests
    telling: NDArray[np.bool_]

    @classmethod
    def of(cls, dataset: Dataset) -> QueryPrints:
        """The prints of a data set, read in blocks; made once as long as the data set lasts."""
        if dataset in _MADE:
            return _MADE[dataset]
        ids = tuple(dataset.query_ids)
        rows = _digest_rows(dataset)
        _MADE[dataset] = prints = cls(
            ids,
            any(ids == tuple(map(str, range(start, start + len(ids)))) for start in (0, 1)),
            _add_up(rows, dataset.query_offsets),
            _add_up(_digest_labels(dataset.labels), dataset.query_offsets),
            _find_telling(rows, dataset.query_offsets),
        )
        return prints

    @property
    def repeated(self) -> int:
        """How many queries have a content that an earlier one has."""
        known = self.contents[self.telling]
        return len(known) - len(np.unique(known))


# A ranker that trains others asks for the prints of its validation data once for each of them.
_MADE: WeakKeyDictionary[Dataset, QueryPrints] = WeakKeyDictionary()


def find_common(one: QueryPrints, other: QueryPrints, *, in_tests: bool = False) -> dict[int, int]:
    """The queries of `one`, by number, that stand in the other too, and where they stand there.

    Queries of equal ids are the same; where the ids only count, those of equal content are. Between
    the test parts of two folds, where folds may name their queries anew, the labels must be equal
    as well. Under different ids queries of equal content are the same, unless contents come back
    within the two about as often: such contents tell nothing.
    """
    place = {name: number for number, name in enumerate(other.ids)}
    found: dict[int, int] = {}
    for number, name in enumerate(one.ids):
        there = place.get(name)
        if there is None:
            continue
        same = one.contents[number] == other.contents[there]
        if not same and not (one.counted and other.counted):
            same = not in_tests or one.labels[number] == other.labels[there]
        if same:
            found[number] = there
    telling = np.flatnonzero(other.telling)
    homes = dict(zip(other.contents[telling].tolist(), telling.tolist(), strict=True))
    contents = one.contents.tolist()
    alike = [n for n in np.flatnonzero(one.telling).tolist() if contents[n] in homes]
    if len(alike) > 2 * (one.repeated + other.repeated):
        found |= {number: homes[contents[number]] for number in alike if number not in found}
    return dict(sorted(found.items()))


def number_queries(tests: Sequence[QueryPrints]) -> NDArray[np.int64]:
    """A number for every query of the test parts of some folds, the same for the same query."""
    numbers: list[list[int]] = []
    for part in tests:
        own = [-1] * len(part.ids)
        for earlier, there in zip(tests, numbers, strict=False):
            for number, home in find_common(part, earlier, in_tests=True).items():
                own[number] = there[home] if own[number] < 0 else own[number]
        fresh = 1 + max((max(each, default=-1) for each in [*numbers, own]), default=-1)
        for number, known in enumerate(own):
            if known < 0:
                own[number], fresh = fresh, fresh + 1
        numbers.append(own)
    return np.array([number for each in numbers for number in each], dtype=np.int64)


def find_parted(one: QueryPrints, other: QueryPrints) -> list[str]:
    """The queries, by their ids, of which the two hold different documents.

    Ids that only count the queries of each, so many in one and so many in the other, are no sign
    that any is the same.
    """
    if one.counted and other.counted and len(one.ids) != len(other.ids):
        return []
    contents = dict(zip(other.ids, other.contents.tolist(), strict=True))
    own = zip(one.ids, one.contents.tolist(), strict=True)
    return [name for name, content in own if contents.get(name, content) != content]


def list_pairs(
    prints: Mapping[str, QueryPrints], *, in_tests: bool = False
) -> list[tuple[str, str, list[str]]]:
    """The pairs of parts, by their names, that share queries, and these."""
    found = []
    for name, other in combinations(prints, 2):
        common = find_common(prints[name], prints[other], in_tests=in_tests)
        if common:
            found.append((name, other, [prints[name].ids[number] for number in common]))
    return found


def find_shared_queries(source: Dataset, others: Sequence[Dataset]) -> list[int]:
    """The queries of `source`, by number, that stand in one of the others too.

    A query is the same where its rows are, in whatever order. It is also taken for the same where
    the ids are equal, unless both name their documents and have none in common: ids of different
    collections may be equal by chance.
    """
    by_id: dict[str, list[set[str] | None]] = {}
    contents: list[Digests] = []
    for part in others:
        contents.append(QueryPrints.of(part).contents)
        for name, documents in _documents_of_queries(part):
            by_id.setdefault(name, []).append(documents)
    alike = np.isin(QueryPrints.of(source).contents, np.concatenate([*contents, _NONE]))
    return [
        number
        for number, (name, documents) in enumerate(_documents_of_queries(source))
        if alike[number] or any(_may_be_same(documents, one) for one in by_id.get(name, ()))
    ]


def rename_queries(dataset: Dataset, prefix: str) -> Dataset:
    """The same queries with `prefix` before every id."""
    names = TextColumn.from_texts(f"{prefix}{one}" for one in dataset.query_ids)
    return replace(dataset, features=as_features(dataset.stored), query_ids=names)


def _documents_of_queries(part: Dataset) -> Iterable[tuple[str, set[str] | None]]:
    """The id of every query with the ids of its documents, where the data name them."""
    ends = zip(part.query_offsets[:-1].tolist(), part.query_offsets[1:].tolist(), strict=True)
    for name, (start, end) in zip(part.query_ids, ends, strict=True):
        documents = part.document_ids
        yield name, None if documents is None else set(documents[start:end])


def _may_be_same(one: set[str] | None, other: set[str] | None) -> bool:
    return one is None or other is None or not one.isdisjoint(other)


_NONE: Digests = np.empty(0, np.uint64)
_ONE = np.uint64(1)


def _digest_rows(dataset: Dataset) -> Digests:
    """A digest of the features of every row, to which features of 0 add nothing."""
    found = np.empty(dataset.n_documents, np.int64)
    sparse = dataset.sparse
    if sparse is not None:
        _digest_sparse(sparse.values, sparse.columns, sparse.row_offsets, len(sparse), found)
        return found.view(np.uint64)
    for _, rows, values in dataset.row_blocks():
        _digest_dense(np.ascontiguousarray(values), *values.shape, found[rows])
    return found.view(np.uint64)


def _digest_labels(labels: NDArray[np.float64]) -> Digests:
    """A digest of every label; that of 0 is 1, so that as many labels of 0 are not none."""
    found = np.empty(len(labels), np.int64)
    _digest_dense(np.ascontiguousarray(labels), len(labels), 1, found)
    return found.view(np.uint64) + _ONE


def _find_telling(rows: Digests, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The queries that have enough different rows to be known by their content."""
    found = np.empty(len(offsets) - 1, np.uint8)
    known = np.empty(LEAST_ROWS, np.int64)
    _have_different(rows.view(np.int64), offsets, len(found), LEAST_ROWS, known, found)
    return found.view(np.bool_)


def _add_up(numbers: Digests, offsets: NDArray[np.int64]) -> Digests:
    """The sums between offsets, which go round at 2^64 as all of these numbers do."""
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(numbers, dtype=np.uint64)])
    return np.asarray(sums[offsets[1:]] - sums[offsets[:-1]])
