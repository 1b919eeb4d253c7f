"""TGRank and RSRank: truncated steps literally, and how many features they keep."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.rankers.linear.truncated_gradient import RSRank, TGRank
from rankwise.rankers.losses.lambdas import lambdas
from rankwise.rankers.optimizers.first_order import TruncatedGradient, TruncationRules, truncate
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import listed_pairs, made


def truncated(value: float, drawn: float, threshold: float) -> float:
    """Equation (5) of Langford, Li and Zhang."""
    if 0 <= value <= threshold:
        return max(0.0, value - drawn)
    if -threshold <= value <= 0:
        return min(0.0, value + drawn)
    return value


def test_truncation_is_the_equation():
    values = np.array([-3.0, -1.0, -0.5, -0.1, 0.0, 0.05, 0.2, 1.0, 1.1])
    expected = [truncated(value, 0.2, 1.0) for value in values]
    assert truncate(values, 0.2, 1.0) == pytest.approx(expected, abs=0)


def squared_hinge_gradient(dataset, weights):
    pairs = listed_pairs(dataset)
    apart = dataset.features[pairs[:, 0]] - dataset.features[pairs[:, 1]]
    return -2 * (np.maximum(0, 1 - apart @ weights) @ apart) / len(apart)


def lambda_gradient(dataset, weights):
    return (
        dataset.features.T
        @ lambdas(dataset, "NDCG", "definition").at(dataset.features @ weights)[1]
    )


@pytest.mark.parametrize(
    ("ranker", "gradient"),
    [(TGRank(), squared_hinge_gradient), (RSRank(), lambda_gradient)],
    ids=["tgrank", "rsrank"],
)
def test_steps_are_the_equation(ranker, gradient):
    dataset, rules = made(1), TruncationRules(rate=0.3, gravity=0.2, threshold=0.8, every=2)
    training = TruncatedGradient(
        [dataset],
        ranker._loss,
        RelativeFeatures.of(dataset, scale_large=True),
        rules,
        np.random.default_rng(0),
    )
    weights = np.zeros(dataset.n_features)
    for step in range(1, 8):
        training.step()
        weights = weights - 0.3 * gradient(dataset, weights)
        if step % 2 == 0:
            weights = np.array([truncated(value, 2 * 0.3 * 0.2, 0.8) for value in weights])
        assert training.scorer().weights == pytest.approx(weights, abs=1e-10)


@pytest.mark.parametrize("ranker", [TGRank, RSRank])
def test_gravity_leaves_fewer_features(ranker):
    dataset = made(0, n_queries=30, n_features=8)
    light, heavy = (
        ranker(gravity=gravity, learning_rate=0.3, rounds=60).fit(dataset)
        for gravity in (0.0, 0.05)
    )
    assert light.facts["features_kept"] == 8
    assert 1 <= heavy.facts["features_kept"] < 8
    assert heavy.facts["features_kept"] == np.count_nonzero(heavy.scorer.weights)
    assert TrainingMeasure.of(dataset, "NDCG").mean(heavy.score(dataset)) > 0.9


@pytest.mark.parametrize("ranker", [TGRank, RSRank])
def test_a_model_of_no_features_says_so(ranker):
    facts = ranker(gravity=1e3, rounds=2).fit(made(0)).facts
    assert facts["features_kept"] == 0
    assert any("no feature was kept" in remark for remark in facts["remarks"])


def test_a_cut_off_that_no_query_reaches_is_refused():
    """Under that tool such queries score 0 in any order: no pair would weigh anything."""
    dataset = made(0, n_queries=6)
    longest = int(dataset.query_lengths.max())
    ranker = RSRank(weighting=f"NDCG@{longest + 1}", tool="letor4", rounds=2)
    with pytest.raises(RankwiseError, match=f"rsrank: NDCG.*at most {longest};"):
        ranker.fit(dataset)
    assert np.any(RSRank(weighting=f"NDCG@{longest}", tool="letor4").fit(dataset).scorer.weights)
