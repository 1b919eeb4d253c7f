"""Proximal Newton steps: prices literally, the minimum against scipy, the proven gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from rankwise.rankers.losses.pairs import PairObjective, PreferencePairs
from rankwise.rankers.optimizers.proximal import Prices, minimise_model, proximal_newton
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


def test_the_hessian_is_the_difference_of_gradients():
    dataset = made(3, n_features=5)
    objective = objective_of(dataset, semidefinite(5))
    weights = np.random.default_rng(2).normal(size=5) / 3
    free = np.array([0, 2, 3])
    step, found = 1e-6, objective(weights).hessian(free)
    for row, number in enumerate(free):
        ahead = weights + step * np.eye(5)[number]
        change = objective(ahead).gradient - objective(weights).gradient
        assert found[row] == pytest.approx(change[free] / step, abs=1e-4)


@given(st.floats(-3, 3), st.floats(0.1, 3), st.floats(-2, 2), st.floats(0, 2), st.floats(0, 2))
def test_one_weight_takes_the_best_value_of_its_model(weight, bend, slope, rising, falling):
    prices = Prices(np.array([rising]), np.array([falling]))

    def cost(value):
        model = slope * (value - weight) + bend * (value - weight) ** 2 / 2
        return model + rising * max(0.0, value) + falling * max(0.0, -value)

    found = minimise_model(
        np.array([[bend]]), np.array([slope]), prices.rising, prices.falling, np.array([weight]),
        1e-12, 10,
    )  # fmt: skip
    least = minimize_scalar(cost, bounds=(-50, 50), method="bounded", options={"xatol": 1e-10})
    assert cost(found[0]) <= least.fun + 1e-9
    missed = prices.missed(found, slope + bend * (found - weight))
    assert missed[0] == pytest.approx(0.0, abs=1e-9)
    assert prices.total(np.array([weight])) == rising * max(0, weight) + falling * max(0, -weight)


def test_the_model_is_least_where_no_condition_is_missed():
    rng = np.random.default_rng(4)
    hessian, gradient, weights = semidefinite(6, 1), rng.normal(size=6), rng.normal(size=6)
    rising, falling = rng.uniform(0, 0.5, size=(2, 6))
    found = minimise_model(hessian, gradient, rising, falling, weights, 1e-12, 100_000)
    slopes = gradient + hessian @ (found - weights)
    missed = Prices(rising, falling).missed(found, slopes)
    assert missed == pytest.approx(np.zeros(6), abs=1e-9)


def test_what_is_missed_is_the_distance_from_the_slopes_of_the_prices():
    prices = Prices(np.array([1.0, 1.0, 1.0, 1.0, 1.0]), np.array([2.0, 2.0, 2.0, 2.0, 2.0]))
    weights = np.array([3.0, -3.0, 0.0, 0.0, 0.0])
    gradient = np.array([-1.5, 1.5, -1.5, 2.5, 0.5])
    assert prices.missed(weights, gradient) == pytest.approx([0.5, 0.5, 0.5, 0.5, 0.0])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("quadratic", [None, semidefinite(8, 5) / 10], ids=["plain", "quadratic"])
@pytest.mark.parametrize("size", [1e-3, 1e-2, 1e-1])
def test_the_minimum_is_that_of_scipy(seed, quadratic, size):
    dataset = made(seed, n_features=8)
    rng = np.random.default_rng(seed)
    rising, falling = size * rng.uniform(0.5, 2.0, size=(2, 8))
    expected, _ = cheapest(dataset, rising, falling, quadratic)
    found = proximal_newton(
        objective_of(dataset, quadratic),
        Prices(rising, falling),
        np.zeros(8),
        gap=1e-8,
        rounds=200,
        watch=never_stop,
    )
    assert found.objective == pytest.approx(expected, abs=1e-6)
    assert found.gap <= 1e-8
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
    found = proximal_newton(
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
    found = proximal_newton(
        objective_of(dataset),
        Prices.equal(prices),
        np.zeros(5),
        gap=1e-8,
        rounds=200,
        watch=never_stop,
        slope=1e-7,
    )
    expected, _ = cheapest(dataset, prices, prices)
    assert found.objective == pytest.approx(expected, abs=1e-6)
    assert found.rounds < 200
