"""FenchelRank: the paper's steps literally, the minimum against scipy, the proven gap."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rankwise.rankers.linear.fenchelrank import FenchelRank
from tests.rankers.sparse_problems import differences, least_in_ball, mean_squared_hinge
from tests.rankers.svm_data import made
from tests.rankers.tuned_folds import real_fold


def exact_share(apart, weights, corner, radius):
    """The μ in [0, 1] of least Σ max(0, 1/r − ...)²: the best of all its parabolas."""
    slack = 1.0 / radius - apart @ weights
    change = apart @ (corner - weights)
    borders = np.divide(slack, change, out=np.full(len(slack), np.inf), where=change != 0)
    ends = np.unique(np.concatenate([[0.0, 1.0], borders[(borders > 0) & (borders < 1)]]))
    tried = list(ends)
    for low, high in pairwise(ends):
        active = slack - (low + high) / 2 * change > 0
        square = (change[active] ** 2).sum()
        if square > 0:
            tried.append(np.clip((change[active] @ slack[active]) / square, low, high))
    losses = [(np.maximum(0.0, slack - share * change) ** 2).sum() for share in tried]
    return tried[int(np.argmin(losses))]


def literal_steps(dataset, radius, gap, rounds):
    """The algorithm as the paper writes it, with ‖w‖₁ ≤ 1 and listed pairs."""
    apart = differences(dataset)
    weights = np.zeros(dataset.n_features)
    for _ in range(rounds):
        dual = 2 * radius**2 / len(apart) * np.maximum(0.0, 1 / radius - apart @ weights)
        slopes = apart.T @ dual
        best = int(np.argmax(np.abs(slopes)))
        if np.abs(slopes[best]) - dual @ (apart @ weights) <= gap:
            break
        corner = np.zeros_like(weights)
        corner[best] = np.sign(slopes[best])
        share = exact_share(apart, weights, corner, radius)
        weights = (1 - share) * weights + share * corner
    return weights


@pytest.mark.parametrize("radius", [0.5, 2.0, 10.0])
@pytest.mark.parametrize("rounds", [1, 2, 7, 30])
def test_steps_are_those_of_the_paper(radius, rounds):
    dataset = made(1, n_features=6)
    model = FenchelRank(radius=radius, gap=1e-3, rounds=rounds).fit(dataset)
    expected = radius * literal_steps(dataset, radius, 1e-3, rounds)
    assert model.scorer.weights == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("radius", [0.3, 1.0, 100.0])
def test_the_minimum_is_that_of_scipy(radius):
    """In a corner or inside the ball, where greedy steps converge quickly."""
    dataset = made(0, n_queries=6, n_features=4)
    facts = FenchelRank(radius=radius, gap=1e-6, rounds=3000).fit(dataset).facts
    assert facts["objective"] == pytest.approx(least_in_ball(dataset, radius), abs=1e-6)


@pytest.mark.parametrize("rounds", [10, 100, 1000])
def test_the_minimum_lies_within_the_gap(rounds):
    """On a face of the ball steps go to and fro between its corners: the gap falls like 1 / t."""
    dataset = made(0, n_queries=6, n_features=4)
    facts = FenchelRank(radius=3.0, gap=1e-6, rounds=rounds).fit(dataset).facts
    least = least_in_ball(dataset, 3.0)
    assert facts["objective"] - facts["gap"] <= least <= facts["objective"]
    assert facts["gap"] <= 2.0 / rounds


@pytest.mark.parametrize("gap", [0.2, 0.05])
def test_training_ends_with_the_first_step_within_the_gap(gap):
    dataset = made(0, n_queries=6, n_features=4)
    facts = FenchelRank(radius=3.0, gap=gap).fit(dataset).facts
    steps = facts["rounds"]
    assert 1 < steps < 300
    assert facts["gap"] <= gap < FenchelRank(radius=3.0, rounds=steps - 1).fit(dataset).facts["gap"]
    # A gap of exactly ε is near enough.
    assert FenchelRank(radius=3.0, gap=facts["gap"]).fit(dataset).facts == facts


def test_facts_are_those_of_the_weights():
    dataset = made(2, n_features=6)
    model = FenchelRank(radius=2.0).fit(dataset)
    weights = model.scorer.weights
    assert np.abs(weights).sum() <= 2.0 + 1e-12
    expected = mean_squared_hinge(differences(dataset), weights)
    assert model.facts["objective"] == pytest.approx(expected, abs=1e-12)
    assert model.facts["features_kept"] == np.count_nonzero(weights)
    assert 0.0 <= model.facts["gap"] <= 1e-3


def test_a_feature_that_no_step_took_has_no_weight():
    model = FenchelRank(radius=4.0, rounds=3).fit(made(3, n_queries=20, n_features=12))
    assert model.facts["rounds"] == 3
    assert 1 <= model.facts["features_kept"] <= 3


@pytest.mark.parametrize("data", ["ohsumed", "mq2008"])
def test_real_data_end_within_the_gap(shared, data):
    train, _, _ = real_fold(shared, data, 1)
    facts = FenchelRank(radius=1.0).fit(train).facts
    assert facts["gap"] <= 1e-3
    assert facts["rounds"] < 1000
    assert 1 <= facts["features_kept"] <= 25
