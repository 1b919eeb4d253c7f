"""ListMLE: the minimum of the likelihood loss, and orders that the file does not decide."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.listnet import ListMLE
from rankwise.rankers.losses.listwise import OrderLikelihood
from tests.rankers.svm_data import made


@pytest.mark.parametrize("regularization", [1.0, 1e-3])
def test_a_general_optimiser_finds_the_same_minimum(regularization):
    dataset = made(2)
    loss = OrderLikelihood.of(dataset, 10, np.random.default_rng(7))

    def value(weights):
        cost, _ = loss.at(dataset.features @ weights)
        return regularization / 2 * weights @ weights + cost

    expected = minimize(value, np.zeros(4), method="BFGS")
    model = ListMLE(regularization=regularization).fit(dataset, seed=7)
    assert model.facts["objective"] == pytest.approx(expected.fun, abs=1e-7)
    assert model.scorer.weights == pytest.approx(expected.x, abs=1e-2)


def test_the_order_of_the_file_is_not_taught():
    """A feature that counts the rows is worth nothing where labels do not follow it."""
    rng = np.random.default_rng(0)
    queries, length = 60, 12
    places = np.tile(np.linspace(1.0, 0.0, length), queries)
    labels = rng.integers(0, 2, queries * length)
    features = np.stack([places, labels + rng.normal(size=len(places))], axis=1)
    dataset = Dataset.from_arrays(features, labels, np.repeat(np.arange(queries), length))
    weights = ListMLE(regularization=1e-3).fit(dataset).scorer.weights
    assert abs(weights[0]) < 0.2 < weights[1]


def test_the_seed_decides_the_draws():
    dataset = made(3)
    one, same, other = (ListMLE(draws=1).fit(dataset, seed=seed).scorer for seed in (1, 1, 2))
    assert one.weights.tobytes() == same.weights.tobytes()
    assert one.weights.tobytes() != other.weights.tobytes()
