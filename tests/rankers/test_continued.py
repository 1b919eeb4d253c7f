"""Training that starts from another model: every objective with the start, evaluated literally."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankwise.checks.made import planted
from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.registry import find_ranker

START = np.array([0.4, -0.3, 0.2, 0.0, 1.0])


def model(weights: np.ndarray = START, intercept: float = 0.7) -> Model:
    return Model("ridge-regression", {}, Linear(weights, intercept))


def test_ridge_is_penalised_by_the_distance_from_the_start() -> None:
    data = planted(6)
    x, y = data.features - data.features.mean(axis=0), data.labels - data.labels.mean()
    n, penalty = len(y), 0.3
    # The gradient of 1/n ‖x w − y‖² + λ ‖w − w₀‖² is 0 at the minimum.
    gram = x.T @ x / n + penalty * np.eye(5)
    expected = np.linalg.solve(gram, x.T @ y / n + penalty * START)
    scorer = find_ranker("ridge-regression")(regularization=penalty).fit(data, start=model()).scorer
    assert scorer.weights == pytest.approx(expected, rel=1e-9)
    assert scorer.score(data.features).mean() == pytest.approx(data.labels.mean())


@pytest.mark.parametrize("name", ["ridge-regression", "ranksvm-primal", "listnet"])
def test_starting_from_0_is_starting_anew(name: str) -> None:
    data = planted(6)
    ranker = find_ranker(name)()
    zero = ranker.fit(data, start=model(np.zeros(5), 0.0)).scorer.weights
    assert zero == pytest.approx(ranker.fit(data).scorer.weights, rel=1e-6, abs=1e-9)


def test_ranksvm_primal_is_penalised_by_the_distance_from_the_start() -> None:
    data, penalty = planted(3, documents=6), 0.2
    found = find_ranker("ranksvm-primal")(regularization=penalty).fit(data, start=model())

    def objective(w: np.ndarray) -> float:
        costs = []
        for query in data.queries():
            s, y = query.features @ w, query.labels
            costs += [
                max(0.0, 1.0 - s[i] + s[j]) ** 2 for i in range(6) for j in range(6) if y[i] > y[j]
            ]
        return penalty / 2.0 * float((w - START) @ (w - START)) + float(np.mean(costs))

    w = found.scorer.weights
    assert found.facts["objective"] == pytest.approx(objective(w), rel=1e-9)
    moves = 1e-3 * np.random.default_rng(0).normal(size=(20, 5))
    assert all(objective(w) < objective(w + move) for move in moves)


@pytest.mark.parametrize("name", ["mart", "lambdamart"])
def test_trees_are_added_to_those_of_the_start(name: str) -> None:
    source, target, validation = planted(20), planted(20, seed=3), planted(8, seed=5)
    ranker = find_ranker(name)(rounds=8)
    start = ranker.fit(source)
    found = ranker.fit(target, validation, start=start)
    assert found.scorer.n_trees == start.scorer.n_trees + found.facts["round"]
    old = start.scorer.n_trees
    assert np.array_equal(found.scorer.roots[:old], start.scorer.roots)


def test_mart_continues_as_if_it_had_not_stopped() -> None:
    """On the same data without validation, 5 rounds and then 5 are 10 in one go."""
    data = planted(20)
    whole = find_ranker("mart")(rounds=10).fit(data).score(data)
    start = find_ranker("mart")(rounds=5).fit(data)
    found = find_ranker("mart")(rounds=5).fit(data, start=start).score(data)
    assert found == pytest.approx(whole, rel=1e-6)


def test_validation_may_choose_the_start_alone() -> None:
    data, validation = planted(20), planted(8, seed=5)
    start = find_ranker("lambdamart")(rounds=20).fit(data)
    contrary = replace(data, labels=data.labels.max() - data.labels)
    found = find_ranker("lambdamart")(rounds=5).fit(contrary, validation, start=start)
    assert found.facts["round"] == 0
    assert np.array_equal(found.score(data), start.score(data))


def test_a_forest_may_be_the_start_of_boosting() -> None:
    data = planted(10)
    forest = find_ranker("random-forest")(trees=5).fit(data)
    found = find_ranker("mart")(rounds=1, learning_rate=1e-6).fit(data, start=forest)
    assert found.score(data) == pytest.approx(forest.score(data), abs=1e-5)


def test_a_start_of_another_form_is_refused() -> None:
    data = planted(6)
    with pytest.raises(
        RankwiseError, match=r"mart must start from a model of trees, found .*linear"
    ):
        find_ranker("mart")().fit(data, start=model())
    trees = find_ranker("mart")(rounds=2).fit(data)
    with pytest.raises(RankwiseError, match=r"must start from a linear model, found .*trees"):
        find_ranker("ridge-regression")().fit(data, start=trees)


def test_a_start_of_other_features_is_refused() -> None:
    with pytest.raises(RankwiseError, match="found 4 and 5 of them"):
        find_ranker("ridge-regression")().fit(planted(3, features=4), start=model())


def test_networks_start_anew() -> None:
    with pytest.raises(RankwiseError, match="listnet can continue linear models only"):
        find_ranker("listnet")(hidden_layers="4").fit(planted(3), start=model())
