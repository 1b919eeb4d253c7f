"""RankRLS and ListReg: their equations over listed pairs and queries, minimised by scipy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from rankwise.data.dataset import Dataset
from rankwise.data.sparse_features import as_sparse
from rankwise.errors import RankwiseError
from rankwise.rankers.linear.regression import ListReg, RankRLS
from rankwise.rankers.training.preferences import weigh_by_pairs, weigh_queries_equally
from tests.rankers.literal_losses import queries_of
from tests.rankers.svm_data import made
from tests.rankers.test_smoothed_ranks import uneven


def all_pairs(dataset: Dataset) -> np.ndarray:
    """(pairs, 2): all rows of one query two by two, those of equal labels too."""
    found = [
        pair
        for rows in queries_of(dataset)
        for pair in combinations(range(rows.start, rows.stop), 2)
    ]
    return np.array(found)


def mean_over_pairs(dataset: Dataset, weights: np.ndarray) -> float:
    """1/|P| Σ_{(i,j) ∈ P} ((y_i − y_j) − w · (x_i − x_j))²."""
    first, second = all_pairs(dataset).T
    labels = dataset.labels[first] - dataset.labels[second]
    scores = (dataset.features[first] - dataset.features[second]) @ weights
    return float(((labels - scores) ** 2).mean())


def mean_over_queries(dataset: Dataset, weights: np.ndarray, intercept: float | None) -> float:
    """1/|Q| Σ_q 1/n_q Σ_i (w · x_i − y_i)², both from their means where there is no intercept."""
    means = []
    for rows in queries_of(dataset):
        errors = dataset.features[rows] @ weights - dataset.labels[rows]
        errors += -errors.mean() if intercept is None else intercept
        means.append((errors**2).mean())
    return float(np.mean(means))


def lowest(objective, width: int) -> np.ndarray:
    return minimize(objective, np.zeros(width), method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("dataset", [made(n_queries=5), uneven(1)], ids=["even", "uneven"])
@pytest.mark.parametrize("penalty", [1e-3, 1.0])
def test_rankrls_minimises_its_equation(dataset, penalty):
    def objective(weights):
        return mean_over_pairs(dataset, weights) + penalty * weights @ weights

    found = RankRLS(regularization=penalty).fit(dataset).scorer.weights
    assert found == pytest.approx(lowest(objective, dataset.n_features), abs=1e-6)
    best = objective(found)
    assert best == pytest.approx(objective(lowest(objective, dataset.n_features)), abs=1e-9)


def test_rankrls_solves_the_normal_equations():
    dataset, penalty = uneven(2), 0.05
    left, right = np.zeros((2, 2)), np.zeros(2)
    for rows in queries_of(dataset):
        features = dataset.features[rows] - dataset.features[rows].mean(axis=0)
        labels = dataset.labels[rows] - dataset.labels[rows].mean()
        left += len(labels) * features.T @ features
        right += len(labels) * features.T @ labels
    n_pairs = len(all_pairs(dataset))
    expected = np.linalg.solve(left + penalty * n_pairs * np.eye(2), right)
    found = RankRLS(regularization=penalty).fit(dataset).scorer.weights
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("centre", [True, False])
@pytest.mark.parametrize("penalty", [1e-3, 1.0])
def test_listreg_minimises_its_equation(centre, penalty):
    dataset = uneven(3)

    def objective(values):
        weights, intercept = values[:2], None if centre else values[2]
        return mean_over_queries(dataset, weights, intercept) + penalty * weights @ weights

    model = ListReg(regularization=penalty, centre_in_query=centre).fit(dataset)
    expected = lowest(objective, 2 if centre else 3)
    assert model.scorer.weights == pytest.approx(expected[:2], abs=1e-6)
    if not centre:
        assert model.scorer.intercept == pytest.approx(expected[2], abs=1e-6)


@pytest.mark.parametrize("ranker", [RankRLS(), ListReg(), ListReg(centre_in_query=False)])
def test_sparse_data_give_the_same_weights(ranker):
    rng = np.random.default_rng(0)
    dense = made(n_queries=9, n_features=6)
    dense = dense.with_features(dense.features * (rng.random(dense.features.shape) < 0.4))
    sparse = dense.with_features(as_sparse(dense.features))
    found, expected = (ranker.fit(data).scorer for data in (sparse, dense))
    assert found.weights == pytest.approx(expected.weights, abs=1e-9)
    assert found.intercept == pytest.approx(expected.intercept, abs=1e-9)


def test_weights_of_rows_turn_sums_over_rows_into_means():
    dataset = uneven(4)
    errors = np.random.default_rng(1).normal(size=dataset.n_documents)
    first, second = all_pairs(dataset).T
    away = np.concatenate([errors[rows] - errors[rows].mean() for rows in queries_of(dataset)])
    by_pairs = (weigh_by_pairs(dataset) * away**2).mean()
    assert by_pairs == pytest.approx(((errors[first] - errors[second]) ** 2).mean())
    by_queries = (weigh_queries_equally(dataset) * errors**2).mean()
    expected = np.mean([(errors[rows] ** 2).mean() for rows in queries_of(dataset)])
    assert by_queries == pytest.approx(expected)


@pytest.mark.parametrize("ranker", [RankRLS(), ListReg()])
def test_equal_labels_leave_nothing_to_learn(ranker):
    dataset = Dataset.from_arrays(
        np.random.default_rng(0).random((4, 2)), [1, 1, 0, 0], [1, 1, 2, 2]
    )
    with pytest.raises(RankwiseError, match="no order to learn"):
        ranker.fit(dataset)
