from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.rankers.trees.lambdamart import Mart

pytest.importorskip("lightgbm")


def made(seed: int = 0, rows: int = 60) -> Dataset:
    """Two features of few values, so that LightGBM's bins hold one value each."""
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 6, (rows, 2)).astype(np.float64)
    labels = np.clip(features[:, 0] - 2.0 + rng.integers(0, 2, rows), 0, 4)
    return Dataset.from_arrays(features, labels, group=[rows // 3] * 3)


def stump(features: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """What the least squares stump among all splits predicts: the means on its two sides."""
    best = (np.inf, targets)
    for column in features.T:
        for value in np.unique(column)[:-1]:
            below = column <= value
            predicted = np.where(below, targets[below].mean(), targets[~below].mean())
            best = min(
                best, (float(np.sum((targets - predicted) ** 2)), predicted), key=lambda b: b[0]
            )
    return best[1]


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_rounds_add_the_best_stump_of_the_residuals(rounds) -> None:
    data = made()
    rate = 0.3
    expected = np.full(60, data.labels.mean())
    for _ in range(rounds):
        expected += rate * stump(data.features, data.labels - expected)
    ranker = Mart(rounds=rounds, learning_rate=rate, leaves=2, leaf_documents=1)
    assert ranker.fit(data).score(data) == pytest.approx(expected, abs=1e-6)


def test_validation_chooses_the_round() -> None:
    model = Mart(rounds=30, leaf_documents=1).fit(made(), made(1))
    assert model.facts["round"] == model.scorer.n_trees
    assert model.facts["round"] <= model.facts["rounds"] <= 30


def test_null_features_are_taken() -> None:
    data = made()
    features = data.features.copy()
    features[data.labels > 1, 1] = np.nan
    holes = data.with_features(features)
    scores = Mart(rounds=20, leaves=2, leaf_documents=1).fit(holes).score(holes)
    assert scores[data.labels > 1].min() > scores[data.labels <= 1].max()


def test_equal_labels_give_equal_scores() -> None:
    data = Dataset.from_arrays(made().features, np.full(60, 2.0), group=[60])
    assert Mart().fit(data, data).score(data).tolist() == [2.0] * 60
