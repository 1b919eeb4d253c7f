"""RankCosine: the loss and its steps literally, the choice of features, both goals."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.rankers.boosting.rankcosine import ConsistentRankCosine, CosineLoss, RankCosine
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.literal_losses import queries_of, scores_of
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven


def cosine_loss(dataset, goals, scores) -> float:
    """Mean over the queries with goals of ½ (1 − g · H / ‖H‖)."""
    found = [
        0.5 * (1 - goals[rows] @ scores[rows] / np.linalg.norm(scores[rows]))
        for rows in queries_of(dataset)
        if goals[rows].any()
    ]
    return float(np.mean(found))


def loss_of(dataset, goals) -> CosineLoss:
    return CosineLoss.of(dataset.features, goals, dataset.query_offsets)


def test_goals_are_unit_vectors_of_labels_or_gains():
    dataset = uneven()
    for goal, values in (("labels", dataset.labels), ("gains", 2**dataset.labels - 1)):
        found = RankCosine(goal=goal)._goals(dataset)
        for rows in queries_of(dataset):
            norm = np.linalg.norm(values[rows])
            assert found[rows] == pytest.approx(values[rows] / norm if norm else 0 * values[rows])


def test_consistent_goals_are_gains_over_the_ideal():
    dataset = uneven(1)
    found = ConsistentRankCosine()._goals(dataset)
    for rows in queries_of(dataset):
        gains = 2 ** dataset.labels[rows] - 1
        ideal = (np.sort(gains)[::-1] / np.log2(np.arange(len(gains)) + 2)).sum()
        assert found[rows] == pytest.approx(gains / ideal if ideal else 0 * gains)


@pytest.mark.parametrize("ranker", [RankCosine(goal="gains"), ConsistentRankCosine()])
def test_the_first_feature_is_the_one_with_the_lowest_loss(ranker):
    dataset = uneven(2)
    goals = ranker._goals(dataset)
    step = loss_of(dataset, goals).first()
    losses = [
        cosine_loss(dataset, goals, sign * dataset.features[:, j])
        for j in range(dataset.n_features)
        for sign in (1, -1)
    ]
    assert step.loss == pytest.approx(min(losses), rel=1e-12)
    chosen = step.weight * dataset.features[:, step.feature]
    assert cosine_loss(dataset, goals, chosen) == pytest.approx(step.loss, rel=1e-12)


def test_a_step_has_the_length_that_the_paper_derives():
    dataset = made(1)
    goals, scores = RankCosine()._goals(dataset), np.abs(scores_of(dataset))
    step = loss_of(dataset, goals).next(scores)
    lengths, losses = [], []
    for j in range(dataset.n_features):
        slopes = bends = 0.0
        for rows in queries_of(dataset):
            g, h, now = goals[rows], dataset.features[rows, j], scores[rows]
            # The paper's W_1 and W_2, with ‖H‖³ below.
            first = ((g @ now) * now - (now @ now) * g) / np.linalg.norm(now) ** 3
            second = now / np.linalg.norm(now) ** 3
            slopes += first @ h
            bends += second @ (h * (g @ h) - g * (h @ h))
        lengths.append(slopes / bends)
        losses.append(cosine_loss(dataset, goals, scores + lengths[-1] * dataset.features[:, j]))
    assert step.feature == int(np.argmin(losses))
    assert step.weight == pytest.approx(lengths[step.feature], rel=1e-9)
    assert step.loss == pytest.approx(min(losses), rel=1e-10)


@pytest.mark.parametrize("ranker", [RankCosine, ConsistentRankCosine])
def test_rounds_lower_the_loss(ranker):
    dataset, losses = made(0, n_queries=20), []
    model = ranker(patience=500).fit(
        dataset, watch=lambda progress: bool(losses.append(progress.training))
    )
    assert len(losses) > 3
    assert (np.diff(losses) < 0).all()
    assert TrainingMeasure.of(dataset, "NDCG").mean(model.score(dataset)) > 0.9


def test_features_too_large_for_squares_are_refused():
    dataset = made(0)
    with pytest.raises(RankwiseError, match="found larger ones in feature 1"):
        RankCosine().fit(dataset.with_features(dataset.features * 1e200))
