"""RankSVM-Primal and truncated Newton: the optimum of the squared hinge on pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.rankers.linear.ranksvm import RankSVMPrimal
from rankwise.rankers.optimizers.newton import truncated_newton
from rankwise.rankers.ranker import never_stop
from tests.rankers.svm_data import all_folds, listed_pairs, made, margins, real_training

OPTIMA = {
    "OHSUMED": (0.906907, 0.905794, 0.907665, 0.892900, 0.899751),
    "MQ2008": (0.618777, 0.621211, 0.567611, 0.579756, 0.615164),
}


@pytest.mark.parametrize(("name", "fold", "optimum"), all_folds(OPTIMA, fast=(1, 2, 3, 4, 5)))
def test_real_optima(shared, name, fold, optimum):
    model = RankSVMPrimal(regularization=0.1).fit(real_training(shared, name, fold))
    assert model.facts["gap"] <= 1e-7
    assert model.facts["objective"] == pytest.approx(optimum, abs=1e-6)


def literal_objective(dataset, weights, regularization):
    losses = np.maximum(0.0, 1.0 - margins(dataset, weights)) ** 2
    return regularization / 2 * weights @ weights + losses.mean()


def test_the_objective_is_the_equation():
    dataset = made()
    model = RankSVMPrimal(regularization=0.02).fit(dataset)
    expected = literal_objective(dataset, model.scorer.weights, 0.02)
    assert model.facts["objective"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("regularization", [1.0, 0.01, 1e-4])
def test_a_general_optimiser_on_listed_pairs_finds_the_same_weights(regularization):
    dataset = made(2)
    pairs = listed_pairs(dataset)
    differences = dataset.features[pairs[:, 0]] - dataset.features[pairs[:, 1]]

    def value_and_gradient(weights):
        short = np.maximum(0.0, 1.0 - differences @ weights)
        gradient = regularization * weights - 2 * short @ differences / len(pairs)
        return regularization / 2 * weights @ weights + (short**2).mean(), gradient

    expected = minimize(
        value_and_gradient, np.zeros(4), jac=True, method="BFGS", options={"gtol": 1e-9}
    )
    model = RankSVMPrimal(regularization=regularization, gap=1e-13).fit(dataset)
    assert model.facts["objective"] == pytest.approx(expected.fun, abs=1e-10)
    assert model.scorer.weights == pytest.approx(expected.x, abs=1e-4)


def test_the_gap_is_a_true_bound():
    dataset = made(4)
    minimum = RankSVMPrimal(regularization=0.001, gap=1e-13).fit(dataset).facts["objective"]
    for rounds in (1, 2, 3):
        facts = RankSVMPrimal(regularization=0.001, rounds=rounds).fit(dataset).facts
        assert 0.0 <= facts["objective"] - minimum + 1e-13 <= facts["gap"]


def test_the_watch_sees_falling_objectives_and_stops():
    seen = []

    def watch(progress):
        seen.append(progress.training)
        return len(seen) == 2

    model = RankSVMPrimal(regularization=1e-4).fit(made(), watch=watch)
    assert model.facts["rounds"] == 2
    assert seen[1] < seen[0]
    assert model.facts["objective"] == seen[1]


@dataclass(frozen=True)
class Steep:
    """f(w) = Σ √(1 + c² w²) + w²/2: full Newton steps from far away overshoot it."""

    weights: np.ndarray
    slope: float = 30.0

    @property
    def value(self):
        return float(
            np.sqrt(1 + (self.slope * self.weights) ** 2).sum() + (self.weights**2).sum() / 2
        )

    @property
    def gradient(self):
        root = np.sqrt(1 + (self.slope * self.weights) ** 2)
        return self.slope**2 * self.weights / root + self.weights

    def curvature(self, direction):
        root = np.sqrt(1 + (self.slope * self.weights) ** 2)
        return (self.slope**2 / root**3 + 1) * direction


def test_newton_steps_that_overshoot_are_shortened():
    start = np.array([3.0, -2.0, 0.5])
    found = truncated_newton(Steep, start, 1.0, gap=1e-12, rounds=100, watch=never_stop)
    assert found.gap <= 1e-12
    assert found.weights == pytest.approx(np.zeros(3), abs=1e-6)
    assert found.objective == pytest.approx(3.0)


def test_a_gap_below_rounding_ends_all_the_same():
    found = truncated_newton(
        Steep, np.array([1.0, 1e-9]), 1.0, gap=0.0, rounds=1000, watch=never_stop
    )
    assert found.objective == pytest.approx(2.0)
