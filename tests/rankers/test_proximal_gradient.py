"""Accelerated proximal steps: literally, against scipy, and where they end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from rankwise.rankers.optimizers.proximal import Prices, proximal_gradient
from rankwise.rankers.ranker import never_stop
from tests.rankers.sparse_problems import cheapest, differences, mean_squared_hinge
from tests.rankers.svm_data import made
from tests.rankers.test_proximal_newton import objective_of, semidefinite


@given(st.floats(-3, 3), st.floats(0, 2), st.floats(0, 2), st.floats(0.01, 2))
def test_shrinking_is_the_minimum_of_its_equation(weight, rising, falling, length):
    def cost(value):
        price = rising * max(0.0, value) + falling * max(0.0, -value)
        return (value - weight) ** 2 / 2 + length * price

    prices = Prices(np.array([rising]), np.array([falling]))
    found = float(prices.shrink(np.array([weight]), length)[0])
    least = minimize_scalar(cost, bounds=(-4, 4), method="bounded", options={"xatol": 1e-10})
    assert cost(found) <= least.fun + 1e-12


def literal_steps(dataset, price, count):
    """FISTA with back-tracking over listed pairs, as Beck and Teboulle write it."""
    apart = differences(dataset)
    weights = ahead = np.zeros(dataset.n_features)
    momentum, steepness, last = 1.0, 1e-3, np.inf
    for _ in range(count):
        gradient = -2 * (np.maximum(0, 1 - apart @ ahead) @ apart) / len(apart)
        start = mean_squared_hinge(apart, ahead)
        while True:
            moved = ahead - gradient / steepness
            moved = np.sign(moved) * np.maximum(np.abs(moved) - price / steepness, 0)
            change = moved - ahead
            bound = start + gradient @ change + steepness / 2 * change @ change
            if mean_squared_hinge(apart, moved) <= bound + 1e-14:
                break
            steepness *= 2
        value = mean_squared_hinge(apart, moved) + price * np.abs(moved).sum()
        assert value <= last, "a restart, which the literal steps do not have"
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moved + (momentum - 1) / following * (moved - weights)
        weights, momentum, last = moved, following, value
    return weights


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_steps_are_the_equations(count):
    dataset = made(1, n_features=6)
    found = proximal_gradient(
        objective_of(dataset),
        Prices.equal(np.full(6, 0.01)),
        np.zeros(6),
        gap=1e-12,
        rounds=count,
        watch=never_stop,
    )
    assert found.weights == pytest.approx(literal_steps(dataset, 0.01, count), abs=1e-10)


@pytest.mark.parametrize("quadratic", [None, semidefinite(8, 5) / 10], ids=["plain", "quadratic"])
@pytest.mark.parametrize("size", [1e-3, 1e-2, 1e-1])
def test_the_minimum_is_that_of_scipy(quadratic, size):
    dataset = made(1, n_features=8)
    rising, falling = size * np.random.default_rng(1).uniform(0.5, 2.0, size=(2, 8))
    expected, _ = cheapest(dataset, rising, falling, quadratic)
    found = proximal_gradient(
        objective_of(dataset, quadratic),
        Prices(rising, falling),
        np.zeros(8),
        gap=1e-7,
        rounds=20_000,
        watch=never_stop,
    )
    assert found.objective == pytest.approx(expected, abs=1e-6)
    assert found.gap <= 1e-7


def test_steps_end_where_the_objective_changes_little():
    dataset = made(2, n_features=6)
    seen = []
    found = proximal_gradient(
        objective_of(dataset),
        Prices.equal(np.full(6, 0.003)),
        np.zeros(6),
        gap=1e-12,
        rounds=1000,
        watch=lambda progress: bool(seen.append(progress.training)),
        tolerance=1e-4,
    )
    falls = -np.diff(seen) / seen[:-1]
    assert falls[-1] <= 1e-4
    assert (falls[:-1] > 1e-4).all() or (falls[:-1] == 0).any()
    assert found.rounds == len(seen) < 1000
