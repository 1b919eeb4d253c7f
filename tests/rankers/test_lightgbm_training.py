from __future__ import annotations

import sys

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.formats.lightgbm_text import trees_of_text
from rankwise.models.scorers.trees import Trees
from rankwise.rankers.ranker import Round, Training
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.trees.lightgbm_training import (
    Growth,
    common_settings,
    grow_trees,
)

lightgbm = pytest.importorskip("lightgbm")

LAMBDAS = {"objective": "lambdarank", "num_leaves": 7}


def made(seed: int = 0, queries: int = 60, length: int = 40) -> Dataset:
    """Features with NULL, zeros, few values, tiny and huge values, and labels that know them."""
    rng = np.random.default_rng(seed)
    rows = queries * length
    features = rng.normal(size=(rows, 6))
    features[rng.random(rows) < 0.2, 0] = np.nan
    features[rng.random(rows) < 0.4, 1] = 0.0
    features[:, 2] = np.round(features[:, 2])
    features[:, 3] *= 1e9
    features[:, 4] *= 1e-35
    hidden = np.isnan(features[:, 0]) + features[:, 1] + 0.5 * features[:, 2]
    labels = np.clip(np.round(hidden + 0.3 * rng.normal(size=rows)), 0, 3)
    return Dataset.from_arrays(features, labels, group=[length] * queries)


def unlike_training(seed: int = 1) -> np.ndarray:
    """NULL and zeros in all features, so that every node meets them."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(2000, 6)) * np.array([1, 1, 1, 1e9, 1e-35, 1])
    features[rng.random(features.shape) < 0.2] = np.nan
    features[rng.random(features.shape) < 0.2] = 0.0
    features[rng.random(features.shape) < 0.05] = 1e-36
    return features


FOREST = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}


@pytest.mark.parametrize("missing", [{}, {"zero_as_missing": True}, {"use_missing": False}])
@pytest.mark.parametrize(
    "method",
    [
        {"objective": "lambdarank"},
        {"objective": "regression"},
        {"objective": "regression"} | FOREST,
    ],
    ids=["lambdarank", "regression", "forest"],
)
def test_scores_are_the_predictions_of_lightgbm_to_the_bit(method, missing) -> None:
    data = made()
    settings = common_settings(data) | method | missing
    booster = lightgbm.train(
        settings, lightgbm.Dataset(data.features, data.labels, group=data.query_lengths), 12
    )
    trees = trees_of_text(booster.model_to_string(num_iteration=9), data.n_features)
    assert trees.n_trees == 9
    for features in (data.features, unlike_training()):
        expected = booster.predict(features, num_iteration=9)
        assert trees.score(features).tobytes() == expected.tobytes()
    assert Trees.from_json(trees.as_json()).as_json() == trees.as_json()


def of_all_magnitudes(data: Dataset) -> Dataset:
    """Labels from 1e-8 to 1e8, whose sums depend on the order in which they are added."""
    rng = np.random.default_rng(0)
    labels = 10.0 ** rng.uniform(-8, 8, data.n_documents) * rng.choice([-1, 1], data.n_documents)
    return Dataset.from_arrays(data.features, labels, group=data.query_lengths)


def with_threads(data: Dataset, settings: dict) -> list:
    """The trees of two rounds with one thread and with two."""
    return [
        grow_trees(Training(data), Growth("test", settings | {"num_threads": threads}, 2))[
            0
        ].as_json()
        for threads in (1, 2)
    ]


@pytest.mark.parametrize("forest", [{}, FOREST], ids=["boosted", "forest"])
def test_the_number_of_threads_changes_no_bit(forest) -> None:
    data, settings = of_all_magnitudes(made()), {"objective": "regression"} | forest
    one, two = with_threads(data, settings)
    assert one == two
    # These data can tell: left to itself LightGBM adds them up in another order.
    one, two = with_threads(data, settings | {"deterministic": False})
    assert one != two


def test_the_number_of_threads_changes_no_bit_of_lambdas() -> None:
    one, two = with_threads(made(), LAMBDAS)
    assert one == two


def test_only_large_data_get_threads() -> None:
    assert common_settings(made())["num_threads"] == 1
    large = Dataset.from_arrays(np.zeros((10_000, 1000)), np.zeros(10_000), group=[10_000])
    assert common_settings(large)["num_threads"] == 0


def test_the_round_is_the_first_best_on_validation() -> None:
    train, validation = made(0), made(5, queries=4)
    seen: list[Round] = []

    def watch(progress: Round) -> bool:
        seen.append(progress)
        return False

    growth = Growth("test", LAMBDAS, 40, 40, "NDCG@1", "letor4")
    trees, facts = grow_trees(Training(train, validation, watch=watch), growth)
    values = [progress.validation for progress in seen]
    assert [progress.number for progress in seen] == list(range(1, 41))
    assert facts == {
        "round": values.index(max(values)) + 1,
        "rounds": 40,
        "selection": max(values),
    }
    assert values.count(max(values)) > 1, "the first must be one of several"
    assert trees.n_trees == facts["round"] < 40
    measure = TrainingMeasure.of(validation, "NDCG@1", "letor4")
    assert measure.mean(trees.score(validation.features)) == facts["selection"]


def test_every_round_is_judged_by_the_scores_of_its_trees() -> None:
    train, validation = made(0), made(5, queries=10)
    seen: list[Round] = []
    growth = Growth("test", LAMBDAS, 5, 5, "MAP")
    training = Training(train, validation, watch=lambda progress: seen.append(progress) or False)
    grow_trees(training, growth)
    assert [progress.number for progress in seen] == [1, 2, 3, 4, 5]
    for progress in seen:
        trees, _ = grow_trees(Training(train), Growth("test", LAMBDAS, progress.number))
        for data, value in ((train, progress.training), (validation, progress.validation)):
            expected = TrainingMeasure.of(data, "MAP").mean(trees.score(data.features))
            assert value == pytest.approx(expected, abs=1e-12)


def test_growth_ends_after_rounds_without_a_better_one() -> None:
    growth = Growth("test", LAMBDAS, 300, 3, "MAP")
    _, facts = grow_trees(Training(made(0), made(5, queries=4)), growth)
    assert facts["rounds"] == facts["round"] + 3


def test_watching_changes_no_tree() -> None:
    train, validation = made(0), made(5, queries=4)
    growth = Growth("test", LAMBDAS, 20, 20, "MAP")
    watched = grow_trees(Training(train, validation, watch=lambda progress: False), growth)
    plain = grow_trees(Training(train, validation), growth)
    assert watched[0].as_json() == plain[0].as_json()
    assert watched[1] == plain[1]


def test_a_watch_that_stops_keeps_the_trees_so_far() -> None:
    growth = Growth("test", LAMBDAS, 50)
    trees, facts = grow_trees(Training(made(), watch=lambda progress: progress.number == 4), growth)
    assert facts == {"round": 4, "rounds": 4}
    assert trees.n_trees == 4


def test_features_that_split_nothing_give_one_leaf() -> None:
    data = made().with_features(np.ones((2400, 2)))
    trees, facts = grow_trees(Training(data, data), Growth("test", LAMBDAS, 50, 50, "MAP"))
    assert facts["rounds"] == 1
    assert len(np.unique(trees.score(data.features))) == 1


def test_what_lightgbm_refuses_becomes_a_sentence() -> None:
    data = Dataset.from_arrays(np.zeros((4, 1)), [0.0, 1.0, 0.5, 2.0], group=[4])
    with pytest.raises(RankwiseError, match=r"test: the training data must suit LightGBM, which"):
        grow_trees(Training(data), Growth("test", LAMBDAS, 1))


def test_an_unknown_measure_is_told_without_validation() -> None:
    with pytest.raises(RankwiseError, match="NDGC"):
        grow_trees(Training(made()), Growth("test", LAMBDAS, 1, 1, "NDGC@5"))


def test_without_lightgbm_the_extra_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(
        MissingExtra, match=r"lambdamart needs .* the extra 'trees'; install them: pip install"
    ):
        grow_trees(Training(made()), Growth("lambdamart", LAMBDAS, 1))
