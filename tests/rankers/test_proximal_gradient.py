"""Proximal steps: prices literally, the minimum against scipy, the proven gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.pair_objective import PairObjective
from rankwise.rankers.optimizers.proximal_gradient import Prices, proximal_gradient
from rankwise.rankers.ranker import never_stop
from rankwise.rankers.training.relative_features import RelativeFeatures
from tests.rankers.sparse_problems import cheapest, differences, mean_squared_hinge
from tests.rankers.svm_data import made


def objective_of(dataset, quadratic=None):
    features = RelativeFeatures.of(dataset, scale_large=True)
    return PairObjective(features, PreferencePairs.of(dataset, "sparserank"), quadratic)


def semidefinite(width, seed=0):
    root = np.random.default_rng(seed).normal(size=(width, width))
    return root @ root.T / width


@pytest.mark.parametrize("quadratic", [None, semidefinite(4)], ids=["plain", "quadratic"])
def test_the_objective_is_the_equation_and_its_gradient_the_difference(quadratic):
    dataset = made(3)
    objective = objective_of(dataset, quadratic)
    rng = np.random.default_rng(1)
    weights, direction = rng.normal(size=(2, 4))
    bent = 0.0 if quadratic is None else weights @ quadratic @ weights / 2
    expected = mean_squared_hinge(differences(dataset), weights) + bent
    assert objective(weights).value == pytest.approx(expected, abs=1e-12)
    step = 1e-6
    above, below = (objective(weights + sign * step * direction).value for sign in (1, -1))
    slope = objective(weights).gradient @ direction
    assert (above - below) / (2 * step) == pytest.approx(slope, rel=1e-6)


@given(st.floats(-3, 3), st.floats(0, 2), st.floats(0, 2), st.floats(0.01, 2))
def test_shrinking_is_the_minimum_of_its_equation(weight, rising, falling, length):
    prices = Prices(np.array([rising]), np.array([falling]))

    def cost(value):
        return (value - weight) ** 2 / 2 + length * (
            rising * max(0.0, value) + falling * max(0.0, -value)
        )

    found = float(prices.shrink(np.array([weight]), length)[0])
    least = minimize_scalar(cost, bounds=(-4, 4), method="bounded", options={"xatol": 1e-10})
    assert cost(found) <= least.fun + 1e-12
    assert prices.total(np.array([weight])) == rising * max(0, weight) + falling * max(0, -weight)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("quadratic", [None, semidefinite(8, 5) / 10], ids=["plain", "quadratic"])
@pytest.mark.parametrize("size", [1e-3, 1e-2, 1e-1])
def test_the_minimum_is_that_of_scipy(seed, quadratic, size):
    dataset = made(seed, n_features=8)
    rng = np.random.default_rng(seed)
    rising, falling = size * rng.uniform(0.5, 2.0, size=(2, 8))
    expected, _ = cheapest(dataset, rising, falling, quadratic)
    found = proximal_gradient(
        objective_of(dataset, quadratic),
        Prices(rising, falling),
        np.zeros(8),
        gap=1e-9,
        rounds=20_000,
        watch=never_stop,
    )
    assert found.objective == pytest.approx(expected, abs=1e-6)
    assert found.gap <= 1e-9
    value = objective_of(dataset, quadratic)(found.weights).value
    total = np.maximum(found.weights, 0) @ rising - np.minimum(found.weights, 0) @ falling
    assert found.objective == pytest.approx(value + total, abs=1e-12)


@pytest.mark.parametrize("weights", [np.zeros(5), np.array([0.5, -1.0, 0.0, 2.0, 0.0])])
def test_the_lower_bound_is_one_from_any_weights(weights):
    dataset, prices = made(2, n_features=5), np.full(5, 0.01)
    bound = Prices.equal(prices).lower_bound(weights, objective_of(dataset)(weights))
    least, _ = cheapest(dataset, prices, prices)
    assert bound <= least + 1e-9


def test_prices_beyond_every_slope_leave_nothing():
    dataset = made(1)
    steepest = np.abs(objective_of(dataset)(np.zeros(4)).gradient).max()
    found = proximal_gradient(
        objective_of(dataset),
        Prices.equal(np.full(4, 1.001 * steepest)),
        np.zeros(4),
        gap=1e-10,
        rounds=100,
        watch=never_stop,
    )
    assert found.weights.tolist() == [0.0] * 4
    assert found.gap <= 1e-10
    assert found.rounds <= 2


def test_free_weights_end_by_the_conditions_of_a_minimum():
    """Where prices are 0 no gap is proven, and the slope says when to end."""
    dataset = made(0, n_features=5)
    prices = np.array([0.0, 0.0, 0.02, 0.02, 0.02])
    found = proximal_gradient(
        objective_of(dataset),
        Prices.equal(prices),
        np.zeros(5),
        gap=1e-9,
        rounds=20_000,
        watch=never_stop,
        slope=1e-7,
    )
    expected, _ = cheapest(dataset, prices, prices)
    assert found.objective == pytest.approx(expected, abs=1e-6)
    assert found.rounds < 20_000
