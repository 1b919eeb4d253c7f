"""The network scorer: its equation, its JSON, and files that do not fit."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.models.scorers.networks import Network

ACTIVATIONS = {
    "tanh": np.tanh,
    "relu": lambda values: np.maximum(values, 0),
    "sigmoid": lambda values: 1 / (1 + np.exp(-values)),
}


def network(activation="tanh", sizes=(3, 4, 2, 1)):
    rng = np.random.default_rng(0)
    weights = sum(a * b for a, b in pairwise(sizes))
    return Network(
        sizes,
        rng.normal(size=weights),
        rng.normal(size=sum(sizes[1:])),
        rng.normal(size=sizes[0]),
        rng.uniform(0.5, 2, sizes[0]),
        activation,
    )


@pytest.mark.parametrize("activation", list(ACTIVATIONS))
def test_scores_are_the_equation(activation):
    found = network(activation)
    features = np.random.default_rng(1).normal(size=(20, 3))
    apply = ACTIVATIONS[activation]
    w, b = found.weights, found.biases
    z = (features - found.means) / found.scales
    first = apply(z @ w[:12].reshape(4, 3).T + b[:4])
    second = apply(first @ w[12:20].reshape(2, 4).T + b[4:6])
    expected = (second @ w[20:].reshape(1, 2).T + b[6:])[:, 0]
    assert found.score(features) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 40])
def test_scores_do_not_depend_on_how_many_rows_are_scored_together(rows):
    found = network()
    features = np.random.default_rng(1).normal(size=(rows, 3))
    alone = [found.score(features[row : row + 1])[0] for row in range(rows)]
    assert found.score(features).tolist() == alone


@pytest.mark.parametrize("activation", list(ACTIVATIONS))
def test_null_has_no_score(activation):
    features = np.array([[0.0, np.nan, 0.0], [0.0, 0.0, 0.0]])
    assert np.isnan(network(activation).score(features)).tolist() == [True, False]


def test_without_hidden_layers_it_is_linear():
    found = network(sizes=(3, 1))
    features = np.random.default_rng(1).normal(size=(5, 3))
    expected = ((features - found.means) / found.scales) @ found.weights + found.biases[0]
    assert found.score(features) == pytest.approx(expected)
    assert found.importance() == pytest.approx(np.abs(found.weights))


def test_importance_sums_over_paths():
    found = network(sizes=(2, 2, 1))
    w = np.abs(found.weights)
    expected = [w[4] * w[0] + w[5] * w[2], w[4] * w[1] + w[5] * w[3]]
    assert found.importance() == pytest.approx(expected)


def test_json_gives_the_same_bits():
    found = network("relu")
    back = Network.from_json(json.loads(json.dumps(found.as_json())))
    features = np.random.default_rng(2).normal(size=(50, 3))
    assert back.score(features).tobytes() == found.score(features).tobytes()
    assert back.as_json() == found.as_json()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"sizes": [3, 4, 2]}, "down to 1"),
        ({"sizes": [3]}, "down to 1"),
        ({"sizes": [3, -4, 1]}, "down to 1"),
        ({"sizes": [2**40, 2**40, 1]}, "must have"),
        ({"sizes": "3-4-1"}, "whole numbers"),
        ({"weights": [1.0]}, "must have 22 weights, found 1"),
        ({"biases": []}, "must have 7 biases, found 0"),
        ({"means": [0.0] * 4}, "must have 3 means, found 4"),
        ({"scales": [1.0, 0.0, 1.0]}, "above 0"),
        ({"scales": [1.0, float("nan"), 1.0]}, "finite"),
        ({"activation": "__import__"}, "one of tanh, relu, sigmoid"),
        ({"activation": None}, "one of tanh, relu, sigmoid"),
    ],
)
def test_files_that_do_not_fit_are_refused(change, sentence):
    with pytest.raises(RankwiseError, match=sentence):
        Network.from_json({**network().as_json(), **change})
