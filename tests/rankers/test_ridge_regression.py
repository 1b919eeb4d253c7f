from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.rankers.linear.regression import LinearRegression, RidgeRegression
from tests.rankers.tuned_folds import five_fold_means, real_fold


def made(seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    features = rng.random((120, 4))
    labels = np.round(2.0 * features[:, 0] + 0.5 * rng.random(120))
    return Dataset.from_arrays(features, labels, group=[12] * 10)


@pytest.mark.parametrize("penalty", [1e-3, 0.1, 5.0])
def test_the_objective_of_the_docstring_has_its_minimum_there(penalty) -> None:
    data = made()
    scorer = RidgeRegression(regularization=penalty).fit(data).scorer

    def objective(weights: np.ndarray, intercept: float) -> float:
        errors = data.features @ weights + intercept - data.labels
        return float(np.mean(errors**2) + penalty * np.sum(weights**2))

    least = objective(scorer.weights, scorer.intercept)
    for step in (*np.eye(4) * 1e-3, *np.eye(4) * -1e-3):
        assert objective(scorer.weights + step, scorer.intercept) > least
    for step in (1e-3, -1e-3):
        assert objective(scorer.weights, scorer.intercept + step) > least


def test_a_vanishing_penalty_is_linear_regression_and_a_large_one_shrinks_all() -> None:
    data = made()
    norms = [
        np.linalg.norm(RidgeRegression(regularization=penalty).fit(data).scorer.weights)
        for penalty in (1e-9, 1e-2, 1.0, 1e6)
    ]
    assert norms == sorted(norms, reverse=True)
    assert norms[0] == pytest.approx(
        np.linalg.norm(LinearRegression().fit(data).scorer.weights), rel=1e-6
    )
    assert norms[-1] < 1e-5


def test_repeated_features_share_their_weight() -> None:
    data = made()
    doubled = data.with_features(np.hstack([data.features, data.features]))
    weights = RidgeRegression().fit(doubled).scorer.weights
    assert weights[:4] == pytest.approx(weights[4:], abs=1e-13)


def test_the_gradient_on_real_data_is_zero(shared) -> None:
    train = real_fold(shared, "ohsumed", 1)[0]
    scorer = RidgeRegression(regularization=0.1).fit(train).scorer
    errors = scorer.score(train.features) - train.labels
    gradient = 2.0 * train.features.T @ errors / train.n_documents + 0.2 * scorer.weights
    assert gradient == pytest.approx(np.zeros(train.n_features), abs=1e-12)
    assert errors.mean() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "least"), [("ohsumed", (0.440, 0.432)), ("mq2008", (0.458, 0.219))]
)
def test_the_accuracy_of_trials_is_reached(shared, data, least) -> None:
    found = five_fold_means(shared, data, RidgeRegression, ("MAP", "NDCG@10"))
    assert np.all(found >= least), found
