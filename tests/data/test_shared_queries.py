"""Which queries two data sets share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.shared_queries import find_shared_queries, rename_queries


def made(ids: str, seed: int, documents: Sequence[str] | None = None) -> Dataset:
    """One query of two documents for each letter."""
    rows = np.random.default_rng(seed).random((2 * len(ids), 3))
    qid = [one for one in ids for _ in range(2)]
    return Dataset.from_arrays(rows, np.zeros(len(rows)), qid, document_ids=documents)


def test_different_ids_and_rows_share_nothing() -> None:
    assert find_shared_queries(made("abc", 0), [made("de", 1), made("f", 2)]) == []


def test_equal_ids_are_the_same_query_where_documents_are_unknown() -> None:
    assert find_shared_queries(made("abc", 0), [made("xb", 1), made("c", 2)]) == [1, 2]


def test_equal_ids_are_chance_where_no_document_is_common() -> None:
    source = made("ab", 0, ["d1", "d2", "d3", "d4"])
    assert find_shared_queries(source, [made("ab", 1, ["d5", "d6", "d7", "d8"])]) == []
    assert find_shared_queries(source, [made("ab", 1, ["d5", "d6", "d4", "d8"])]) == [1]
    # Documents of another query do not make it the same.
    assert find_shared_queries(source, [made("ab", 1, ["d3", "d4", "d1", "d2"])]) == []


def test_equal_rows_in_any_order_are_the_same_query() -> None:
    source = made("ab", 0)
    rows = source.features[[3, 2]]
    other = Dataset.from_arrays(rows, [1.0, 0.0], group=[2])
    assert find_shared_queries(source, [other]) == [1]


def test_queries_are_renamed() -> None:
    renamed = rename_queries(made("ab", 0), "source 1: ")
    assert list(renamed.query_ids) == ["source 1: a", "source 1: b"]
    assert renamed.features.tobytes() == made("ab", 0).features.tobytes()
