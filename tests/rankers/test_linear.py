"""The linear scorer: its equation, a fixed order of summation, and NULL where it is not used."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 30])
def test_scores_are_sums_in_the_order_of_the_features(rows) -> None:
    rng = np.random.default_rng(rows)
    features, weights = rng.normal(size=(rows, 5)) * 1e8, rng.normal(size=5)
    expected = []
    for row in features.tolist():
        total = 0.25
        for value, weight in zip(row, weights.tolist(), strict=True):
            total += value * weight
        expected.append(total)
    assert Linear(weights, 0.25).score(features).tolist() == expected


def test_a_feature_of_weight_0_may_be_null() -> None:
    linear = Linear(np.array([2.0, 0.0, 3.0]))
    assert linear.score(np.array([[1.0, np.nan, 1.0]])).tolist() == [2.0 * 1.0 + 3.0 * 1.0]
    assert np.isnan(linear.score(np.array([[np.nan, 1.0, 1.0]])))[0]


def test_features_in_another_layout_or_type_have_the_same_scores() -> None:
    features = np.random.default_rng(0).normal(size=(9, 3)).astype(np.float32)
    linear = Linear(np.array([1.0, -2.0, 0.5]), 1.0)
    expected = linear.score(features.astype(np.float64)).tolist()
    assert linear.score(features).tolist() == expected
    assert linear.score(np.asfortranarray(features)).tolist() == expected


def test_too_few_features_are_refused() -> None:
    with pytest.raises(RankwiseError, match="a matrix of 3 columns, found shape"):
        Linear(np.ones(3)).score(np.zeros((4, 2)))
