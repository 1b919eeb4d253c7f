"""Which queries two data sets share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.shared_queries import QueryPrints, find_shared_queries, rename_queries
from rankwise.data.sparse_features import SparseFeatures


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


def digest(row: Sequence[float]) -> int:
    """Σ_j scramble(bits of x_j · factor of column j), as whole numbers below 2^64."""
    whole = 2**64

    def scramble(number: int) -> int:
        mixed = (number ^ number >> 32) * 0xBF58476D1CE4E5B9 % whole
        return mixed ^ mixed >> 32

    total = 0
    for column, value in enumerate(row):
        bits = int(np.float64(value + 0.0).view(np.uint64))
        factor = scramble((column + 1) * 0x9E3779B97F4A7C15 % whole) | 1
        total += scramble(bits * factor % whole)
    return scramble(total % whole)


@pytest.mark.parametrize("sparse", [False, True])
def test_digests_are_sums_over_the_rows_in_whatever_form(sparse: bool) -> None:
    cells = np.array([[0.5, 0.0, -0.0], [np.nan, -1e300, 5e-324], [0.0, 0.0, 0.0], [3.0, 3.0, 0.0]])
    data = Dataset.from_arrays(cells, [2.0, 0.0, 1.0, 0.0], group=[3, 1])
    prints = QueryPrints.of(replace(data, features=sparse_rows(cells)) if sparse else data)
    rows = [digest(row) for row in cells.tolist()]
    assert rows[2] == digest([-0.0]) == 0
    assert prints.contents.tolist() == [sum(rows[:3]) % 2**64, rows[3]]
    assert prints.labels.tolist() == [
        (digest([2.0]) + digest([0.0]) + digest([1.0]) + 3) % 2**64, 1
    ]  # fmt: skip


def sparse_rows(cells: NDArray[np.float64]) -> SparseFeatures:
    """Every cell that is not exactly +0."""
    kept = (cells != 0) | np.signbit(cells)
    offsets = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    return SparseFeatures(cells[kept], np.nonzero(kept)[1], offsets, cells.shape[1])


def test_queries_of_fewer_different_rows_than_three_tell_nothing_by_their_content() -> None:
    rows = np.array([[1.0]] * 5 + [[1.0], [2.0], [1.0], [2.0]] + [[1.0], [1.0], [2.0], [3.0]])
    data = Dataset.from_arrays(rows, np.zeros(13), group=[5, 4, 4])
    assert QueryPrints.of(data).telling.tolist() == [False, False, True]
