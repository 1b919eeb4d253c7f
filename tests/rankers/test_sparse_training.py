"""Rankers on sparse data: the same models as on the same data held dense, or one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankwise.data import sparse_features
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import Network
from rankwise.models.scorers.stumps import Stumps
from rankwise.rankers.optimizers.least_squares import SparseLeastSquares
from rankwise.rankers.registry import find_ranker, ranker_names
from tests.data.sparse_data import held_sparse, made_sparse
from tests.models.made import random_trees

TAKING = [name for name in ranker_names() if find_ranker(name).takes_sparse]
NEAR = {"ranksvm": 1e-2, "ranksvm-struct": 1e-1, "svm-map": 2e-2, "focusedsvm": 5e-2}
"""Cutting planes end within their gap of the optimum, on another way each time."""


@pytest.fixture(scope="module")
def data():
    sparse = made_sparse(20, 12, 60, 6)
    return sparse.select_queries(slice(0, 15)), sparse.select_queries(slice(15, 20))


def test_the_rankers_that_the_refusal_names_take_sparse_data():
    named = {"ridge-regression", "ranksvm-primal", "listnet", "lambdamart"}
    assert named <= set(TAKING)
    assert {"linear-regression", "listmle", "ranknet", "lambdarank", "mart"} <= set(TAKING)


def test_the_page_names_all_that_take_sparse_data():
    page = (Path(__file__).parents[2] / "docs" / "wide-data.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if "train on" in line or "LightGBM the" in line]
    named = {name for row in rows for name in row.split("|")[1].strip().split(", ")}
    assert named == set(TAKING)


@pytest.mark.parametrize("name", TAKING)
def test_a_sparse_training_set_gives_the_dense_model(data, name):
    train, test = data
    ranker = find_ranker(name)()
    found = ranker.fit(train, test)
    assert "features" not in vars(train), "an array was made of sparse data"
    expected = ranker.fit(train.to_dense(), test.to_dense()).score(test)
    spread = np.abs(expected).max()
    np.testing.assert_allclose(found.score(test), expected, atol=NEAR.get(name, 1e-6) * spread)


@pytest.mark.parametrize("name", ["best-feature", "adarank-map", "rankboost"])
def test_all_others_get_an_array(data, name, monkeypatch):
    train, test = data
    ranker = find_ranker(name)()
    expected = ranker.fit(train.to_dense(), test.to_dense()).score(test.to_dense())
    assert ranker.fit(train, test).score(test).tolist() == expected.tolist()
    monkeypatch.setattr(sparse_features, "largest_array", lambda sparse: 1000)
    with pytest.raises(RankwiseError, match=r"180 documents with 60 features would need .* GiB"):
        ranker.fit(train, test)


@pytest.mark.parametrize("centre_in_query", [False, True])
@pytest.mark.parametrize("penalty", [0.0, 0.3])
def test_least_squares_of_more_features_than_documents(centre_in_query, penalty):
    """w = A⁺ t for A the centred rows, of least norm; with a penalty (A'A + λ n) w = A't."""
    train = made_sparse(4, 6, 90, 9, seed=2)
    problem = SparseLeastSquares.of(
        train, train.labels, centre_in_query=centre_in_query, scale_large=False
    )
    found = problem.solution(penalty)
    groups = train.query_of_rows if centre_in_query else np.zeros(train.n_documents, int)
    centring = (groups[:, None] == groups) / np.bincount(groups)[groups]
    rows = train.features - centring @ train.features
    target = train.labels - centring @ train.labels
    if penalty:
        system = rows.T @ rows + penalty * len(rows) * np.eye(90)
        expected = np.linalg.solve(system, rows.T @ target)
    else:
        expected = np.linalg.lstsq(rows, target, rcond=1e-10)[0]
    np.testing.assert_allclose(found.weights, expected, atol=1e-8)
    assert found.intercept == pytest.approx(
        train.labels.mean() - expected @ train.features.mean(axis=0)
    )


def test_every_form_of_model_scores_sparse_rows_with_the_same_bits():
    rng = np.random.default_rng(4)
    sparse = made_sparse(5, 20, 40, 5).sparse
    dense = sparse.to_dense()
    weights = np.where(rng.random(40) < 0.5, rng.normal(size=40), 0.0)
    network = Network(
        (40, 3, 1), rng.normal(size=123), rng.normal(size=4), rng.random(40), np.ones(40), "tanh"
    )
    stumps = Stumps.of(rng.integers(0, 40, 30), rng.random(30), rng.normal(size=30), 40)
    for scorer in (Linear(weights, 0.25), network, stumps, random_trees(rng, width=40)):
        assert scorer.score_sparse(sparse).tobytes() == scorer.score(dense).tobytes()


def test_a_feature_of_weight_0_may_be_null_in_sparse_rows():
    dense = held_sparse(made_sparse(1, 3, 4, 2)).features.copy()
    dense[:, 2] = np.nan
    sparse = sparse_features.SparseFeatures.from_dense(dense)
    scorer = Linear(np.array([1.0, 2.0, 0.0, 3.0]))
    assert scorer.score_sparse(sparse).tobytes() == scorer.score(dense).tobytes()


def test_sparse_rows_whose_values_have_a_large_offset_have_the_right_spread():
    """σ of 1e9 + {0, 1} is 1/2: the entries of a full column are counted from its first."""
    from rankwise.rankers.training.relative_features import sparse_deviations

    dense = np.zeros((4, 3))
    dense[:, 1] = 1e9 + np.array([0, 1, 0, 1])
    sparse = sparse_features.SparseFeatures.from_dense(dense)
    assert sparse_deviations(sparse, np.array([0, 4])).tolist() == [0.0, 0.5, 0.0]
