from __future__ import annotations

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.trees.forests import RandomForest

pytest.importorskip("lightgbm")


def made(seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    features = rng.random((600, 6))
    labels = np.floor(3.0 * np.clip(features[:, 0] + 0.2 * rng.normal(size=600), 0.0, 0.99))
    return Dataset.from_arrays(features, labels, group=[30] * 20)


def test_scores_are_averages_of_trees_and_so_within_the_labels() -> None:
    data = made()
    model = RandomForest(trees=25).fit(data)
    assert model.scorer.n_trees == model.scorer.divisor == 25
    scores = model.score(data)
    assert data.labels.min() <= scores.min() < 0.2
    assert 1.8 < scores.max() <= data.labels.max()


def test_one_seed_gives_one_forest_and_another_another() -> None:
    data = made()
    ranker = RandomForest(trees=5)
    first, again, other = (ranker.fit(data, seed=seed).scorer.as_json() for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_every_tree_sees_another_sample() -> None:
    scorer = RandomForest(trees=5).fit(made()).scorer
    roots = scorer.thresholds[scorer.roots]
    assert len(np.unique(roots)) > 1


def test_validation_changes_nothing() -> None:
    data = made()
    ranker = RandomForest(trees=5)
    assert ranker.fit(data).scorer.as_json() == ranker.fit(data, made(1)).scorer.as_json()


def test_unseen_queries_are_ranked_well() -> None:
    test = made(1)
    measure = TrainingMeasure.of(test, "MAP")
    assert measure.mean(RandomForest(trees=30).fit(made()).score(test)) > 0.9
    assert measure.mean(np.zeros(600)) < 0.75
