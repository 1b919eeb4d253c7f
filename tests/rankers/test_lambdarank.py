"""LambdaRank: Adam's steps literally, and what it learns under each measure."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.rankers.gradient.ranknet import LambdaRank
from rankwise.rankers.losses.lambdas import lambdas
from rankwise.rankers.optimizers.first_order import LinearTraining
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import made
from tests.rankers.torch_marks import needs_torch


def test_steps_are_those_of_adam():
    dataset = made(1)
    loss = lambdas(dataset, "NDCG", "definition")
    training = LinearTraining(
        [dataset],
        lambda part: loss,
        RelativeFeatures.of(dataset, scale_large=True),
        rate=0.1,
        regularization=0.01,
        rng=np.random.default_rng(0),
    )
    weights, first, second = np.zeros(4), np.zeros(4), np.zeros(4)
    for step in range(1, 6):
        training.step()
        slopes = loss.at(dataset.features @ weights)[1]
        gradient = dataset.features.T @ slopes + 0.01 * weights
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        corrected = first / (1 - 0.9**step), second / (1 - 0.999**step)
        weights = weights - 0.1 * corrected[0] / (np.sqrt(corrected[1]) + 1e-8)
        assert training.scorer().weights == pytest.approx(weights, abs=1e-9)


@pytest.mark.parametrize("hidden", ["none", pytest.param("6", marks=needs_torch)])
@pytest.mark.parametrize("measure", ["NDCG", "NDCG@3", "MAP"])
def test_it_learns(hidden, measure):
    dataset = made(0, n_queries=30)
    ranker = LambdaRank(hidden_layers=hidden, measure=measure, queries_per_batch=10, rounds=80)
    scores = ranker.fit(dataset, dataset).score(dataset)
    judged = TrainingMeasure.of(dataset, "NDCG")
    assert judged.mean(scores) > 0.93 > judged.mean(-dataset.features[:, 2])


def test_selection_chooses_the_round():
    train, validation = made(1, n_queries=6), made(2, n_queries=6)
    seen = []
    ranker = LambdaRank(selection="NDCG@1", rounds=30)
    model = ranker.fit(train, validation, watch=lambda progress: bool(seen.append(progress)))
    figures = [progress.validation for progress in seen]
    assert model.facts["selection"] == max(figures)
    assert model.facts["round"] == figures.index(max(figures)) + 1
    judged = TrainingMeasure.of(validation, "NDCG@1")
    assert judged.mean(model.score(validation)) == max(figures)


def test_a_measure_without_lambdas_is_refused():
    with pytest.raises(RankwiseError, match="NDCG and MAP, found P@5"):
        LambdaRank(measure="P@5").fit(made())
