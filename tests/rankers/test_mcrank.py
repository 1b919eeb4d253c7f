"""McRank: the expected label literally, against LightGBM's own probabilities, and its file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.models.scorers.trees import ExpectedLabel
from rankwise.rankers.ranker import Round
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.trees.lightgbm_training import common_settings
from rankwise.rankers.trees.mcrank import McRank
from tests.rankers.svm_data import made

lightgbm = pytest.importorskip("lightgbm")


def test_scores_are_the_labels_that_lightgbm_expects():
    data = made(0, n_queries=20)
    ranker = McRank(rounds=6, leaf_documents=5)
    model = ranker.fit(data)
    settings = common_settings(data) | ranker._settings(3)
    booster = lightgbm.train(settings, lightgbm.Dataset(data.features, data.labels), 6)
    chances = booster.predict(data.features)
    assert model.score(data) == pytest.approx(chances @ [0, 1, 2], rel=1e-12)


def test_the_score_is_the_equation():
    data = made(1, n_queries=10)
    scorer = McRank(rounds=4, leaf_documents=5).fit(data).scorer
    masses = np.exp([trees.score(data.features) for trees in scorer.classes])
    expected = (np.arange(3)[:, np.newaxis] * masses / masses.sum(axis=0)).sum(axis=0)
    assert scorer.score(data.features) == pytest.approx(expected, rel=1e-12)


def test_labels_may_be_any_numbers():
    data = made(2, n_queries=20)
    odd = replace(data, labels=np.array([0.5, 2.0, 7.0])[data.labels.astype(int)])
    plain, found = (McRank(rounds=4, leaf_documents=5).fit(one) for one in (data, odd))
    assert found.scorer.labels.tolist() == [0.5, 2.0, 7.0]
    one, two = plain.scorer.classes, found.scorer.classes
    assert [trees.as_json() for trees in one] == [trees.as_json() for trees in two]


def test_the_round_is_the_best_on_validation():
    train, validation, seen = made(0, n_queries=20), made(5, n_queries=6), []

    def watch(progress: Round) -> bool:
        seen.append(progress.validation)
        return False

    model = McRank(rounds=15, leaf_documents=5).fit(train, validation, watch=watch)
    assert model.facts["selection"] == max(seen)
    judged = TrainingMeasure.of(validation, "MAP").mean(model.score(validation))
    assert judged == pytest.approx(max(seen), abs=1e-12)
    assert model.scorer.classes[0].n_trees == seen.index(max(seen)) + 1


def test_too_many_labels_are_refused():
    data = made(0, n_queries=20)
    many = replace(data, labels=np.arange(data.n_documents, dtype=float))
    with pytest.raises(RankwiseError, match="at most 64, found 140"):
        McRank().fit(many)


@pytest.mark.parametrize(
    "damage",
    [
        lambda values: values.update(labels=[0.0]),
        lambda values: values.update(classes=[]),
        lambda values: values.update(classes="trees"),
        lambda values: values.update(classes=[1, 2, 3]),
        lambda values: values["classes"][0].update(features=9),
    ],
)
def test_files_that_do_not_fit_are_refused(damage):
    values = McRank(rounds=2, leaf_documents=5).fit(made(0)).scorer.as_json()
    damage(values)
    with pytest.raises(RankwiseError):
        ExpectedLabel.from_json(values)
