"""Both RankELM: the normal equations over the nodes literally, and the function they leave."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.rankers.linear.rankelm import (
    LAYER_ACTIVATIONS,
    RandomLayer,
    RankELMPairwise,
    RankELMPointwise,
)
from rankwise.rankers.linear.regression import RankRLS, RidgeRegression
from tests.rankers.literal_losses import sigma
from tests.rankers.svm_data import made
from tests.rankers.test_rankrls import all_pairs
from tests.rankers.test_smoothed_ranks import uneven

ACTIVATE = {
    "linear": lambda sums: sums,
    "sigmoid": sigma,
    "tanh": np.tanh,
    "relu": lambda sums: np.maximum(sums, 0),
}


def layer_of(dataset, nodes: int, activation: str) -> RandomLayer:
    """The layer that a ranker with seed 0 draws."""
    return RandomLayer.draw(dataset, nodes, activation, np.random.default_rng(0))


@pytest.mark.parametrize("activation", LAYER_ACTIVATIONS)
def test_the_outputs_of_nodes_are_the_equation(activation):
    dataset = made(3)
    dataset = dataset.with_features(dataset.features * [1, 100, 1, 1])
    layer = layer_of(dataset, 7, activation)
    assert layer.scales[1] == pytest.approx(dataset.features[:, 1].std())
    assert (layer.scales[[0, 2, 3]] == 1).all()
    inputs = (dataset.features - dataset.features.mean(axis=0)) / layer.scales
    sums = inputs @ layer.weights.T + layer.biases
    expected = np.sqrt(3 / 7) * ACTIVATE[activation](sums)
    assert layer.outputs(dataset.features) == pytest.approx(expected, abs=1e-12)
    weights = np.linspace(-1, 2, 7)
    scores = layer.scorer(weights, 0.25).score(dataset.features)
    assert scores == pytest.approx(expected @ weights + 0.25, abs=1e-12)


@pytest.mark.parametrize("activation", LAYER_ACTIVATIONS)
def test_pointwise_weights_solve_the_normal_equations(activation):
    dataset, penalty = uneven(1), 0.02
    hidden = layer_of(dataset, 5, activation).outputs(dataset.features)
    centred, labels = hidden - hidden.mean(axis=0), dataset.labels - dataset.labels.mean()
    n = len(labels)
    weights = np.linalg.solve(centred.T @ centred + penalty * n * np.eye(5), centred.T @ labels)
    model = RankELMPointwise(regularization=penalty, nodes=5, activation=activation).fit(dataset)
    expected = centred @ weights + dataset.labels.mean()
    assert model.score(dataset) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("activation", LAYER_ACTIVATIONS)
def test_pairwise_weights_solve_the_equations_of_the_laplacian(activation):
    dataset, penalty = uneven(2), 0.02
    hidden = layer_of(dataset, 5, activation).outputs(dataset.features)
    pairs = all_pairs(dataset)
    laplacian = np.zeros((len(hidden), len(hidden)))
    for i, j in pairs:
        laplacian[[i, j], [i, j]] += 1
        laplacian[[i, j], [j, i]] -= 1
    matrix = hidden.T @ laplacian @ hidden + penalty * len(pairs) * np.eye(5)
    weights = np.linalg.solve(matrix, hidden.T @ laplacian @ dataset.labels)
    model = RankELMPairwise(regularization=penalty, nodes=5, activation=activation).fit(dataset)
    difference = model.score(dataset) - hidden @ weights
    # The intercept is free: only differences between scores are decided.
    assert difference == pytest.approx(np.full(len(hidden), difference[0]), abs=1e-10)


@pytest.mark.parametrize(
    ("ranker", "plain"), [(RankELMPointwise, RidgeRegression), (RankELMPairwise, RankRLS)]
)
def test_many_linear_nodes_are_close_to_none(ranker, plain):
    dataset = made(5, n_queries=10)
    found = ranker(regularization=0.1, nodes=400).fit(dataset).scorer
    expected = plain(regularization=0.1).fit(dataset).scorer
    assert found.kind == "linear"
    assert found.weights == pytest.approx(expected.weights, abs=0.15)


def test_nodes_that_are_not_linear_make_a_network():
    dataset = made(6)
    scorer = RankELMPairwise(nodes=9, activation="sigmoid").fit(dataset).scorer
    assert scorer.kind == "network"
    assert scorer.sizes == (dataset.n_features, 9, 1)


def test_the_seed_draws_the_nodes():
    dataset = made(7)
    one, same, other = (RankELMPointwise(nodes=3).fit(dataset, seed=seed) for seed in (1, 1, 2))
    assert one.score(dataset).tobytes() == same.score(dataset).tobytes()
    assert one.score(dataset).tobytes() != other.score(dataset).tobytes()
