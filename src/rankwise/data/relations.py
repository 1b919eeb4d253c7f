"""Relations between the documents of a query: similarities, hyperlinks, the sitemap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError


@dataclass(frozen=True, eq=False)
class Relation:
    """A weighted relation between documents of the same query.

    Row i is related to the documents at `places[offsets[i]:offsets[i + 1]]` of its query, 0 being
    the query's first row, so that a choice of queries needs no new numbers. A symmetric relation
    holds both directions.

    Attributes:
        name: what it is called: `similarity`, `hyperlinks`, `sitemap` …
        offsets: (documents + 1,) int64, from 0 to the number of related pairs.
        places: (pairs,) int64, where in its query the related document stands.
        weights: (pairs,) float64, how strongly; 1 for links.
    """

    name: str
    offsets: NDArray[np.int64]
    places: NDArray[np.int64]
    weights: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name, dtype in (("offsets", np.int64), ("places", np.int64), ("weights", np.float64)):
            view: NDArray[Any] = np.asarray(getattr(self, name), dtype=dtype).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def take(self, rows: slice | NDArray[np.int64]) -> Relation:
        """The relation of the chosen rows, which must be whole queries."""
        if isinstance(rows, slice):
            numbers = np.arange(len(self.offsets) - 1, dtype=np.int64)[rows]
        else:
            numbers = rows
        counts = np.diff(self.offsets)[numbers]
        offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)
        pairs = np.repeat(self.offsets[numbers], counts) + within
        return Relation(self.name, offsets, self.places[pairs], self.weights[pairs])

    def related_rows(self, query_offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """For every pair the row of the related document in the whole data set."""
        first = np.repeat(query_offsets[:-1], np.diff(query_offsets))
        return np.repeat(first, np.diff(self.offsets)) + self.places

    def equals(self, other: Relation) -> bool:
        """Whether both relate the same documents with the same weights under one name."""
        return (
            self.name == other.name
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.places, other.places)
            and np.array_equal(self.weights, other.weights, equal_nan=True)
        )


def check_relation(relation: Relation, query_offsets: NDArray[np.int64]) -> None:
    """Refuse a relation that is not one between documents of the same query."""
    documents, offsets = int(query_offsets[-1]), relation.offsets
    pairs = len(relation.places)
    if (
        len(offsets) != documents + 1
        or offsets[0] != 0
        or offsets[-1] != pairs
        or np.any(np.diff(offsets) < 0)
        or len(relation.weights) != pairs
    ):
        raise RankwiseError(
            f"relation {relation.name!r} must have offsets that rise from 0 to its number of pairs "
            f"({pairs}), one more than the {documents} documents, and a weight per pair"
        )
    lengths = np.repeat(np.diff(query_offsets), np.diff(query_offsets))
    if np.any(relation.places < 0) or np.any(
        relation.places >= np.repeat(lengths, np.diff(offsets))
    ):
        raise RankwiseError(
            f"relation {relation.name!r} must relate documents of the same query, found a place "
            "outside its query"
        )
    if not np.isfinite(relation.weights).all():
        raise RankwiseError(f"the weights of relation {relation.name!r} must be finite numbers")


def join_relations(
    parts: Sequence[tuple[tuple[Relation, ...], int]],
) -> tuple[Relation, ...]:
    """The relations of data sets one after the other, each with its number of documents.

    Where a part lacks a relation that another has, its documents are not related by it.
    """
    names = dict.fromkeys(relation.name for held, _ in parts for relation in held)
    return tuple(_join_one(name, parts) for name in names)


def _join_one(name: str, parts: Sequence[tuple[tuple[Relation, ...], int]]) -> Relation:
    found = [
        next((relation for relation in held if relation.name == name), _none(name, documents))
        for held, documents in parts
    ]
    counts = np.concatenate([np.diff(relation.offsets) for relation in found])
    return Relation(
        name,
        np.append(0, np.cumsum(counts)),
        np.concatenate([relation.places for relation in found]),
        np.concatenate([relation.weights for relation in found]),
    )


def _none(name: str, documents: int) -> Relation:
    return Relation(name, np.zeros(documents + 1, np.int64), np.empty(0, np.int64), np.empty(0))
