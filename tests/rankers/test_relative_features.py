"""The linear map of features relative to the query, against the matrix written out."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.training.relative_features import RelativeFeatures
from tests.data.sparse_data import held_sparse
from tests.rankers.svm_data import made


def written_out(dataset):
    firsts = dataset.query_offsets[:-1][dataset.query_of_rows]
    return dataset.features - dataset.features[firsts]


@pytest.mark.parametrize("n_features", [1, 4, 5])
def test_scores_and_sums_are_matrix_products(n_features):
    dataset = made(n_features=max(n_features, 2))
    dataset = dataset.with_features(dataset.features[:, :n_features])
    relative = RelativeFeatures.of(dataset, scale_large=True)
    rng = np.random.default_rng(1)
    weights, slopes = rng.normal(size=n_features), rng.normal(size=dataset.n_documents)
    assert relative.scores(weights) == pytest.approx(written_out(dataset) @ weights)
    assert relative.combine(slopes) == pytest.approx(slopes @ written_out(dataset))


def test_features_between_0_and_1_keep_their_scale():
    assert RelativeFeatures.of(made(), scale_large=True).scales.tolist() == [1.0] * 4


def test_large_features_are_divided_by_their_spread_in_the_query():
    dataset = made()
    factors = np.array([1e9, 30.0, 1.0, 1e-9])
    large = dataset.with_features(dataset.features * factors)
    groups = large.features.reshape(8, 7, 4)
    spread = np.sqrt(np.mean((groups - groups.mean(axis=1, keepdims=True)) ** 2, axis=(0, 1)))
    scales = RelativeFeatures.of(large, scale_large=True).scales
    assert scales == pytest.approx(np.maximum(1.0, spread))
    assert RelativeFeatures.of(large, scale_large=False).scales.tolist() == [1.0] * 4


def test_plain_weights_order_documents_as_scaled_ones():
    dataset = made()
    large = dataset.with_features(dataset.features * 1e9)
    relative = RelativeFeatures.of(large, scale_large=True)
    weights = np.array([1.0, -2.0, 0.5, 3.0])
    plain = RelativeFeatures.of(large, scale_large=False)
    assert plain.scores(relative.plain_weights(weights)) == pytest.approx(relative.scores(weights))


def test_offsets_of_queries_cost_no_precision():
    dataset = made()
    features = np.round(dataset.features * 1024) / 1024
    offset = dataset.with_features(features + 2.0**30)
    weights = np.array([1.0, -2.0, 0.5, 3.0])
    near = RelativeFeatures.of(dataset.with_features(features), scale_large=False)
    far = RelativeFeatures.of(offset, scale_large=False)
    assert far.scores(weights).tolist() == near.scores(weights).tolist()


def test_the_matrix_is_not_copied():
    dataset = made()
    relative = RelativeFeatures.of(dataset, scale_large=True)
    assert np.shares_memory(relative.features, dataset.features)


def test_features_in_columns_order_are_taken():
    dataset = made()
    turned = dataset.with_features(np.asfortranarray(dataset.features))
    weights = np.ones(4)
    ours = RelativeFeatures.of(turned, scale_large=True).scores(weights)
    assert ours.tolist() == RelativeFeatures.of(dataset, scale_large=True).scores(weights).tolist()


def test_squares_beyond_numbers_are_refused():
    dataset = Dataset.from_arrays([[0.0, 1e200], [0.0, -1e200]], [0, 1], [1, 1])
    with pytest.raises(RankwiseError, match="found larger ones in feature 2"):
        RelativeFeatures.of(dataset, scale_large=True)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_some_features_keep_their_scores_and_sums(sparse):
    dataset = made(n_features=5)
    large = dataset.with_features(dataset.features * np.array([1e9, 1.0, 30.0, 1.0, 5.0]))
    relative = RelativeFeatures.of(held_sparse(large) if sparse else large, scale_large=True)
    columns = np.array([0, 2, 3])
    rng = np.random.default_rng(1)
    weights, slopes = rng.normal(size=3), rng.normal(size=dataset.n_documents)
    all_weights = np.zeros(5)
    all_weights[columns] = weights
    some = relative.take(columns)
    assert some.scores(weights) == pytest.approx(relative.scores(all_weights))
    assert some.combine(slopes) == pytest.approx(relative.combine(slopes)[columns])
