"""The cutting plane solver and its quadratic program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from rankwise.rankers.losses.pairs import PreferencePairs
from rankwise.rankers.optimizers.cutting_plane import cutting_plane, simplex_program
from rankwise.rankers.ranker import never_stop
from rankwise.rankers.training.relative_features import RelativeFeatures
from tests.rankers.svm_data import listed_pairs, made, margins


def solve(dataset, regularization, search, gap=1e-7, rounds=2000, watch=never_stop):
    features = RelativeFeatures.of(dataset, scale_large=True)
    risk = PreferencePairs.of(dataset, "ranksvm").hinge
    return cutting_plane(
        features, risk, regularization, gap=gap, rounds=rounds, search=search, watch=watch
    )


def hinge_objective(dataset, weights, regularization):
    losses = np.maximum(0.0, 1.0 - margins(dataset, weights))
    return regularization / 2 * weights @ weights + losses.mean()


def dual_optimum(dataset, regularization):
    """The same minimum from the other side: max Σ α − ‖Σ α_ij (x_i − x_j)‖² / (2λ), α ≤ 1/|P|."""
    pairs = listed_pairs(dataset)
    differences = dataset.features[pairs[:, 0]] - dataset.features[pairs[:, 1]]

    def negative_dual(shares):
        combined = shares @ differences
        value = combined @ combined / (2 * regularization) - shares.sum()
        return value, differences @ combined / regularization - 1.0

    found = minimize(
        negative_dual,
        np.zeros(len(pairs)),
        jac=True,
        bounds=[(0.0, 1.0 / len(pairs))] * len(pairs),
        method="L-BFGS-B",
        options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10},
    )
    return -found.fun


@pytest.mark.parametrize("search", [False, True])
@pytest.mark.parametrize("regularization", [0.1, 0.01])
def test_the_minimum_is_that_of_the_listed_dual(search, regularization):
    dataset = made(n_queries=5, length=6)
    found = solve(dataset, regularization, search)
    assert found.gap <= 1e-7
    assert found.objective == pytest.approx(dual_optimum(dataset, regularization), abs=2e-6)


@pytest.mark.parametrize("search", [False, True])
def test_the_objective_is_that_of_the_weights(search):
    dataset = made()
    found = solve(dataset, 0.01, search)
    assert found.objective == pytest.approx(hinge_objective(dataset, found.weights, 0.01))


@pytest.mark.parametrize("search", [False, True])
def test_every_gap_is_a_true_bound(search):
    dataset = made(3)
    minimum = solve(dataset, 0.01, True, gap=1e-9).objective
    for rounds in (1, 2, 3, 5, 8, 13):
        found = solve(dataset, 0.01, search, rounds=rounds)
        assert found.rounds == rounds
        assert -1e-12 <= found.objective - minimum <= found.gap + 1e-9


def test_the_watch_stops_with_the_best_so_far():
    seen = []

    def watch(progress):
        seen.append(progress.training)
        return progress.number == 4

    found = solve(made(), 0.01, False, watch=watch)
    assert found.rounds == 4
    assert seen == sorted(seen, reverse=True)
    assert found.objective == seen[-1]


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 6))
def test_the_quadratic_program_meets_its_optimality_conditions(seed, size, rank):
    """At the minimum all parts in use have the lowest gradient, Qα − b."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(size, rank))
    products, offsets = factors @ factors.T, rng.normal(size=size)
    start = np.zeros(size)
    start[rng.integers(size)] = 1.0
    shares = simplex_program(products, offsets, start, 1e-9, 100_000)
    gradient = products @ shares - offsets
    assert shares.min() >= 0.0
    assert shares.sum() == pytest.approx(1.0)
    assert gradient[shares > 0].max() - gradient.min() <= 1e-7


def test_equal_cuts_do_not_stall_the_quadratic_program():
    products, offsets = np.ones((3, 3)), np.array([0.0, 1.0, 1.0])
    shares = simplex_program(products, offsets, np.array([1.0, 0.0, 0.0]), 1e-9, 1000)
    assert shares[0] == 0.0
    assert shares.sum() == 1.0
