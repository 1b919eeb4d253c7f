"""Explanations of models: Shapley values as their definition has them, and what is made of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import factorial
from pathlib import Path

import numpy as np
import pandas
import pytest

import rankwise as rw
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.feature_selection import permutation_importance
from rankwise.models.explanations.shapley import contributions, is_exact
from rankwise.models.model import Model
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.scorer import Scorer
from rankwise.reports import draw_explanation, explanation_figure
from rankwise.reports.figures import Bars, Scatter
from tests.models.made import made_models, random_trees

NAMES = ("title", "body", "links", "age")


def literal_shapley(scorer: Scorer, row: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """φ_j = Σ_S |S|! (n − |S| − 1)! / n! (f(S ∪ j) − f(S)), f(S) with the row's values in S."""
    n = len(row)
    found = np.zeros(n)
    for j in range(n):
        others = [k for k in range(n) if k != j]
        for size in range(n):
            weight = factorial(size) * factorial(n - size - 1) / factorial(n)
            for chosen in combinations(others, size):
                without = reference.copy()
                without[list(chosen)] = row[list(chosen)]
                together = without.copy()
                together[j] = row[j]
                before, after = scorer.score(np.array([without, together]))
                found[j] += weight * (after - before)
    return found


def pairs(count: int = 15) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(count, 2, 4))
    rows[rng.random(rows.shape) < 0.15] = np.nan
    rows[0, 1] = rows[0, 0]
    return [(row, reference) for row, reference in rows]


@pytest.mark.parametrize("kind", ["trees", "stumps"])
def test_contributions_are_shapley_values(kind: str) -> None:
    scorer = made_models()[kind]
    for row, reference in pairs():
        found = contributions(scorer, row[np.newaxis], reference[np.newaxis])[0]
        np.testing.assert_allclose(found, literal_shapley(scorer, row, reference), atol=1e-13)


def test_contributions_of_deep_trees_that_meet_features_again() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        trees = random_trees(rng, trees=3, inner=40, divisor=3.0)
        trees = replace(trees, missing=rng.integers(0, 3, len(trees.columns)))
        for row, reference in pairs(4):
            found = contributions(trees, row[np.newaxis], reference[np.newaxis])[0]
            np.testing.assert_allclose(found, literal_shapley(trees, row, reference), atol=1e-13)


def test_contributions_of_a_linear_model() -> None:
    scorer = Linear(np.array([2.0, -1.0, 0.0, 0.5]), 3.0)
    row, reference = np.array([1.0, 2.0, np.nan, 4.0]), np.array([0.0, 1.0, 5.0, 0.0])
    found = contributions(scorer, row[np.newaxis], reference[np.newaxis])[0]
    assert found.tolist() == [2.0, -1.0, 0.0, 2.0]


@pytest.mark.parametrize("kind", ["network", "expected-label", "expression"])
def test_sampled_contributions_are_near_and_add_up(kind: str) -> None:
    scorer = made_models()[kind]
    rng = np.random.default_rng(0)
    row, reference = rng.normal(size=(2, 4))
    found = contributions(scorer, row[np.newaxis], reference[np.newaxis], seed=1)[0]
    again = contributions(scorer, row[np.newaxis], reference[np.newaxis], seed=1)[0]
    assert found.tobytes() == again.tobytes()
    np.testing.assert_allclose(found, literal_shapley(scorer, row, reference), atol=0.05)
    above, below = scorer.score(np.array([row, reference]))
    assert found.sum() == pytest.approx(above - below, abs=1e-12)
    assert not is_exact(scorer)


@pytest.mark.parametrize("kind", [kind for kind, one in made_models().items() if one.row_by_row])
def test_against_several_references_they_are_means(kind: str) -> None:
    scorer = made_models()[kind]
    rows = np.random.default_rng(1).normal(size=(3, 4))
    found = contributions(scorer, rows, rows)
    scores = scorer.score(rows)
    np.testing.assert_allclose(found.sum(axis=1), scores - scores.mean(), atol=1e-9 *
                               max(1.0, np.abs(scores).max()))  # fmt: skip


@pytest.fixture
def data() -> Dataset:
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(60, 4))
    rows[rng.random(rows.shape) < 0.05] = np.nan
    labels = (rng.random(60) * 3).round()
    ids = [f"d{number}" for number in range(60)]
    return Dataset.from_arrays(rows, labels, group=[15] * 4, document_ids=ids,
                               feature_names=NAMES)  # fmt: skip


@pytest.fixture
def trees() -> Model:
    return Model("lambdamart", {}, made_models()["trees"], feature_names=NAMES)


def test_importance_by_gain(trees: Model) -> None:
    found = rw.weigh_model(trees)
    assert dict(found.features) == dict(zip(NAMES, trees.scorer.importance(), strict=True))
    assert list(found.features.values()) == sorted(found.features.values(), reverse=True)
    with pytest.raises(RankwiseError, match="gain is one figure for all queries"):
        rw.weigh_model(trees, per_query=True)


def test_importance_by_permutation_and_per_query(trees: Model, data: Dataset) -> None:
    found = rw.weigh_model(trees, data, by="permutation", measure="NDCG@5", per_query=True, seed=2)
    expected = permutation_importance(trees.score, data, "NDCG@5", seed=2)
    for name, value in zip(NAMES, expected, strict=True):
        assert found.features[name] == pytest.approx(value, abs=1e-12)
    assert found.queries is not None
    assert list(found.queries) == list(data.query_ids)
    means = {name: np.mean([one[name] for one in found.queries.values()]) for name in NAMES}
    assert means == pytest.approx(dict(found.features))
    assert list(found.to_frame().columns) == ["query", "feature", "importance"]


def test_importance_by_contributions(trees: Model, data: Dataset) -> None:
    found = rw.weigh_model(trees, data, by="contributions", per_query=True)
    rows = data.features[:15]
    first = np.abs(contributions(trees.scorer, rows, rows)).mean(axis=0)
    assert found.queries is not None
    assert list(next(iter(found.queries.values())).values()) == pytest.approx(first.tolist())
    with pytest.raises(RankwiseError, match="needs data to measure it on"):
        rw.weigh_model(trees, by="contributions")
    with pytest.raises(RankwiseError, match="must be by one of gain, permutation, contributions"):
        rw.weigh_model(trees, by="chance")


def test_contributions_of_a_query(trees: Model, data: Dataset) -> None:
    query = list(data.query_ids)[2]
    found = rw.explain_scores(trees, data, query=query)
    scores = trees.score(data)[30:45]
    assert found.mean_score == pytest.approx(scores.mean())
    assert [one.score for one in found.documents] == sorted(scores, reverse=True)
    for one in found.documents:
        assert sum(one.contributions.values()) == pytest.approx(one.score - scores.mean())
    assert found.exact
    assert list(found.to_frame().columns) == ["document", "score", *NAMES]


def test_partial_dependence_of_a_linear_model(data: Dataset) -> None:
    """Of a weighted sum the curve is its weight: w_j (v − mean of the grid)."""
    model = Model("ridge-regression", {}, Linear(np.array([0.5, 0.0, 0.0, 0.0])))
    filled = data.with_features(np.nan_to_num(data.features))
    found = rw.measure_dependence(model, filled, "title", points=5)
    grid = np.array([one.value for one in found.points])
    np.testing.assert_allclose([one.mean for one in found.points], 0.5 * (grid - grid.mean()))
    assert all(one.low == pytest.approx(one.high) for one in found.points)


def test_partial_dependence_at_null(trees: Model, data: Dataset) -> None:
    found = rw.measure_dependence(trees, data, 2, points=6)
    assert found.feature == "body"
    assert found.points[-1].value is None
    changed = data.features.copy()
    changed[:, 1] = np.nan
    values = [one.value for one in found.points[:-1]]
    curves = []
    for value in [*values, np.nan]:
        changed[:, 1] = value
        curves.append(trees.scorer.score(changed))
    table = np.array(curves) - np.mean(curves, axis=0)
    assert found.points[-1].mean == pytest.approx(table[-1].mean())
    with pytest.raises(RankwiseError, match="one of the names of the model or a number from 1"):
        rw.measure_dependence(trees, data, "colour")


def test_why_one_document_is_above_another(trees: Model, data: Dataset) -> None:
    scores = trees.score(data)[:15]
    order = np.argsort(-scores, kind="stable")
    found = rw.explain_order(trees, data)
    assert (found.above, found.below) == (f"d{order[0]}", f"d{order[1]}")
    assert sum(one.contribution for one in found.contributions) == pytest.approx(found.difference)
    assert found.sentence.startswith(f"For query 1, d{order[0]} is above d{order[1]}: its score")
    last = rw.explain_order(trees, data, above=f"d{order[0]}", below=f"d{order[-1]}")
    assert last.difference == pytest.approx(scores.max() - scores.min())
    with pytest.raises(RankwiseError, match="name them the other way round"):
        rw.explain_order(trees, data, above=f"d{order[-1]}", below=f"d{order[0]}")
    with pytest.raises(RankwiseError, match="the document must be one of the query's 15"):
        rw.explain_order(trees, data, above="d59")
    with pytest.raises(RankwiseError, match="the query must be one of the data's 4"):
        rw.explain_order(trees, data, query="x")


def test_the_sentence() -> None:
    scorer = Linear(np.array([2.0, -1.0, 0.5, 0.0]))
    rows = [[3.0, 1.0, 0.0, np.nan], [1.0, 0.0, 4.0, 1.0]]
    data = Dataset.from_arrays(rows, [0, 0], group=[2], feature_names=NAMES)
    found = rw.explain_order(Model("ridge-regression", {}, scorer), data)
    assert found.sentence == (
        "For query 1, 1 is above 2: its score of 5 is 1 higher. title (3 against 1) adds 4; "
        "links (0 against 4) takes 2 away; body (1 against 0) takes 1 away."
    )


@pytest.mark.parametrize(
    ("amounts", "told"),
    [
        ([0.75, -0.5], "title (1 against 0) adds 0.75; body (1 against 0) takes 0.5 away."),
        ([0.25, 0.5], "body (1 against 0) adds 0.5; title (1 against 0) adds 0.25."),
        ([2e-3, -1e-3], "title (1 against 0) adds 0.002; body (1 against 0) takes 0.001 away."),
    ],
)
def test_small_contributions_keep_their_sign(amounts: list[float], told: str) -> None:
    data = Dataset.from_arrays([[1.0, 1.0], [0.0, 0.0]], [0, 0], group=[2],
                               feature_names=NAMES[:2])  # fmt: skip
    model = Model("ridge-regression", {}, Linear(np.array(amounts)))
    assert rw.explain_order(model, data).sentence.endswith(f" higher. {told}")


@pytest.mark.parametrize(("count", "orders"), [(1, 200), (3, 204), (60, 240), (150, 300)])
def test_so_many_orders_are_drawn(count: int, orders: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """2 · references orders are drawn at a time, until there are 200."""
    scorer = made_models()["network"]
    rng = np.random.default_rng(0)
    asked = []
    score = type(scorer).score
    monkeypatch.setattr(type(scorer), "score", lambda self, rows: asked.append(rows) or score(
        self, rows))  # fmt: skip
    contributions(scorer, rng.normal(size=(1, 4)), rng.normal(size=(count, 4)))
    assert len(asked) == orders


def test_figures(trees: Model, data: Dataset, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    importance = rw.weigh_model(trees)
    order = rw.explain_order(trees, data)
    dependence = rw.measure_dependence(trees, data, "title")
    bars = explanation_figure(order)
    assert isinstance(bars, Bars)
    assert bars.caption == order.sentence
    assert [one.value for one in bars.bars] == [
        one.contribution for one in order.contributions if one.contribution != 0.0
    ]
    assert isinstance(explanation_figure(dependence), Scatter)
    for found, name in ((importance, "model-importance"), (order, "why-above"),
                        (dependence, "dependence-title")):  # fmt: skip
        assert [path.name for path in draw_explanation(found, tmp_path, ["svg"])] == [f"{name}.svg"]


def of_one_and_three() -> Dataset:
    rng = np.random.default_rng(3)
    return Dataset.from_arrays(rng.normal(size=(4, 4)), [1.0, 0.0, 1.0, 2.0], group=[1, 3])


def test_the_first_query_that_has_two_documents_is_explained(trees: Model) -> None:
    data = of_one_and_three()
    first, second = data.query_ids
    assert rw.explain_order(trees, data).query == second
    with pytest.raises(RankwiseError, match=f"must have 2 documents, found 1 of {first!r}"):
        rw.explain_order(trees, data, query=first)
    alone = Dataset.from_arrays(data.features[:2], [1.0, 0.0], group=[1, 1])
    with pytest.raises(RankwiseError, match="must have a query of 2 documents, found none"):
        rw.explain_order(trees, alone)
    assert rw.explain_scores(trees, data).query == first


def test_data_without_documents_are_refused_by_every_explanation(trees: Model) -> None:
    none = Dataset(np.zeros((0, 4)), np.zeros(0), np.zeros(1, np.int64), ())  # type: ignore[arg-type]
    for explain in (
        lambda: rw.weigh_model(trees, none, by="permutation"),
        lambda: rw.weigh_model(trees, none, by="contributions"),
        lambda: rw.explain_order(trees, none),
        lambda: rw.explain_scores(trees, none),
        lambda: rw.measure_dependence(trees, none, 1),
    ):
        with pytest.raises(RankwiseError, match="must have documents to explain a model on"):
            explain()


@pytest.mark.parametrize("label", [0.0, 2.0])
def test_queries_whose_documents_are_alike_weigh_no_feature(trees: Model, label: float) -> None:
    """Where nothing is relevant, or all is as much, shuffling cannot change a measure."""
    data = replace(of_one_and_three(), labels=np.full(4, label))
    for weigh in (
        lambda: rw.weigh_model(trees, data, by="permutation"),
        lambda: permutation_importance(trees.score, data),
    ):
        with pytest.raises(RankwiseError, match="documents differ in their labels, found none"):
            weigh()
    unlike = replace(of_one_and_three(), labels=np.array([5.0, 1.0, 1.0, 1.0]))
    with pytest.raises(RankwiseError, match="found none among 2"):
        rw.weigh_model(trees, unlike, by="permutation")


def test_a_model_scores_data_sets(trees: Model) -> None:
    features = of_one_and_three().features
    for given in (features, pandas.DataFrame(features), "test.txt"):
        with pytest.raises(RankwiseError, match=f"a Dataset, found a {type(given).__name__}; make"):
            trees.score(given)  # type: ignore[arg-type]
