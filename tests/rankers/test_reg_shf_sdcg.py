"""REG-SHF-SDCG: the loss literally over listed pairs, its slopes by differences, its trees."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.trees.reg_shf_sdcg import RegressionWithSmoothedHinge, RegSHFSDCG
from tests.rankers.literal_losses import queries_of, scores_of, slopes_by_differences
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven


def rounded_hinge(z: float, width: float) -> float:
    if z >= 1:
        return 0.0
    if z > 1 - width:
        return (1 - z) ** 2 / (2 * width)
    return 1 - z - width / 2


def literal(dataset, width: float, share: float, scores) -> float:
    total = 0.5 * ((scores - dataset.labels) ** 2).sum()
    gains = 2**dataset.labels - 1
    for rows in queries_of(dataset):
        documents = range(rows.start, rows.stop)
        pairs = [
            (i, j) for i in documents for j in documents if dataset.labels[i] > dataset.labels[j]
        ]
        if pairs:
            factor = len(documents) / sum(gains[i] - gains[j] for i, j in pairs)
            total += (
                share
                * factor
                * sum(
                    (gains[i] - gains[j]) * rounded_hinge(scores[i] - scores[j], width)
                    for i, j in pairs
                )
            )
    return total


@pytest.mark.parametrize("width", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("scale", [0.3, 2.0])
def test_value_and_slopes_are_those_of_the_equation(width, scale):
    dataset, scores = uneven(1), scores_of(uneven(1), 2, scale)
    loss = RegressionWithSmoothedHinge.of(dataset, width, 0.7)

    def equation(at):
        return literal(dataset, width, 0.7, at)

    assert loss.value(scores) == pytest.approx(equation(scores), rel=1e-10)
    slopes, _ = loss.at(scores)
    assert slopes == pytest.approx(slopes_by_differences(equation, scores), abs=1e-6)


def test_the_bound_is_never_below_the_second_derivative():
    dataset = uneven(2)
    loss = RegressionWithSmoothedHinge.of(dataset, 0.5, 2.0)
    for seed in range(5):
        scores = scores_of(dataset, seed)
        _, bounds = loss.at(scores)
        steps = 1e-5 * np.eye(len(scores))
        second = [
            (loss.at(scores + step)[0][row] - loss.at(scores - step)[0][row]) / 2e-5
            for row, step in enumerate(steps)
        ]
        assert (bounds >= np.array(second) - 1e-4).all()


def test_without_pairs_only_errors_count():
    dataset, scores = uneven(3), scores_of(uneven(3))
    slopes, bounds = RegressionWithSmoothedHinge.of(dataset, 0.5, 0.0).at(scores)
    assert slopes == pytest.approx(scores - dataset.labels)
    assert (bounds == 1).all()


def test_large_labels_are_no_matter():
    dataset = made(1)
    raised = type(dataset).from_arrays(
        dataset.features, dataset.labels + 2000, dataset.query_of_rows
    )
    scores = scores_of(dataset)
    low, high = (RegressionWithSmoothedHinge.of(data, 0.5, 1.0) for data in (dataset, raised))
    assert high.at(scores + 2000)[0] == pytest.approx(low.at(scores)[0], abs=1e-9)


def test_trees_learn_the_order():
    train, test = made(1, n_queries=60), made(2, n_queries=30)
    model = RegSHFSDCG(rounds=60, leaf_documents=10).fit(train, made(3, n_queries=20))
    measure = TrainingMeasure.of(test, "NDCG@5")
    assert measure.mean(model.score(test)) > measure.mean(np.zeros(test.n_documents)) + 0.2
