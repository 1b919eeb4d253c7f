"""ListNet: its one optimum on the real folds, and networks that learn."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.experiments.parameter_search import Search, list_combinations
from rankwise.rankers.gradient.listnet import ListNet
from rankwise.rankers.losses.listwise import TopOneCrossEntropy
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import all_folds, made, real_training
from tests.rankers.torch_marks import needs_torch

OPTIMA = {
    "OHSUMED": (4.858257, 4.989218, 5.032011, 4.901440, 4.824055),
    "MQ2008": (2.621863, 2.621386, 2.577007, 2.553239, 2.611364),
}


@pytest.mark.parametrize(("name", "fold", "optimum"), all_folds(OPTIMA, fast=(1, 2, 3, 4, 5)))
def test_real_optima(shared, name, fold, optimum):
    model = ListNet(regularization=0.01).fit(real_training(shared, name, fold))
    assert model.facts["gap"] <= 1e-7
    assert model.facts["objective"] == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize("target", ["softmax", "share", "gain"])
def test_the_objective_is_the_equation(target):
    dataset = made(1)
    model = ListNet(regularization=0.05, target=target).fit(dataset)
    loss, _ = TopOneCrossEntropy.of(dataset, target).at(model.score(dataset))
    weights = model.scorer.weights
    assert model.facts["objective"] == pytest.approx(0.025 * weights @ weights + loss, rel=1e-10)


def test_an_offset_within_queries_changes_nothing():
    dataset = made(2)
    moved = dataset.with_features(dataset.features + 1e6 * dataset.query_of_rows[:, np.newaxis])
    expected = ListNet().fit(dataset).scorer.weights
    assert ListNet().fit(moved).scorer.weights == pytest.approx(expected, abs=1e-6)


def test_features_of_any_size_train():
    dataset = made(2, n_queries=20)
    large = dataset.with_features(dataset.features * np.array([1e9, 1.0, 1e-9, 1e3]))
    model = ListNet(regularization=1e-3).fit(large)
    assert TrainingMeasure.of(large, "NDCG").mean(model.score(large)) > 0.9


@needs_torch
def test_a_network_learns_what_a_linear_function_cannot():
    rng = np.random.default_rng(0)
    dataset = made(0, n_queries=40, length=10, n_features=2)
    features = rng.uniform(-1, 1, dataset.features.shape)
    labels = np.floor(3 * np.abs(features[:, 0]).clip(0, 0.999))
    bent = type(dataset)(features, labels, dataset.query_offsets, dataset.query_ids)
    judged = TrainingMeasure.of(bent, "NDCG")
    figures = {
        hidden: judged.mean(
            ListNet(hidden_layers=hidden, learning_rate=0.05, regularization=1e-6, rounds=200)
            .fit(bent, bent)
            .score(bent)
        )
        for hidden in ("none", "8")
    }
    assert figures["8"] > 0.97 > 0.85 > figures["none"]


@pytest.mark.parametrize("hidden", ["", "0", "8-", "8-8-8-8", "ten", "99999"])
def test_impossible_layers_are_refused(hidden):
    with pytest.raises(RankwiseError, match="hidden_layers must be none or up to 3 widths"):
        ListNet(hidden_layers=hidden)


def test_tuning_tries_every_mapping_of_labels():
    tried = list_combinations(ListNet, Search({}, {}, {}))
    assert {one["target"] for one in tried} == {"softmax", "share", "gain"}
    assert ListNet().target == "softmax"
