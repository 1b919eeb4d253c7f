"""Descriptions, checks and scales of sparse data are those of the same data held dense."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data import (
    NORMALIZATIONS,
    Dataset,
    check_dataset,
    count_null,
    describe,
    fill_null,
    normalize,
)
from rankwise.data.normalization import blocks
from rankwise.errors import RankwiseError

from .sparse_data import data_sets, held_sparse, made_sparse


@given(data_sets())
def test_the_description_is_the_same(dense):
    assert describe(held_sparse(dense)) == describe(dense)


def test_a_million_features_are_described_by_their_entries():
    values = np.zeros((4, 3))
    values[:, 0], values[1, 2] = 5.0, np.nan
    narrow = Dataset.from_arrays(values, [0, 1, 2, 0], ["a", "a", "b", "b"])
    facts = describe(narrow.widened(1_000_000))
    assert facts.features == 1_000_000
    assert len(facts.constant_features) == 1_000_000
    assert facts.null_features == {"3": 1}
    assert [len(group) for group in facts.duplicate_features] == [1_000_000 - 2]


@given(data_sets(), st.sampled_from([np.inf, -np.inf, 1e39]))
def test_the_same_is_found_wrong(dense, wrong):
    features = dense.features.copy()
    features[-1, -1] = wrong
    changed = dense.with_features(features)
    assert check_dataset(held_sparse(changed), "here") == check_dataset(changed, "here")
    assert check_dataset(held_sparse(changed), "here")


@given(data_sets(), st.sampled_from(["minimum", "zero", "2.5", "minimum,1=7"]))
def test_null_is_filled_with_the_same(dense, rule):
    sparse = held_sparse(dense)
    assert count_null(sparse) == count_null(dense)
    expected = fill_null(dense, rule).features
    assert np.array_equal(fill_null(sparse, rule).features, expected)


@pytest.mark.parametrize("to", NORMALIZATIONS)
@given(dense=data_sets())
def test_scales_are_the_same(to, dense):
    """Up to the order of sums; minimum and maximum have none."""
    sparse = held_sparse(dense)
    fit = NORMALIZATIONS[to].fitted
    for rule in ("minimum", None):
        expected = normalize(dense, to, fill_rule=rule, fit_on=dense if fit else None)
        found = normalize(sparse, to, fill_rule=rule, fit_on=sparse if fit else None)
        np.testing.assert_allclose(found.features, expected.features, rtol=1e-12, atol=1e-14)
        if to in ("min", "query-level", "dataset-min-max"):
            assert np.array_equal(found.features, expected.features, equal_nan=True)


def test_a_scale_that_leaves_zeros_alone_leaves_the_data_sparse():
    sparse = made_sparse(20, 10, 12_000, 30)
    for to in ("query-level", "sum"):
        scaled = normalize(sparse, to)
        assert scaled.sparse is not None
        assert len(scaled.sparse.values) <= len(sparse.sparse.values)


def test_a_scale_that_moves_too_many_zeros_is_refused(monkeypatch):
    sparse = made_sparse(20, 10, 12_000, 30)
    monkeypatch.setattr(blocks, "largest_array", lambda sparse: 1 << 20)
    with pytest.raises(RankwiseError, match=r"would move [0-9,]+ zeros .* such as sum"):
        normalize(sparse, "z-score")


def test_an_infinite_value_is_named_where_it_stands():
    features = np.zeros((4, 3))
    features[2, 1] = np.inf
    dense = Dataset.from_arrays(features, [0, 1, 0, 1], ["a", "a", "b", "b"])
    for form in (dense, held_sparse(dense)):
        with pytest.raises(RankwiseError, match="found inf as feature 2 of row 3, query 'b'"):
            normalize(form, "query-level")
