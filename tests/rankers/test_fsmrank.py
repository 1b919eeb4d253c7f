"""FSMRank: importance and similarity literally, the doubled problem of its paper by scipy."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.measures.evaluation import evaluate
from rankwise.rankers.linear.sparse import FSMRank, correlations
from tests.rankers.sparse_problems import cheapest
from tests.rankers.svm_data import made


def test_similarity_is_the_correlation():
    features = made(2, n_features=5).features
    assert correlations(features) == pytest.approx(np.corrcoef(features.T), abs=1e-12)
    constant = np.column_stack([features, np.full(len(features), 3.0)])
    assert correlations(constant)[5].tolist() == [0.0] * 6


def test_importance_is_the_measure_of_each_feature_and_of_its_negative():
    dataset = made(1, n_features=3)
    rising, falling = FSMRank(measure="NDCG@5")._importance(dataset)
    for number, column in enumerate(dataset.features.T):
        above, below = (
            evaluate(dataset, sign * column, "NDCG@5", ties="expected")["NDCG@5"].mean
            for sign in (1, -1)
        )
        assert (rising[number], falling[number]) == pytest.approx((above, below), abs=1e-12)


def test_a_worthless_feature_has_a_price_all_the_same():
    dataset = Dataset.from_arrays([[0.0, 1.0], [1.0, 0.0]], [0, 1], [1, 1])
    rising, falling = FSMRank(measure="NDCG@1")._importance(dataset)
    assert rising.tolist() == [1.0, 1e-3]
    assert falling.tolist() == [1e-3, 1.0]


@pytest.mark.parametrize("similarity", [0.0, 1e-2, 1.0])
@pytest.mark.parametrize("regularization", [1e-4, 1e-2])
def test_it_is_the_minimum_of_the_doubled_problem(similarity, regularization):
    dataset = made(6, n_features=6)
    exactly = {"tolerance": 0.0, "gap": 1e-9, "rounds": 20_000}
    ranker = FSMRank(similarity=similarity, regularization=regularization, **exactly)
    rising, falling = ranker._importance(dataset)
    # x beside −x: the quadratic of the doubled weights is that of their differences.
    expected, weights = cheapest(
        dataset,
        regularization / rising,
        regularization / falling,
        similarity * np.corrcoef(dataset.features.T),
    )
    model = ranker.fit(dataset)
    assert model.facts["objective"] == pytest.approx(expected, abs=1e-6)
    assert model.scorer.weights == pytest.approx(weights, abs=1e-2)
    assert model.facts["features_kept"] == np.count_nonzero(model.scorer.weights)


def test_the_quadratic_of_doubled_features_is_that_of_differences():
    features = made(3, n_features=4).features
    doubled = correlations(np.hstack([features, -features]))
    weights = np.random.default_rng(0).random(8)
    apart = weights[:4] - weights[4:]
    assert weights @ doubled @ weights == pytest.approx(apart @ correlations(features) @ apart)


def test_it_ends_before_the_minimum_and_says_how_far():
    dataset = made(0, n_queries=30, n_features=10)
    early, exact = (FSMRank(tolerance=tolerance).fit(dataset) for tolerance in (1e-3, 0.0))
    assert early.facts["rounds"] < exact.facts["rounds"]
    away = early.facts["objective"] - exact.facts["objective"]
    assert 0.0 < away <= early.facts["gap"]
    assert early.facts["features_kept"] >= exact.facts["features_kept"]
