"""Q.D.KNN and the wrapper around any ranker: points, neighbourhoods and who ranks a query."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate
from rankwise.models.model_file import ModelFile, as_text, from_text
from rankwise.models.scorers.by_query import NearestQueries, QueryPoints
from rankwise.models.scorers.linear import Linear
from rankwise.rankers import make_ranker
from rankwise.rankers.linear.ranksvm import RankSVMPrimal
from rankwise.rankers.query_dependent.neighbours import QDKNN, NearestQueriesWrapper, find_reference


def two_kinds(queries: int = 40, seed: int = 0) -> Dataset:
    """Feature 1 says which kind a query is; relevance follows feature 2, or falls with it."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, queries)
    rows = rng.random((queries * 12, 3))
    rows[:, 0] = np.repeat(kind, 12) + 0.1 * rows[:, 0]
    rising = np.where(np.repeat(kind, 12) == 1, rows[:, 1], 1 - rows[:, 1])
    return Dataset.from_arrays(rows, (rising > 0.7).astype(float), group=[12] * queries)


def test_a_point_is_the_mean_of_the_top_and_of_all_that_tie_for_it():
    features = np.array([[5.0, 1.0], [3.0, 2.0], [3.0, 6.0], [1.0, 9.0]])
    assert QueryPoints(0, 1).of(features).tolist() == [5.0, 1.0]
    assert QueryPoints(0, 2).of(features) == pytest.approx([11 / 3, 9 / 3])
    assert QueryPoints(0, 9).of(features) == pytest.approx([12 / 4, 18 / 4])
    assert QueryPoints(1, 1).of(features).tolist() == [1.0, 9.0]
    null = np.array([[np.nan, 1.0], [2.0, np.nan]])
    assert QueryPoints(0, 1).of(null).tolist() == [2.0, 0.0]


@pytest.mark.parametrize("rule", ["overlap", "nearest"])
def test_a_query_has_the_model_of_the_rule(rule):
    train, test = planted(20), planted(8, seed=3)
    model = QDKNN(neighbours=6, depth=5, reference=1, rule=rule, regularization=0.3).fit(train)
    points = np.array(
        [one.features[np.argsort(-one.features[:, 0])[:5]].mean(axis=0) for one in train.queries()]
    )
    scales = points.std(axis=0)

    def around(point):
        return np.argsort((((points - point) / scales) ** 2).sum(axis=1))[:6].tolist()

    svm = RankSVMPrimal(regularization=0.3, gap=1e-5)
    for number, query in enumerate(test.queries()):
        point = query.features[np.argsort(-query.features[:, 0])[:5]].mean(axis=0)
        near = around(point)
        shared = [len(set(around(other)) & set(near)) for other in points]
        best = [i for i in range(20) if shared[i] == max(shared)]
        by_distance = np.argsort((((points - point) / scales) ** 2).sum(axis=1)).tolist()
        chosen = near[0] if rule == "nearest" else min(best, key=by_distance.index)
        part = train.select_queries(sorted(around(points[chosen])))
        expected = svm.fit(part).score(test.select_queries([number]))
        found = model.score(test)[test.query_offsets[number] : test.query_offsets[number + 1]]
        assert found == pytest.approx(expected, rel=1e-9)


def test_all_neighbours_are_one_model_of_all():
    train, test = planted(10), planted(4, seed=1)
    model = QDKNN(neighbours=10).fit(train)
    alone = RankSVMPrimal(regularization=0.1, gap=1e-5).fit(train)
    assert model.score(test).tobytes() == alone.score(test).tobytes()
    assert model.facts["models"] == 1


@pytest.mark.parametrize("of", ["ranksvm-primal", "listnet", "rankboost"])
def test_queries_of_two_kinds_are_learned_as_no_single_model_can(of):
    train, test = two_kinds(), two_kinds(30, seed=5)
    settings = {"rounds": 30} if of == "rankboost" else {}
    alone = evaluate(test, make_ranker(of, **settings).fit(train).score(test), ["MAP"])["MAP"].mean
    near = make_ranker("nearest-queries", of=of, neighbours=8, settings=settings).fit(train)
    found = evaluate(test, near.score(test), ["MAP"])["MAP"].mean
    assert alone < 0.7 and found > 0.9


def test_the_wrapper_around_a_ranksvm_is_qd_knn():
    train, test = planted(20), planted(8, seed=3)
    method = QDKNN(neighbours=6, regularization=0.2).fit(train)
    settings = "regularization=0.2,gap=1e-05"
    wrapped = NearestQueriesWrapper(neighbours=6, of="ranksvm-primal", settings=settings).fit(train)
    assert wrapped.score(test).tobytes() == method.score(test).tobytes()


def test_the_reference_is_the_best_feature_or_the_one_that_is_named():
    assert find_reference(planted(), 0) == 0
    assert find_reference(planted(), 4) == 3
    with pytest.raises(RankwiseError, match="one of the 5 features, found 6"):
        find_reference(planted(), 6)


def test_a_neighbourhood_without_preferences_has_the_model_of_all():
    data = planted(12)
    labels = data.labels.copy()
    labels[: 14 * 11] = 1.0
    model = QDKNN(neighbours=1).fit(Dataset.from_arrays(data.features, labels, group=[14] * 12))
    assert isinstance(model.scorer, NearestQueries)
    # The one query with preferences has its own.
    assert model.scorer.model_of.tolist() == [0] * 11 + [1]


@pytest.mark.parametrize(
    "change",
    [
        {"reference": 9},
        {"depth": 0},
        {"rule": "both"},
        {"models": []},
        {"model_of": [0, 0, 7]},
        {"neighbourhoods": [0, 1]},
        {"points": [1.0]},
        {"scales": [0.0, 1.0]},
    ],
)
def test_values_that_do_not_fit_together_are_refused(change):
    points = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    linear = (Linear(np.array([1.0, 2.0])),)
    around, numbers = np.array([[0], [1], [2]]), np.zeros(3, np.int64)
    scorer = NearestQueries(
        QueryPoints(0, 1), np.ones(2), points, around, linear, numbers, "nearest"
    )
    values = scorer.as_json()
    assert NearestQueries.from_json(values).as_json() == values
    with pytest.raises(RankwiseError):
        NearestQueries.from_json({**values, **change})


def test_a_model_of_any_ranker_is_read_back():
    model = NearestQueriesWrapper(of="rankboost", settings="rounds=5", neighbours=3).fit(planted(6))
    again = from_text(as_text(ModelFile(model, ""))).model
    assert again.score(planted(3, seed=2)).tobytes() == model.score(planted(3, seed=2)).tobytes()


def test_the_reference_feature_is_the_same_where_grades_begin_at_1() -> None:
    """MAP is 1 for every feature there, and would take the first."""
    data = two_kinds()
    turned = Dataset.from_arrays(data.features[:, [2, 0, 1]], data.labels, data.query_of_rows)
    shifted = Dataset.from_arrays(turned.features, data.labels + 1, data.query_of_rows)
    values = [
        max(evaluate(shifted, sign * column, ["NDCG@10"])["NDCG@10"].mean for sign in (1, -1))
        for column in shifted.features.T
    ]
    assert find_reference(shifted, 0) == int(np.argmax(values)) != 0
