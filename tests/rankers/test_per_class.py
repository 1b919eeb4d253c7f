"""One model for each class of queries: classes of the data, clusters, and what is not known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate
from rankwise.models.model_file import ModelFile, as_text, from_text
from rankwise.models.scorers.by_query import ClassModels
from rankwise.rankers import make_ranker
from rankwise.rankers.query_dependent.per_class import TRIED, PerClass, k_means
from tests.rankers.test_nearest_queries import two_kinds


def classed(data: Dataset, names: list[str]) -> Dataset:
    return replace(data, query_classes=TextColumn.from_texts(names))


def kinds(data: Dataset) -> list[str]:
    """What the first feature of `two_kinds` says."""
    return ["high" if query.features[0, 0] >= 1 else "low" for query in data.queries()]


def mean(data: Dataset, scores) -> float:
    return float(evaluate(data, scores, ["MAP"])["MAP"].mean)


def test_each_class_has_the_model_that_its_queries_alone_teach():
    train, test = two_kinds(), two_kinds(9, seed=1)
    train, test = classed(train, kinds(train)), classed(test, kinds(test))
    model = PerClass(of="ridge-regression").fit(train)
    scores = model.score(test)
    for name in ("high", "low"):
        own = [number for number, kind in enumerate(kinds(train)) if kind == name]
        alone = make_ranker("ridge-regression").fit(train.select_queries(own))
        chosen = [number for number, kind in enumerate(kinds(test)) if kind == name]
        rows = np.isin(test.query_of_rows, chosen)
        expected = alone.score(test.select_queries(chosen))
        assert scores[rows].tobytes() == expected.tobytes()
    assert mean(test, scores) > 0.95
    assert model.facts == {"classes": 2}


def test_an_unseen_class_has_the_model_of_all():
    train = two_kinds()
    model = PerClass().fit(classed(train, kinds(train)))
    test = classed(two_kinds(3, seed=1), ["other", "low", "other"])
    alone = make_ranker("ranksvm-primal").fit(train)
    rows = test.query_of_rows != 1
    assert model.score(test)[rows].tobytes() == alone.score(test)[rows].tobytes()
    assert model.scorer.score(test.features).tobytes() == alone.score(test).tobytes()


def test_a_class_without_preferences_has_the_model_of_all():
    data = planted(6)
    labels = data.labels.copy()
    labels[:14] = 0.0
    train = classed(replace(data, labels=labels), ["flat", *["rest"] * 5])
    model = PerClass().fit(train)
    assert isinstance(model.scorer, ClassModels) and model.scorer.classes == ("rest",)


def test_data_without_classes_are_refused_by_a_model_for_classes():
    train = two_kinds()
    model = PerClass().fit(classed(train, kinds(train)))
    with pytest.raises(RankwiseError, match=r"have none; say which .*: class_column"):
        model.score(two_kinds(2))


def test_clusters_find_the_kinds_and_validation_their_number():
    train, validation, test = two_kinds(), two_kinds(20, seed=2), two_kinds(30, seed=3)
    model = PerClass().fit(train, validation)
    tried = {
        count: mean(validation, PerClass(clusters=count).fit(train, validation).score(validation))
        for count in TRIED
    }
    assert model.facts["clusters"] == max(tried, key=tried.__getitem__) > 1
    assert mean(test, model.score(test)) > 0.95
    one = PerClass(clusters=1).fit(train)
    alone = make_ranker("ranksvm-primal").fit(train)
    assert one.score(test).tobytes() == alone.score(test).tobytes()


def test_features_of_queries_make_the_clusters_where_there_are_some():
    def described(data: Dataset) -> Dataset:
        numbers = [[float(kind == "low"), np.nan] for kind in kinds(data)]
        hidden = data.features.copy()
        hidden[:, 0] = 0.5
        return replace(data, features=hidden, query_features=np.array(numbers))

    train, test = two_kinds(), two_kinds(30, seed=3)
    model = PerClass(clusters=2).fit(described(train))
    assert mean(test, model.score(described(test))) > 0.95
    with pytest.raises(RankwiseError, match="features of queries, found data that have none"):
        model.score(test)


def test_each_class_is_validated_by_its_own_queries():
    train, validation = two_kinds(), two_kinds(20, seed=2)
    train, validation = classed(train, kinds(train)), classed(validation, kinds(validation))
    model = PerClass(of="rankboost", settings="rounds=20").fit(train, validation)
    assert isinstance(model.scorer, ClassModels)
    for name, scorer in zip(model.scorer.classes, model.scorer.models, strict=True):
        parts = [
            data.select_queries([n for n, kind in enumerate(kinds(data)) if kind == name])
            for data in (train, validation)
        ]
        alone = make_ranker("rankboost", rounds=20).fit(*parts)
        assert scorer.as_json() == alone.scorer.as_json()


def test_k_means_is_a_fixed_point_of_its_equation():
    points = np.random.default_rng(0).normal(size=(60, 3)) + np.repeat(np.eye(3) * 9, 20, axis=0)
    centres = k_means(points, 3)
    nearest = np.argmin(((points[:, None] - centres) ** 2).sum(axis=2), axis=1)
    for number in range(3):
        assert centres[number] == pytest.approx(points[nearest == number].mean(axis=0))
    assert sorted(np.bincount(nearest).tolist()) == [20, 20, 20]
    assert len(k_means(np.ones((5, 2)), 3)) == 1


def test_a_model_of_classes_is_read_back():
    train = two_kinds(12)
    for data in (classed(train, kinds(train)), train):
        model = PerClass(of="rankboost", settings="rounds=5").fit(data)
        again = from_text(as_text(ModelFile(model, ""))).model
        assert again.score(data).tobytes() == model.score(data).tobytes()


@pytest.mark.parametrize(
    "change",
    [
        {"classes": ["0"]},
        {"classes": ["0", "0"]},
        {"models": None},
        {"all_queries": None},
        {"clusters": []},
        {"clusters": {"centres": [1.0], "scales": [], "where": None}},
        {"clusters": {"centres": [1.0, 2.0, 3.0], "scales": [1.0] * 3, "where": [7, 1]}},
    ],
)
def test_values_that_do_not_fit_together_are_refused(change):
    values = PerClass(clusters=2).fit(two_kinds(12)).scorer.as_json()
    assert ClassModels.from_json(values).as_json() == values
    with pytest.raises(RankwiseError):
        ClassModels.from_json({**values, **change})
