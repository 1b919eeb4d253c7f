"""GRankRLS: every choice against solving anew for each feature and each query left out."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.rankers.linear.grankrls import GRankRLS, GreedySelection
from rankwise.rankers.linear.regression import RankRLS
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.literal_losses import queries_of
from tests.rankers.svm_data import made
from tests.rankers.test_rankrls import all_pairs


def uneven_queries(seed: int, features: int = 6) -> Dataset:
    rng = np.random.default_rng(seed)
    lengths = [4, 9, 1, 6, 5, 7]
    values = rng.random((sum(lengths), features))
    hidden = values[:, 1] - 0.7 * values[:, 3] + 0.3 * rng.normal(size=len(values))
    return Dataset.from_arrays(values, np.clip(np.round(2 * hidden), 0, 2), group=lengths)


def left_out_error(dataset: Dataset, chosen: list[int], penalty: float) -> float:
    """Σ over pairs of the squared error of weights from all other queries, divided by |P|."""
    n_pairs = len(all_pairs(dataset))
    parts = []
    for rows in queries_of(dataset):
        features = dataset.features[rows][:, chosen]
        features = features - features.mean(axis=0)
        labels = dataset.labels[rows] - dataset.labels[rows].mean()
        size = len(labels)
        parts.append((size * features.T @ features, size * features.T @ labels, features, labels))
    total = 0.0
    for left_out, (_, _, features, labels) in enumerate(parts):
        others = [part for number, part in enumerate(parts) if number != left_out]
        matrix = sum(part[0] for part in others) + penalty * n_pairs * np.eye(len(chosen))
        weights = np.linalg.solve(matrix, sum(part[1] for part in others))
        total += len(labels) * ((labels - features @ weights) ** 2).sum()
    return total / n_pairs


@pytest.mark.parametrize("penalty", [1e-3, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_every_choice_is_the_best_on_left_out_queries(seed, penalty):
    dataset = uneven_queries(seed)
    selection = GreedySelection(dataset, penalty, scale_large=True)
    chosen: list[int] = []
    for _ in range(dataset.n_features):
        rest = [column for column in range(dataset.n_features) if column not in chosen]
        errors = [left_out_error(dataset, [*chosen, column], penalty) for column in rest]
        chosen.append(rest[int(np.argmin(errors))])
        assert selection.step() == pytest.approx(min(errors), rel=1e-9)
        assert selection.chosen == chosen


def test_the_weights_are_those_of_rankrls_on_the_chosen_features():
    dataset = uneven_queries(4)
    model = GRankRLS(regularization=0.01, features=3, patience=3).fit(dataset)
    kept = [number - 1 for number in model.facts["features_in_order"]]
    expected = RankRLS(regularization=0.01).fit(dataset.with_features(dataset.features[:, kept]))
    assert model.scorer.weights[kept] == pytest.approx(expected.scorer.weights, abs=1e-12)
    assert np.count_nonzero(model.scorer.weights) == model.facts["features_kept"] == len(kept)


def test_with_all_features_it_is_rankrls():
    dataset = uneven_queries(5)
    selection = GreedySelection(dataset, 0.1, scale_large=True)
    for _ in range(dataset.n_features):
        selection.step()
    expected = RankRLS(regularization=0.1).fit(dataset).scorer.weights
    assert selection.scorer().weights == pytest.approx(expected, abs=1e-12)


def test_the_number_of_features_is_the_best_on_validation():
    train, validation = made(1, n_queries=12, n_features=8), made(2, n_queries=6, n_features=8)
    model = GRankRLS(regularization=0.01).fit(train, validation)
    measure = TrainingMeasure.of(validation, "MAP")
    selection = GreedySelection(train, 0.01, scale_large=True)
    values = []
    for _ in range(train.n_features):
        selection.step()
        values.append(measure.mean(selection.scorer().score(validation.features)))
    assert model.facts["features_kept"] == int(np.argmax(values)) + 1
    assert model.facts["selection"] == pytest.approx(max(values))
    assert model.facts["features_in_order"] == [
        column + 1 for column in selection.chosen[: model.facts["features_kept"]]
    ]
