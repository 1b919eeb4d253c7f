"""Queries that two data sets share: what may not be learnt from where it is tested."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from rankwise.data.dataset import Dataset, Query, as_features
from rankwise.data.text import TextColumn


def find_shared_queries(source: Dataset, others: Sequence[Dataset]) -> list[int]:
    """The queries of `source`, by number, that stand in one of the others too.

    A query is the same where its rows are, in whatever order. It is also taken for the same where
    the ids are equal, unless both name their documents and have none in common: ids of different
    collections may be equal by chance.
    """
    by_id: dict[str, list[Query]] = {}
    rows: set[bytes] = set()
    for query in _queries(others):
        by_id.setdefault(query.id, []).append(query)
        rows.add(_content(query))
    return [
        number
        for number, query in enumerate(source.queries())
        if _content(query) in rows
        or any(_may_be_same(query, other) for other in by_id.get(query.id, ()))
    ]


def rename_queries(dataset: Dataset, prefix: str) -> Dataset:
    """The same queries with `prefix` before every id."""
    names = TextColumn.from_texts(f"{prefix}{one}" for one in dataset.query_ids)
    return replace(dataset, features=as_features(dataset.stored), query_ids=names)


def _queries(parts: Iterable[Dataset]) -> Iterable[Query]:
    return (query for part in parts for query in part.queries())


def _may_be_same(one: Query, other: Query) -> bool:
    if one.document_ids is None or other.document_ids is None:
        return True
    return not set(one.document_ids).isdisjoint(other.document_ids)


def _content(query: Query) -> bytes:
    """The rows in an order of their own; adding 0 makes one number of the two zeros."""
    order = np.lexsort(query.features.T) if query.features.shape[1] else slice(None)
    return (query.features[order] + 0.0).tobytes()
