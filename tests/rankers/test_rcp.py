"""RCP: the perceptron and its committee literally, step by step; the pairs that it meets."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.rankers.linear.rcp import RCP, CommitteePerceptron, draw_pairs
from rankwise.rankers.ranker import Training
from rankwise.rankers.training.model_selection import Judge
from rankwise.rankers.training.preferences import LabelLevels
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import listed_pairs, made
from tests.rankers.test_smoothed_ranks import uneven


def literal_committee(dataset: Dataset, pairs, size: int) -> np.ndarray:
    """Every function on the way, its MAP, and the sum of the best, each times its MAP."""
    measure = TrainingMeasure.of(dataset, "MAP")
    weights, met = np.zeros(dataset.n_features), []
    for better, worse in pairs:
        if weights @ (dataset.features[better] - dataset.features[worse]) <= 0:
            met.append(weights)
            weights = weights + dataset.features[better] - dataset.features[worse]
    met.append(weights)
    values = [measure.mean(dataset.features @ one) for one in met[1:]]
    best = sorted(range(len(values)), key=lambda number: -values[number])[:size]
    return sum(values[number] * met[1:][number] for number in best)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_committee_is_that_of_the_best_functions_on_the_way(size):
    dataset = made(1, n_queries=6)
    judge = Judge.of(Training(dataset), "MAP", "definition")
    training = CommitteePerceptron(
        dataset, judge, size, 80, np.random.default_rng(3), scale_large=True
    )
    training.step()
    pairs = zip(*draw_pairs(LabelLevels.of(dataset), 80, np.random.default_rng(3)), strict=True)
    expected = literal_committee(dataset, pairs, size)
    assert training.scorer().weights == pytest.approx(expected, abs=1e-9)


def test_every_query_and_every_pair_of_it_is_as_likely():
    dataset = uneven(1)
    better, worse = draw_pairs(LabelLevels.of(dataset), 40_000, np.random.default_rng(0))
    drawn = {}
    for pair in zip(better.tolist(), worse.tolist(), strict=True):
        drawn[pair] = drawn.get(pair, 0) + 1
    pairs = [tuple(pair) for pair in listed_pairs(dataset).tolist()]
    assert set(drawn) == set(pairs)
    queries = dataset.query_of_rows
    counts = {query: sum(queries[i] == query for i, _ in pairs) for query in set(queries)}
    with_pairs = sum(count > 0 for count in counts.values())
    for pair in pairs:
        chance = 1 / (with_pairs * counts[queries[pair[0]]])
        spread = np.sqrt(40_000 * chance * (1 - chance))
        assert drawn[pair] == pytest.approx(40_000 * chance, abs=5 * spread)


def test_separable_data_are_learned_without_a_mistake():
    rng = np.random.default_rng(0)
    features = rng.random((60, 3))
    dataset = Dataset.from_arrays(features, (features[:, 0] > 0.5) * 1.0, np.repeat(range(6), 10))
    model = RCP(committee=1).fit(dataset)
    measure = TrainingMeasure.of(dataset, "MAP")
    assert measure.mean(model.score(dataset)) == 1
    assert model.facts["selection"] == 1


def test_large_features_count_in_units_of_their_spread():
    dataset = made(2)
    large = dataset.with_features(dataset.features * [1e9, 1, 1, 1])
    assert (
        RCP().fit(large).facts["selection"]
        > RCP(scale_large=False).fit(large).facts["selection"] - 0.05
    )
    model = RCP().fit(large)
    assert abs(model.scorer.weights[0] * 1e9) < 1e3


def test_values_of_zero_make_an_equal_committee():
    features = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    # MAP counts labels above 0; below it, better is still better.
    dataset = Dataset.from_arrays(features, [0.0, -1.0, -1.0], [1, 1, 1])
    model = RCP(rounds=1, pairs_per_round=10).fit(dataset)
    assert model.facts["selection"] == 0
    assert model.scorer.weights[0] > 0
