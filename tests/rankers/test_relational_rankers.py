"""Rankers that learn from relations: their equations literally, their optima by other solvers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.data.normalization.scales import query_level_norm
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate
from rankwise.models.model_file import ModelFile, as_text, from_text
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.relation_scorers import RelationMatrix, Smoothed
from rankwise.rankers import make_ranker
from rankwise.rankers.query_dependent.relational import CCRF, Propagation, RelationalRankSVM
from tests.rankers.related_data import dense, drawn, told_by_relations

LENGTHS = [7, 1, 5, 9]
RELATIONAL = ("propagation", "c-crf", "relational-ranksvm")


def ndcg(name: str, **parameters: Any) -> float:
    test = told_by_relations(30, seed=9)
    model = make_ranker(name, **parameters).fit(told_by_relations(30))
    return float(evaluate(test, model.score(test), ["NDCG"])["NDCG"].mean)


@pytest.mark.parametrize("name", RELATIONAL)
def test_what_only_relations_tell_is_learned(name: str) -> None:
    assert ndcg(name) > 0.95


def test_without_relations_it_cannot_be_learned() -> None:
    assert ndcg("ridge-regression") < 0.9
    assert ndcg("lambdamart") < 0.9
    assert ndcg("propagation", alpha=0.0) == ndcg("ridge-regression")


@pytest.mark.parametrize("of", ["ridge-regression", "ranksvm", "lambdamart"])
def test_features_flow_too(of: str) -> None:
    assert ndcg("propagation", of=of, what="features") > 0.95


@pytest.mark.parametrize("rate", [0.2, 0.9])
def test_the_limit_of_propagation_is_its_equation(rate: float) -> None:
    data = drawn(LENGTHS)
    values = np.random.default_rng(3).normal(size=data.n_documents)
    found = RelationMatrix.of(data, "links", 0, values).propagate(values, rate, 0)
    for query in range(data.n_queries):
        own = slice(*data.query_offsets[query : query + 2])
        matrix = dense(data.relation("links"), data, query)
        alone = matrix.sum(axis=1) == 0
        matrix[alone] = np.eye(len(matrix))[alone]
        walk = matrix / matrix.sum(axis=1, keepdims=True)
        limit = (1 - rate) * np.linalg.solve(np.eye(len(walk)) - rate * walk, values[own])
        assert found[own] == pytest.approx(limit, abs=1e-11)


def test_steps_of_propagation_are_its_equation() -> None:
    data = drawn(LENGTHS)
    values = np.random.default_rng(3).normal(size=data.n_documents)
    found = RelationMatrix.of(data, "links", 0).propagate(values, 0.3, 2)
    first, last = data.query_offsets[2:4]
    walk = dense(data.relation("links"), data, 2)
    alone = walk.sum(axis=1) == 0
    walk[alone] = np.eye(len(walk))[alone]
    walk /= walk.sum(axis=1, keepdims=True)
    start = values[first:last]
    once = 0.3 * walk @ start + 0.7 * start
    twice = 0.3 * walk @ once + 0.7 * start
    assert found[first:last] == pytest.approx(twice, abs=1e-12)


@pytest.mark.parametrize("prefer", ["neither", "sources", "targets"])
@pytest.mark.parametrize("strength", [0.1, 30.0])
def test_smoothed_scores_are_their_equation(prefer: str, strength: float) -> None:
    data = drawn(LENGTHS)
    within = Linear(np.array([1.0, -2.0, 0.5]))
    found = Smoothed(within, "links", 0, strength, prefer).score_dataset(data)
    for query in range(data.n_queries):
        own = slice(*data.query_offsets[query : query + 2])
        scores = data.features[own] @ within.weights
        matrix = dense(data.relation("links"), data, query)
        # The paper's R has a 1 in row i and column j where j is preferred to i.
        R = matrix if prefer == "targets" else matrix.T
        r = (R.sum(axis=1) - R.sum(axis=0)) * (prefer != "neither")
        D = np.diag((R.sum(axis=0) + R.sum(axis=1)) / 2)
        identity = np.eye(len(R))
        expected = np.linalg.solve(
            2 * identity + strength * (2 * D - R - R.T), 2 * scores - strength * r
        )
        assert found[own] == pytest.approx(expected, abs=1e-9)
        if prefer == "neither":
            S = (R + R.T) / 2
            system = identity + strength * (np.diag(S.sum(axis=1)) - S)
            assert found[own] == pytest.approx(np.linalg.solve(system, scores), abs=1e-9)


def test_all_adds_relations_up_and_neighbours_keep_the_strongest() -> None:
    data = drawn(LENGTHS)
    both = RelationMatrix.of(data, "all", 0).matrix.toarray()
    summed = sum(RelationMatrix.of(data, one, 0).matrix.toarray() for one in ("links", "cites"))
    assert both == pytest.approx(summed)
    strongest = RelationMatrix.of(data, "all", 2).matrix.toarray()
    for row, kept in zip(both, strongest, strict=True):
        wanted = np.sort(row)[::-1][:2]
        assert np.sort(kept)[::-1][:2] == pytest.approx(wanted)
        assert np.count_nonzero(kept) <= 2


def field_value(ranker: CCRF, data: Any, weights: np.ndarray) -> float:
    """−log p of the paper's density, by its covariance, constants left out; mean over documents."""
    alpha, beta = weights[:-1], weights[-1]
    scaled = query_level_norm(data).features
    total = 0.0
    for query in range(data.n_queries):
        own = slice(*data.query_offsets[query : query + 2])
        C = dense(data.relation("links"), data, query)
        S, y, X = (C + C.T) / 2, data.labels[own] / data.labels.max(), scaled[own]
        precision = 2 * (alpha.sum() * np.eye(len(S)) + beta * (np.diag(S.sum(axis=1)) - S))
        mean = np.linalg.solve(precision / 2, X @ alpha)
        away = y - mean
        # ½ log 2 a document is the constant that the implementation leaves out.
        sign, logarithm = np.linalg.slogdet(precision / 2)
        total += away @ precision @ away / 2 - sign * logarithm / 2
    return total / data.n_documents + ranker.regularization / 2 * float(weights @ weights)


def test_the_likelihood_of_the_field_is_its_equation_and_its_slopes_are_its() -> None:
    data, ranker = drawn(LENGTHS), CCRF(relation="links", neighbours=0)
    field = ranker.field_of(data)
    rng = np.random.default_rng(0)
    for _ in range(3):
        weights = rng.random(4) + 0.1
        point = field.at(weights, ranker.regularization)
        assert point.value == pytest.approx(field_value(ranker, data, weights), abs=1e-12)
        for place in range(4):
            change = np.eye(4)[place] * 1e-6
            near = [field.at(weights + s * change, ranker.regularization) for s in (-1, 1)]
            slope = (near[1].value - near[0].value) / 2e-6
            assert point.gradient[place] == pytest.approx(slope, abs=1e-6)
            curved = (near[1].gradient - near[0].gradient) / 2e-6
            assert point.hessian()[place] == pytest.approx(curved, abs=1e-5)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_c_crf_reaches_the_optimum_of_another_solver(seed: int) -> None:
    data = drawn([12, 1, 15, 20], seed, features=6)
    ranker = CCRF(relation="links", neighbours=0, regularization=1e-3)
    model = ranker.fit(data)
    found = minimize(
        lambda weights: field_value(ranker, data, weights),
        np.ones(7),
        method="L-BFGS-B",
        bounds=[(1e-12, None)] * 7,
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    )
    assert model.facts["objective"] == pytest.approx(found.fun, abs=1e-6)
    assert model.facts["gap"] <= 1e-9
    weights = found.x[:-1] / found.x[:-1].sum()
    assert model.scorer.importance() == pytest.approx(weights, abs=1e-3)


@pytest.mark.parametrize("prefer", ["neither", "sources"])
def test_relational_ranksvm_reaches_the_optimum_of_another_solver(prefer: str) -> None:
    data = drawn([8, 1, 10], 4)
    ranker = RelationalRankSVM(
        regularization=0.05, strength=2.0, relation="links", neighbours=0, prefer=prefer, gap=1e-8
    )
    model = ranker.fit(data)
    assert isinstance(model.scorer, Smoothed)
    rows, advance = smoothed_literally(data, ranker)
    pairs = [
        (i, j)
        for q in range(data.n_queries)
        for i in range(*data.query_offsets[q : q + 2])
        for j in range(*data.query_offsets[q : q + 2])
        if data.labels[i] > data.labels[j]
    ]
    better, worse = (np.array(side) for side in zip(*pairs, strict=True))
    # The quadratic program: w, then one slack a pair.
    count, width = len(pairs), data.n_features
    slack = np.ones(count) / count
    apart, ahead = rows[better] - rows[worse], advance[better] - advance[worse]
    solved = minimize(
        lambda v: 0.025 * v[:width] @ v[:width] + slack @ v[width:],
        np.append(np.zeros(width), np.full(count, 2.0 + np.abs(ahead).max())),
        jac=lambda v: np.append(0.05 * v[:width], slack),
        method="SLSQP",
        bounds=[(None, None)] * width + [(0, None)] * count,
        constraints={
            "type": "ineq",
            "fun": lambda v: apart @ v[:width] + ahead - 1 + v[width:],
            "jac": lambda v: np.hstack([apart, np.eye(count)]),
        },
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert model.facts["objective"] == pytest.approx(solved.fun, abs=1e-6)
    expected = rows @ model.scorer.importance() + advance
    assert model.score(data) == pytest.approx(expected, abs=1e-9)


def smoothed_literally(data: Any, ranker: RelationalRankSVM) -> tuple[np.ndarray, np.ndarray]:
    rows, advance = [], []
    for query in range(data.n_queries):
        own = slice(*data.query_offsets[query : query + 2])
        R = dense(data.relation("links"), data, query).T
        D = np.diag((R.sum(axis=0) + R.sum(axis=1)) / 2)
        system = 2 * np.eye(len(R)) + ranker.strength * (2 * D - R - R.T)
        rows.append(np.linalg.solve(system, 2 * data.features[own]))
        r = (R.sum(axis=1) - R.sum(axis=0)) * (ranker.prefer == "sources")
        advance.append(np.linalg.solve(system, -ranker.strength * r))
    return np.concatenate(rows), np.concatenate(advance)


@pytest.mark.parametrize("name", RELATIONAL)
def test_data_without_relations_are_refused_with_a_sentence(name: str) -> None:
    data = told_by_relations(4)
    bare = replace(data, relations=())
    with pytest.raises(RankwiseError, match="learns from relations between documents, found none"):
        make_ranker(name).fit(bare)
    with pytest.raises(RankwiseError, match="learns from the relation 'links', found similarity"):
        make_ranker(name, relation="links").fit(data)
    model = make_ranker(name).fit(data)
    with pytest.raises(RankwiseError, match="must have relations between documents, found none"):
        model.score(bare)
    with pytest.raises(RankwiseError, match="needs a data set with relations, found rows alone"):
        model.scorer.score(data.features)


def test_negative_weights_are_refused() -> None:
    data = told_by_relations(4)
    held = data.relations[0]
    wrong = replace(data, relations=(replace(held, weights=-held.weights),))
    with pytest.raises(RankwiseError, match="must not be negative"):
        Propagation().fit(wrong)


@pytest.mark.parametrize("name", RELATIONAL)
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("within", {"kind": "linear"}), ("within", 3), ("relation", 3), ("neighbours", -1),
        ("neighbours", 1.5), ("strength", -1), ("rate", 2), ("rate", "x"), ("steps", 10**9),
        ("what", "labels"), ("prefer", "both"), ("normalized", 1),
    ],
)  # fmt: skip
def test_damaged_model_files_are_one_sentence(name: str, key: str, value: Any) -> None:
    model = make_ranker(name).fit(told_by_relations(3))
    values = model.scorer.as_json()
    if key not in values:
        pytest.skip("its files have no such value")
    with pytest.raises(RankwiseError):
        type(model.scorer).from_json({**values, key: value})


def test_scorers_nest_in_model_files() -> None:
    data = told_by_relations(6)
    model = Propagation(of="propagation", settings="alpha=0.2").fit(data)
    again = from_text(as_text(ModelFile(model, "")))
    assert again.model.score(data).tobytes() == model.score(data).tobytes()
    text = as_text(ModelFile(model, ""))
    inner = '{"kind": "propagated", "within": '
    deep = text.replace(inner, inner * 20000, 1)
    with pytest.raises(RankwiseError):
        from_text(deep)
