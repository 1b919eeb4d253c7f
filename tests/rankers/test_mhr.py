"""MHR: a hyperplane for every two labels, by listed pairs and scipy; how they are added."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.linear.mhr import MHR
from tests.rankers.literal_losses import queries_of
from tests.rankers.svm_data import listed_pairs, made


def hyperplane(dataset, high: float, low: float, regularization: float):
    """The RankSVM of two labels by scipy, over listed pairs."""
    pairs = listed_pairs(dataset)
    of_both = (dataset.labels[pairs[:, 0]] == high) & (dataset.labels[pairs[:, 1]] == low)
    apart = dataset.features[pairs[of_both, 0]] - dataset.features[pairs[of_both, 1]]

    def objective(weights):
        hinges = np.maximum(0, 1 - apart @ weights)
        gradient = regularization * weights - 2 * (hinges @ apart) / len(apart)
        return regularization / 2 * weights @ weights + (hinges**2).mean(), gradient

    start = np.zeros(dataset.n_features)
    return minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-10}).x


def scaled(dataset, weights):
    scores = dataset.features @ weights
    centred = [scores[rows] - scores[rows].mean() for rows in queries_of(dataset)]
    return weights / np.sqrt((np.concatenate(centred) ** 2).mean())


@pytest.mark.parametrize("kind", ["equal", "distance"])
def test_it_is_the_sum_of_scaled_hyperplanes(kind):
    dataset = made(2, n_queries=12)
    expected = sum(
        (high - low if kind == "distance" else 1)
        * scaled(dataset, hyperplane(dataset, high, low, 0.1))
        for high, low in ((1.0, 0.0), (2.0, 0.0), (2.0, 1.0))
    )
    model = MHR(regularization=0.1, weights=kind).fit(dataset)
    assert model.scorer.weights == pytest.approx(expected, rel=1e-3, abs=1e-3)
    assert model.facts["hyperplanes"] == 3


def test_labels_that_never_meet_have_no_hyperplane():
    features = np.random.default_rng(0).random((6, 2))
    dataset = Dataset.from_arrays(features, [0, 1, 1, 0, 2, 2], [1, 1, 1, 2, 2, 2])
    assert MHR().fit(dataset).facts["hyperplanes"] == 2


def test_too_many_labels_are_refused():
    dataset = Dataset.from_arrays(np.zeros((20, 1)), np.arange(20.0), np.ones(20))
    with pytest.raises(RankwiseError, match="at most 16, found 20"):
        MHR().fit(dataset)
