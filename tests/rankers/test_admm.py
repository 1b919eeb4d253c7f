"""ADMM: consensus comes to the minimum of RankSVM-Primal, and of scipy, from any parts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.rankers.linear.admm import ADMM, minimise_by_consensus
from rankwise.rankers.linear.ranksvm import RankSVMPrimal
from rankwise.rankers.ranker import never_stop
from tests.rankers.svm_data import made, margins, real_training
from tests.rankers.test_smoothed_ranks import uneven


def objective(dataset, weights, penalty: float) -> float:
    """λ/2 ‖w‖² + 1/|P| Σ_{(i,j) ∈ P} max(0, 1 − w · (x_i − x_j))², over listed pairs."""
    hinges = np.maximum(0, 1 - margins(dataset, weights))
    return penalty / 2 * weights @ weights + (hinges**2).mean()


@pytest.mark.parametrize("parts", [1, 2, 5, 20])
@pytest.mark.parametrize("penalty", [1e-2, 1.0])
def test_the_minimum_is_that_of_scipy(parts, penalty):
    dataset = made(1, n_queries=9)
    model = ADMM(regularization=penalty, parts=parts, gap=1e-12, rounds=1000).fit(dataset)
    start = np.zeros(dataset.n_features)
    best = minimize(lambda w: objective(dataset, w, penalty), start, options={"gtol": 1e-9})
    reached = objective(dataset, model.scorer.weights, penalty)
    assert reached == pytest.approx(best.fun, abs=1e-6)
    assert model.facts["objective"] == pytest.approx(reached, abs=1e-12)
    assert model.scorer.weights == pytest.approx(best.x, abs=1e-4)


@pytest.mark.parametrize("gap", [1e-3, 1e-10])
def test_the_weights_approach_those_of_ranksvm_primal(gap):
    dataset = made(2, n_queries=15)
    found = ADMM(gap=gap, rounds=1000).fit(dataset)
    expected = RankSVMPrimal(gap=1e-14).fit(dataset)
    assert 0 <= found.facts["objective"] - expected.facts["objective"] <= found.facts["gap"] <= gap
    # λ/2 ‖w − w*‖² is at most how far the objective is from its minimum.
    away = np.sqrt(2 * found.facts["gap"] / 0.1)
    assert np.linalg.norm(found.scorer.weights - expected.scorer.weights) <= away


@pytest.mark.parametrize("penalty", [1e-6, 1e4])
def test_a_penalty_out_of_balance_is_brought_into_it(penalty):
    dataset = made(3)
    found = ADMM(penalty=penalty, gap=1e-9, rounds=1000).fit(dataset)
    assert found.facts["gap"] <= 1e-9


def test_parts_without_a_preference_are_left_out():
    model = ADMM(parts=5, gap=1e-9).fit(uneven(0))
    assert model.facts["parts"] < 5
    expected = RankSVMPrimal().fit(uneven(0)).facts["objective"]
    assert model.facts["objective"] == pytest.approx(expected, abs=1e-6)


class _Parabola:
    """½ ‖w − goal‖² at one w."""

    def __init__(self, weights, goal):
        self.gradient = weights - goal
        self.value = 0.5 * float(self.gradient @ self.gradient)

    def curvature(self, direction):
        return direction


def test_parabolas_agree_on_their_shrunk_mean():
    goals = np.array([[1.0, 0.0], [3.0, -2.0], [2.0, 5.0]])
    found = minimise_by_consensus(
        [lambda weights, goal=goal: _Parabola(weights, goal) for goal in goals],
        2,
        0.5,
        penalty=1.0,
        gap=1e-14,
        rounds=500,
        watch=never_stop,
    )
    assert found.weights == pytest.approx(goals.sum(axis=0) / 3.5, abs=1e-6)


@pytest.mark.slow
def test_the_minimum_on_real_data_is_that_of_ranksvm_primal(shared):
    dataset = real_training(shared, "OHSUMED", 1)
    found = ADMM(gap=1e-6, rounds=3000).fit(dataset)
    assert found.facts["objective"] == pytest.approx(0.906907, abs=1.5e-6)
