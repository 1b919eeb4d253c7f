"""IntervalRank: the projection by a quadratic program, its distance and slopes, its trees."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.trees.intervalrank import IntervalDistance, IntervalRank
from tests.rankers.literal_losses import scores_of, slopes_by_differences
from tests.rankers.svm_data import listed_pairs, made
from tests.rankers.test_smoothed_ranks import uneven


def nearest(dataset, margin: float, scores):
    """min ½ ‖s − t‖² with t_i ≥ t_j + m (y_i − y_j) for all listed pairs, by scipy.

    With x = t − s this is the least distance to G x ≥ h, which non-negative least squares solve in
    finitely many steps: Lawson and Hanson (1974), Solving Least Squares Problems, chapter 23.
    """
    pairs = listed_pairs(dataset)
    labels = dataset.labels
    least = margin * (labels[pairs[:, 0]] - labels[pairs[:, 1]])
    matrix = np.zeros((len(pairs), len(scores)))
    matrix[np.arange(len(pairs)), pairs[:, 0]] = 1
    matrix[np.arange(len(pairs)), pairs[:, 1]] = -1
    system = np.vstack([matrix.T, least - matrix @ scores])
    wanted = np.append(np.zeros(len(scores)), 1.0)
    rest = system @ nnls(system, wanted)[0] - wanted
    # It is 0 where nothing keeps all margins.
    assert rest[-1] < 0
    return scores - rest[:-1] / rest[-1]


@pytest.mark.parametrize("margin", [0.3, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_projection_is_that_of_a_quadratic_program(margin, seed):
    dataset = uneven(seed)
    scores = scores_of(dataset, seed)
    found = IntervalDistance.of(dataset, margin).project(scores)
    assert found == pytest.approx(nearest(dataset, margin, scores), abs=1e-6)


def test_the_slopes_are_those_of_the_distance():
    dataset = uneven(1)
    distance, scores = IntervalDistance.of(dataset, 0.7), scores_of(dataset, 2)
    slopes, bends = distance.at(scores)
    assert slopes == pytest.approx(slopes_by_differences(distance.value, scores), abs=1e-7)
    assert (bends == 1).all()
    projected = distance.project(scores)
    assert distance.value(scores) == pytest.approx(0.5 * ((scores - projected) ** 2).sum())


def test_scores_that_keep_the_margin_stay():
    dataset = made(3)
    scores = 1.5 * dataset.labels + 0.2 * dataset.features[:, 0]
    assert IntervalDistance.of(dataset, 1.0).value(scores) == pytest.approx(0, abs=1e-20)


def test_trees_learn_the_order():
    pytest.importorskip("lightgbm")
    dataset = made(0, n_queries=30)
    model = IntervalRank(rounds=60, leaf_documents=10).fit(dataset)
    assert TrainingMeasure.of(dataset, "NDCG").mean(model.score(dataset)) > 0.95
