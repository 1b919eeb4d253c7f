from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.listwise.lambdamart import LambdaMART
from rankwise.rankers.trees.lightgbm_training import common_settings
from tests.rankers.tuned_folds import five_fold_means, real_fold

lightgbm = pytest.importorskip("lightgbm")


def made(seed: int = 0, queries: int = 30) -> Dataset:
    rng = np.random.default_rng(seed)
    features = rng.random((queries * 20, 5))
    labels = np.floor(4.0 * np.clip(features[:, 0] + 0.2 * rng.normal(size=len(features)), 0, 0.99))
    return Dataset.from_arrays(features, labels, group=[20] * queries)


def lambdas(data: Dataset, k: int, gain) -> tuple[np.ndarray, np.ndarray]:
    """λ_i and w_i of the docstring where all scores are 0: ranks are those of the file."""
    slopes, weights = np.zeros(data.n_documents), np.zeros(data.n_documents)
    for first, last in pairwise(data.query_offsets):
        labels = data.labels[first:last]
        ideal = sum(
            gain(label) / np.log2(1 + rank)
            for rank, label in enumerate(sorted(labels, reverse=True)[:k], 1)
        )
        for i, j in np.argwhere(labels[:, np.newaxis] > labels):
            if min(i, j) + 1 > k:
                continue
            discounts = 1 / np.log2(1 + i + 1), 1 / np.log2(1 + j + 1)
            delta = (gain(labels[i]) - gain(labels[j])) * abs(discounts[0] - discounts[1]) / ideal
            slope = delta / (1 + np.exp(0.0))
            slopes[first + i] += slope
            slopes[first + j] -= slope
            # The derivative of 1 / (1 + exp(s)) at 0 is -1/4.
            weights[first + i] += delta / 4
            weights[first + j] += delta / 4
    return slopes, weights


@pytest.mark.parametrize("truncation", [3, 30])
@pytest.mark.parametrize(
    ("tool", "gain"), [("letor3", lambda y: 2.0**y - 1.0), ("trec_eval", lambda y: y)]
)
def test_the_first_tree_holds_the_newton_steps_of_the_lambdas(tool, gain, truncation) -> None:
    data = made(queries=10)
    data = Dataset.from_arrays(data.features, np.minimum(data.labels, 2), group=[20] * 10)
    ranker = LambdaMART(
        rounds=1,
        learning_rate=0.5,
        leaves=4,
        truncation=truncation,
        query_norm=False,
        tool=tool,
    )
    scores = ranker.fit(data).score(data)
    slopes, weights = lambdas(data, truncation, gain)
    assert len(np.unique(scores)) == 4
    for value in np.unique(scores):
        leaf = scores == value
        assert value == pytest.approx(0.5 * slopes[leaf].sum() / weights[leaf].sum(), rel=1e-4)


def test_predictions_are_those_of_lightgbm_called_directly() -> None:
    train, validation = made(0), made(1, queries=5)
    ranker = LambdaMART(rounds=40, patience=40, leaves=7)
    model = ranker.fit(train, validation)
    booster = lightgbm.train(
        common_settings(train) | ranker.settings(),
        lightgbm.Dataset(train.features, train.labels, group=train.query_lengths),
        40,
    )
    expected = booster.predict(validation.features, num_iteration=model.facts["round"])
    assert model.score(validation).tobytes() == expected.tobytes()


def test_predictions_on_real_data_are_those_of_lightgbm_called_directly(shared) -> None:
    train, validation, test = real_fold(shared, "mq2008", 1)
    ranker = LambdaMART(rounds=10)
    booster = lightgbm.train(
        common_settings(train) | ranker.settings(),
        lightgbm.Dataset(train.features, train.labels, group=train.query_lengths),
        10,
    )
    model = ranker.fit(train, validation)
    expected = booster.predict(test.features, num_iteration=model.facts["round"])
    assert model.score(test).tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([0.0, 1.5, 1.0], "whole numbers from 0 to 30, found 1.5"),
        ([0.0, -1.0, 1.0], "whole numbers from 0 to 30, found -1"),
        ([0.0, 31.0, 1.0], "whole numbers from 0 to 30, found 31"),
        ([1.0, 1.0, 1.0], "there is no order to learn"),
    ],
)
def test_labels_that_cannot_be_learned_are_refused(labels, said) -> None:
    data = Dataset.from_arrays(np.arange(3.0)[:, np.newaxis], labels, group=[3])
    with pytest.raises(RankwiseError, match=said):
        LambdaMART().fit(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "least"), [("ohsumed", (0.427, 0.420)), ("mq2008", (0.465, 0.225))]
)
def test_the_accuracy_of_trials_is_reached(shared, data, least) -> None:
    found = five_fold_means(shared, data, LambdaMART, ("MAP", "NDCG@10"))
    assert np.all(found >= least), found
