"""Weights of documents and queries: every objective with them, evaluated literally."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rankwise.checks.made import joined, planted
from rankwise.data.dataset import Dataset
from rankwise.data.sparse_features import as_sparse
from rankwise.errors import RankwiseError
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.training.preferences import weights_of_queries


def weighed(data: Dataset, weights: np.ndarray) -> Dataset:
    return replace(data, weights=weights)


def document_weights(data: Dataset, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 3.0, data.n_documents)


def ridge_weights(x: np.ndarray, y: np.ndarray, v: np.ndarray, penalty: float) -> np.ndarray:
    """The minimiser of Σ v (w · x + c − y)² / Σ v + λ ‖w‖²."""
    shares = v / v.sum()
    x, y = x - shares @ x, y - shares @ y
    return np.linalg.solve(
        x.T @ (shares[:, None] * x) + penalty * np.eye(x.shape[1]), x.T @ (shares * y)
    )


@pytest.mark.parametrize("sparse", [False, True])
def test_ridge_minimises_the_weighted_mean_of_squares(sparse: bool) -> None:
    data = planted(8)
    v = document_weights(data)
    expected = ridge_weights(data.features, data.labels, v, 0.1)
    held = data.with_features(as_sparse(data.features)) if sparse else data
    scorer = find_ranker("ridge-regression")(regularization=0.1).fit(weighed(held, v)).scorer
    assert scorer.weights == pytest.approx(expected, rel=1e-8)
    mean_score = (v @ scorer.score(data.features)) / v.sum()
    assert mean_score == pytest.approx((v @ data.labels) / v.sum())


@pytest.mark.parametrize("sparse", [False, True])
def test_centring_takes_the_weighted_mean_of_the_query(sparse: bool) -> None:
    data = planted(6)
    v = document_weights(data)
    x, y = data.features.copy(), data.labels.copy()
    for first, end in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True):
        shares = v[first:end] / v[first:end].sum()
        x[first:end] -= shares @ x[first:end]
        y[first:end] -= shares @ y[first:end]
    gram = x.T @ (v[:, None] * x) / v.sum() + 0.1 * np.eye(5)
    expected = np.linalg.solve(gram, x.T @ (v * y) / v.sum())
    held = data.with_features(as_sparse(data.features)) if sparse else data
    ranker = find_ranker("ridge-regression")(regularization=0.1, centre_in_query=True)
    assert ranker.fit(weighed(held, v)).scorer.weights == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", ["ridge-regression", "ranksvm-primal"])
def test_large_features_are_scaled_as_those_of_copies(name: str, sparse: bool) -> None:
    once, doubled = (planted(6, seed=seed) for seed in (0, 4))
    large = [
        part.with_features(part.features * [1.0, 1.0, 1e3, 1.0, 7.0]) for part in (once, doubled)
    ]
    both, copies = joined(*large), joined(*large, large[1])
    v = np.repeat([1.0, 2.0], [once.n_documents, doubled.n_documents])
    models = []
    for data in (weighed(both, v), copies):
        held = data.with_features(as_sparse(data.features)) if sparse else data
        models.append(find_ranker(name)().fit(held).scorer.weights)
    assert models[0] == pytest.approx(models[1], rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("centred", [False, True])
def test_a_query_that_weighs_nothing_is_as_good_as_absent(centred: bool) -> None:
    data, noise = planted(5), planted(5, seed=7)
    noise = replace(noise, labels=noise.labels[::-1])
    v = np.repeat([2.0, 0.0], [data.n_documents, noise.n_documents])
    ranker = find_ranker("ridge-regression")(centre_in_query=centred)
    found = ranker.fit(weighed(joined(data, noise), v)).scorer.weights
    assert found == pytest.approx(ranker.fit(data).scorer.weights, rel=1e-8)


def test_ranksvm_primal_weighs_the_pairs_of_a_query() -> None:
    data = planted(4, documents=6)
    v = np.array([1.0, 0.0, 4.0, 2.5])
    train = weighed(data, np.repeat(v, 6))
    model = find_ranker("ranksvm-primal")(regularization=0.1).fit(train)

    def objective(w: np.ndarray) -> float:
        total, weight = 0.0, 0.0
        for number, query in enumerate(data.queries()):
            scores = query.features @ w
            for i in range(6):
                for j in range(6):
                    if query.labels[i] > query.labels[j]:
                        total += v[number] * max(0.0, 1.0 - scores[i] + scores[j]) ** 2
                        weight += v[number]
        return 0.05 * float(w @ w) + total / weight

    w = model.scorer.weights
    assert model.facts["objective"] == pytest.approx(objective(w), rel=1e-9)
    moves = 1e-3 * np.random.default_rng(0).normal(size=(20, len(w)))
    assert all(objective(w) < objective(w + move) for move in moves)


@pytest.mark.parametrize("name", ["ranksvm-primal", "lambdamart", "bl-mart"])
def test_rankers_of_queries_refuse_weights_that_differ_within_one(name: str) -> None:
    data = planted(4)
    with pytest.raises(RankwiseError, match=f"{name} weighs whole queries.* in query '1'"):
        find_ranker(name)().fit(weighed(data, document_weights(data)))


def test_one_weight_a_query() -> None:
    data = weighed(planted(3), np.repeat([1.0, 5.0, 2.0], 14))
    assert weights_of_queries(data, "x").tolist() == [1.0, 5.0, 2.0]
    assert weights_of_queries(planted(3), "x") is None


def test_weights_that_are_all_0_are_refused() -> None:
    with pytest.raises(RankwiseError, match="must have a sum above 0"):
        find_ranker("ridge-regression")().fit(weighed(planted(3), np.zeros(42)))


def test_pairs_that_weigh_nothing_are_refused() -> None:
    data = planted(2)
    labels = np.where(np.arange(28) < 14, data.labels, 1.0)
    train = replace(data, labels=labels, weights=np.repeat([0.0, 1.0], 14))
    with pytest.raises(RankwiseError, match="only where the weight is 0"):
        find_ranker("ranksvm-primal")().fit(train)


def test_validation_data_have_no_weights() -> None:
    data = planted(4)
    with pytest.raises(RankwiseError, match="validation data must have no weights"):
        find_ranker("mart")().fit(data, weighed(data, document_weights(data)))
