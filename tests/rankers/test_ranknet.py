"""RankNet: the linear minimum, early stopping, and networks whose bits depend on nothing else."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.errors import MissingExtra
from rankwise.models.scorers.networks import Network
from rankwise.rankers.gradient.ranknet import RankNet
from rankwise.rankers.gradient.torch_training import NetworkTraining
from rankwise.rankers.losses.lambdas import LogisticPairs
from rankwise.rankers.training.model_selection import batches
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import made, margins
from tests.rankers.torch_marks import needs_torch


def test_without_validation_the_linear_minimum_is_reached():
    dataset = made(1)

    def value(weights):
        losses = np.log1p(np.exp(-margins(dataset, weights)))
        return 0.005 * weights @ weights + losses.mean()

    model = RankNet(regularization=0.01).fit(dataset)
    expected = minimize(value, np.zeros(4), method="BFGS")
    assert model.facts["objective"] == pytest.approx(expected.fun, abs=1e-8)
    assert model.facts["objective"] == pytest.approx(value(model.scorer.weights), rel=1e-12)


@pytest.mark.parametrize("hidden", ["none", pytest.param("4", marks=needs_torch)])
def test_the_best_round_on_validation_is_taken(hidden):
    train, validation = made(1, n_queries=6), made(2, n_queries=6)
    seen = []
    model = RankNet(hidden_layers=hidden, rounds=40, patience=10).fit(
        train, validation, watch=lambda progress: bool(seen.append(progress))
    )
    figures = [progress.validation for progress in seen]
    reached = TrainingMeasure.of(validation, "MAP").mean(model.score(validation))
    assert reached == max(figures)
    chosen = model.facts["round"]
    assert figures.index(max(figures)) == chosen - 1
    assert len(figures) == model.facts["rounds"]
    # The linear function may be at its minimum before patience ends.
    ended = min(40, chosen + 10)
    assert len(figures) <= ended if hidden == "none" else len(figures) == ended
    assert model.facts["selection"] == max(figures)


@pytest.mark.parametrize("hidden", ["none", pytest.param("4", marks=needs_torch)])
def test_a_watch_that_stops_gets_the_best_so_far(hidden):
    model = RankNet(hidden_layers=hidden).fit(made(1), made(2), watch=lambda _: True)
    assert np.ptp(model.score(made(3))) > 0


@needs_torch
@pytest.mark.parametrize("activation", ["tanh", "relu", "sigmoid"])
def test_slopes_go_back_through_the_layers(activation):
    """The first step of Adam is the rate times the sign of the slope of loss + λ/2 ‖W‖²."""
    dataset = made(4)
    loss = LogisticPairs.of(dataset)
    training = NetworkTraining(
        dataset,
        [dataset],
        lambda part: loss,
        (3, 2),
        activation=activation,
        rate=1e-3,
        regularization=0.01,
        rng=np.random.default_rng(0),
    )
    before = training.scorer()

    def objective(weights, biases):
        moved = Network(
            before.sizes, weights, biases, before.means, before.scales, before.activation
        )
        return loss.at(moved.score(dataset.features))[0] + 0.005 * weights @ weights

    first = before.weights.copy(), before.biases.copy()
    slopes = []
    for which in (0, 1):
        for number in range(len(first[which])):
            ends = []
            for step in (1e-6, -1e-6):
                values = [first[0].copy(), first[1].copy()]
                values[which][number] += step
                ends.append(objective(*values))
            slopes.append((ends[0] - ends[1]) / 2e-6)
    slopes = np.array(slopes)
    training.step()
    after = training.scorer()
    moved = np.concatenate([after.weights - first[0], after.biases - first[1]])
    # Dead units and the last bias, which moves no document, have no slope.
    large = np.abs(slopes) > 1e-5
    assert large.sum() > 8
    assert moved[large] == pytest.approx(-1e-3 * np.sign(slopes[large]), rel=1e-2)


def test_batches_hold_every_query_once():
    dataset = made(0, n_queries=11)
    parts = batches(dataset, 4, np.random.default_rng(0))
    assert [part.n_queries for part in parts] == [4, 4, 3]
    ids = [text for part in parts for text in part.query_ids]
    assert sorted(ids) == sorted(dataset.query_ids)
    assert batches(dataset, 0, np.random.default_rng(0)) == [dataset]


@needs_torch
def test_batches_of_queries_learn():
    dataset = made(0, n_queries=30)
    model = RankNet(hidden_layers="5-5-5", queries_per_batch=8, rounds=60).fit(dataset, dataset)
    assert TrainingMeasure.of(dataset, "MAP").mean(model.score(dataset)) > 0.85


SCRIPT = """
import hashlib, sys
from rankwise.rankers.gradient.ranknet import RankNet
from rankwise.rankers.gradient.listnet import ListNet
from tests.rankers.svm_data import made
train, validation = made(1, n_queries=40, length=60, n_features=30), made(2, n_features=30)
for ranker in (RankNet(hidden_layers="20-10", rounds=15), ListNet()):
    model = ranker.fit(train, validation, seed=3)
    print(hashlib.sha256(model.score(train).tobytes()).hexdigest())
"""


@needs_torch
def test_another_process_with_other_threads_gives_the_same_bits(capsys):
    exec(SCRIPT, {})
    here = capsys.readouterr().out.split()
    # One thread there; here as many as this machine has.
    there = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(here) == 2
    assert here == there.stdout.split()


@needs_torch
def test_torch_keeps_its_settings():
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    RankNet(hidden_layers="3", rounds=2).fit(made(1), made(2))
    assert (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()) == before


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match="the extra 'neural'; install them: pip install"):
        RankNet(hidden_layers="10").fit(made(1), made(2))
    assert RankNet(hidden_layers="none").fit(made(1), made(2)).scorer.kind == "linear"
