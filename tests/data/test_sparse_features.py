"""Sparse features are the same data as dense ones, to the bit, in everything one does with them."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data import Dataset, concatenate, equally_wide
from rankwise.data import sparse_features as module
from rankwise.data.sparse_features import SparseFeatures, is_sparse, same_bits
from rankwise.errors import RankwiseError

from .sparse_data import data_sets, held_sparse, made_sparse, matrices


@given(matrices())
def test_dense_to_sparse_and_back_keeps_every_bit(matrix):
    sparse = SparseFeatures.from_dense(matrix)
    assert sparse.shape == matrix.shape
    assert same_bits(sparse.to_dense(), matrix)
    kept = (matrix != 0) | np.signbit(matrix)
    assert len(sparse.values) == np.count_nonzero(kept)


@given(matrices(), st.data())
def test_rows_and_columns_are_those_of_the_matrix(matrix, data):
    sparse = SparseFeatures.from_dense(matrix)
    rows = np.array(data.draw(st.lists(st.integers(0, len(matrix) - 1), max_size=9)), np.int64)
    assert same_bits(sparse[rows].to_dense(), matrix[rows])
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(matrix))] * 2)))
    assert same_bits(sparse[first:last].to_dense(), matrix[first:last])
    assert same_bits(sparse[::-1].to_dense(), matrix[::-1])
    column = data.draw(st.integers(0, matrix.shape[1] - 1))
    assert same_bits(sparse.column(column), matrix[:, column])
    chosen = np.array(sorted(data.draw(st.sets(st.integers(0, matrix.shape[1] - 1)))), np.int64)
    assert same_bits(sparse.take_columns(chosen).to_dense(), matrix[:, chosen])


@given(matrices(), st.randoms())
def test_features_in_another_order(matrix, random):
    order = random.sample(range(matrix.shape[1]), matrix.shape[1])
    assert same_bits(SparseFeatures.from_dense(matrix).ordered(order).to_dense(), matrix[:, order])


@given(matrices(), matrices())
def test_two_data_sets_one_after_the_other(one, other):
    parts = [SparseFeatures.from_dense(one), SparseFeatures.from_dense(other)]
    width = max(one.shape[1], other.shape[1])
    wide = [np.pad(matrix, ((0, 0), (0, width - matrix.shape[1]))) for matrix in (one, other)]
    assert same_bits(SparseFeatures.concatenate(parts).to_dense(), np.vstack(wide))


@given(matrices())
def test_blocks_are_all_the_rows_in_order(matrix):
    sparse = SparseFeatures.from_dense(matrix)
    blocks = list(sparse.dense_blocks(2 * matrix.shape[1]))
    assert same_bits(np.vstack([block for _, block in blocks]), matrix)
    assert max(len(block) for _, block in blocks) <= 2


def test_scipy_gives_and_takes_the_same_cells():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    matrix = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [-1.0, 0.0, np.nan]])
    sparse = SparseFeatures.from_dense(matrix)
    parts = (sparse.values, sparse.columns, sparse.row_offsets)
    assert same_bits(scipy_sparse.csr_matrix(parts, sparse.shape).toarray(), matrix)
    # Entries out of order, one cell twice, and a zero that was stored.
    given_twice = scipy_sparse.coo_matrix(
        ([1.0, 5.0, 2.0, 0.0], ([0, 0, 0, 1], [2, 0, 2, 1])), shape=(2, 3)
    )
    found = Dataset.from_arrays(given_twice, [1, 0], [1, 1])
    assert found.sparse is not None
    assert found.sparse.values.tolist() == [5.0, 1.0 + 2.0]
    assert found.features.tolist() == [[5, 0, 3], [0, 0, 0]]


def test_when_data_are_sparse():
    """Fewer than one cell in 8 written, and either more than 64 MiB or over 10,000 features."""
    cells = (64 << 20) // 8
    assert not is_sparse(cells // 1000, 1000, 0)
    assert is_sparse(cells // 1000 + 1, 1000, cells // 8 - 1000)
    assert not is_sparse(cells // 1000 + 1, 1000, cells // 8 + 1000)
    assert is_sparse(1, 10_001, 1250)
    assert not is_sparse(1, 10_000, 0)
    assert not is_sparse(1, 10_001, 1251)


@given(data_sets())
def test_both_forms_of_a_data_set_are_equal(dense):
    sparse = held_sparse(dense)
    assert sparse.sparse is not None
    assert sparse.equals(dense)
    assert dense.equals(sparse)
    assert sparse.n_features == dense.n_features
    assert sparse.to_dense().sparse is None
    assert same_bits(sparse.features, dense.features)
    assert not sparse.features.flags.writeable
    for ours, theirs in zip(sparse.queries(), dense.queries(), strict=True):
        assert same_bits(ours.features, theirs.features)


@given(data_sets(), st.data())
def test_queries_are_chosen_and_joined_alike(dense, data):
    chosen = data.draw(st.lists(st.integers(0, dense.n_queries - 1), min_size=1, unique=True))
    sparse = held_sparse(dense)
    assert sparse.select_queries(chosen).equals(dense.select_queries(chosen))
    assert sparse.select_queries(chosen).sparse is not None
    if dense.n_queries > 1:
        cut = dense.n_queries // 2
        parts = [sparse.select_queries(slice(0, cut)), dense.select_queries(slice(cut, None))]
        assert concatenate(parts).equals(dense)


def test_a_cell_that_differs_is_seen_whatever_the_form():
    dense = Dataset.from_arrays(np.zeros((2, 3)), [0, 1], [1, 1])
    for value in (-0.0, 1.0, np.nan):
        other = np.zeros((2, 3))
        other[1, 2] = value
        assert not held_sparse(dense).equals(dense.with_features(other))
        assert not held_sparse(dense).equals(held_sparse(dense.with_features(other)))


def test_widening_makes_no_cells(monkeypatch):
    narrow = Dataset.from_arrays(np.ones((3, 2)), [0, 1, 2], [1, 1, 1])
    wide = narrow.widened(1_000_000)
    assert wide.sparse is not None
    assert wide.n_features == 1_000_000
    assert len(wide.sparse.values) == 6
    assert wide.select_queries([0]).widened(2_000_000).n_features == 2_000_000
    assert narrow.widened(5).features.tolist() == [[1, 1, 0, 0, 0]] * 3
    assert [part.n_features for part in equally_wide([narrow, wide])] == [1_000_000] * 2


def test_replacing_the_features_does_not_bring_the_old_ones_back():
    sparse = held_sparse(Dataset.from_arrays(np.eye(3), [0, 1, 2], [1, 1, 1]))
    other = replace(sparse, features=np.full((3, 3), 7.0))
    assert other.sparse is None
    assert other.features[0, 0] == 7.0
    assert replace(sparse, labels=np.ones(3)).features.tolist() == np.eye(3).tolist()


def test_a_sparse_data_set_survives_pickling():
    sparse = made_sparse(2, 3, 40, 4)
    again = pickle.loads(pickle.dumps(sparse))
    assert again.sparse is not None
    assert again.equals(sparse)


def test_an_array_is_made_up_to_a_limit_and_refused_beyond(monkeypatch):
    sparse = made_sparse(2, 10, 500, 3)
    assert sparse.features.nbytes == 20 * 500 * 8
    monkeypatch.setattr(module, "ALWAYS_MADE", 20 * 500 * 8 - 1)
    assert made_sparse(2, 10, 500, 3).features.shape == (20, 500)
    monkeypatch.setattr(module, "LARGEST_EXPANSION", 10)
    again = made_sparse(2, 10, 500, 3)
    with pytest.raises(
        RankwiseError, match=r"20 documents with 500 features would need .* up to .* GiB"
    ):
        _ = again.features
    assert again.query(0).features.shape == (10, 500)
    assert again.to_dense().features.shape == (20, 500)


def test_an_unknown_attribute_is_still_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'feature'"):
        _ = made_sparse(1, 2, 10, 1).feature


def test_a_frame_of_very_many_columns_is_refused():
    pytest.importorskip("pandas")
    with pytest.raises(RankwiseError, match=r"may have 10,000 there, found 10,001; write LETOR"):
        made_sparse(1, 2, 10_001, 1).to_pandas()
    frame = made_sparse(1, 2, 100, 1).to_pandas()
    assert frame.shape == (2, 102)
