"""Limited-memory BFGS: known minima, scipy's answers, and when it ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import rosen, rosen_der

from rankwise.rankers.losses.listwise import CentredSquares
from rankwise.rankers.optimizers.lbfgs import best_step, minimise, quasi_newton
from rankwise.rankers.ranker import never_stop
from rankwise.rankers.training.relative_features import RelativeFeatures
from tests.rankers.svm_data import made


@given(seed=st.integers(0, 10_000), n=st.integers(1, 30), spread=st.sampled_from([1.0, 1e4]))
@settings(max_examples=20)
def test_the_minimum_of_a_quadratic(seed, n, spread):
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(n, n)))
    matrix = turn * np.geomspace(1.0, spread, n) @ turn.T
    goal = rng.normal(size=n)

    def objective(w):
        return 0.5 * (w - goal) @ matrix @ (w - goal), matrix @ (w - goal)

    found = minimise(objective, np.zeros(n), rounds=2000, slope=1e-7)
    assert found == pytest.approx(goal, abs=2e-6)


def test_a_bent_valley():
    found = minimise(lambda w: (rosen(w), rosen_der(w)), np.full(6, -1.2), rounds=500, slope=1e-9)
    assert found == pytest.approx(np.ones(6), abs=1e-7)


def test_every_step_falls():
    values = []
    minimise(
        lambda w: (rosen(w), rosen_der(w)),
        np.full(4, -1.0),
        rounds=30,
        after=lambda w, value: bool(values.append(value)),
    )
    assert len(values) == 30
    assert np.all(np.diff(values) < 0)


def test_it_stays_at_a_minimum_and_stops_when_told():
    def bowl(w):
        return float(w @ w), 2 * w

    assert minimise(bowl, np.zeros(3), rounds=10).tolist() == [0.0, 0.0, 0.0]
    seen = []
    minimise(bowl, np.array([3.0, 4.0]), rounds=10, after=lambda w, _: bool([seen.append(w)]))
    assert len(seen) == 1


def test_values_that_are_no_numbers_are_stepped_back_from():
    def walled(w):
        if w[0] >= 0.5:
            return np.nan, np.array([np.nan])
        return -np.log(0.5 - w[0]) - 8 * w[0], np.array([1 / (0.5 - w[0]) - 8])

    found = minimise(walled, np.array([-3.0]), rounds=100, slope=1e-8)
    assert found == pytest.approx([0.5 - 1 / 8])


def test_the_gap_bounds_the_distance_from_the_minimum():
    dataset = made(1)
    features = RelativeFeatures.of(dataset, scale_large=True)
    loss = CentredSquares.of(dataset, dataset.labels)

    def run(**options):
        return quasi_newton(loss, features, 0.1, rounds=500, watch=never_stop, **options)

    best = run(gap=1e-13).objective
    for gap in (1e-1, 1e-3, 1e-5):
        found = run(gap=gap)
        assert best <= found.objective <= best + found.gap
        assert found.gap <= gap


def test_the_best_step_is_the_one_with_the_best_figure():
    dataset = made(1)
    features = RelativeFeatures.of(dataset, scale_large=True)
    loss = CentredSquares.of(dataset, dataset.labels)
    figures = iter([0.2, 0.5, 0.5, 0.1, 0.4, 0.3, 0.9])
    points = []

    def figure(weights):
        points.append(weights)
        return next(figures)

    weights, facts = best_step(
        loss, features, 0.1, figure, gap=1e-13, rounds=50, patience=3, watch=never_stop
    )
    assert (facts["round"], facts["rounds"], facts["selection"]) == (2, 5, 0.5)
    assert weights.tobytes() == points[1].tobytes()
