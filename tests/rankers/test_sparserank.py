"""SparseRank and MCP: objectives literally, the minimum against scipy, features kept."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.rankers.linear.sparse import MCP, SparseRank
from tests.rankers.sparse_problems import cheapest, differences, mean_squared_hinge
from tests.rankers.svm_data import made


@pytest.mark.parametrize("regularization", [1e-4, 1e-2, 1e-1])
def test_sparserank_is_the_minimum_of_its_equation(regularization):
    dataset = made(4, n_features=6)
    model = SparseRank(regularization=regularization, gap=1e-9).fit(dataset)
    weights = model.scorer.weights
    value = regularization * np.abs(weights).sum() + mean_squared_hinge(
        differences(dataset), weights
    )
    prices = np.full(6, regularization)
    assert model.facts["objective"] == pytest.approx(value, abs=1e-12)
    assert value == pytest.approx(cheapest(dataset, prices, prices)[0], abs=1e-6)


def test_a_higher_price_keeps_fewer_features():
    dataset = made(0, n_queries=30, n_features=10)
    kept = [
        SparseRank(regularization=price).fit(dataset).facts["features_kept"]
        for price in (1e-5, 1e-2, 1e-1)
    ]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] == 10
    assert kept[-1] <= 2


def test_a_price_that_leaves_nothing_is_remarked():
    model = SparseRank(regularization=100.0).fit(made(0))
    assert model.facts["features_kept"] == 0
    assert any("no feature was kept" in remark for remark in model.facts["remarks"])


def penalty(size: float, price: float, concavity: float) -> float:
    """The minimax concave penalty as its equation has it."""
    if size <= concavity * price:
        return price * size - size**2 / (2 * concavity)
    return concavity * price**2 / 2


@pytest.mark.parametrize("concavity", [0.5, 3.0, 30.0])
def test_the_penalty_is_the_equation_and_prices_are_its_slope(concavity):
    ranker = MCP(regularization=0.2, concavity=concavity)
    sizes = np.array([0.0, 0.05, 0.0999, 0.3, 0.6, 2.0, 7.0])
    weights = sizes * np.array([1, -1, 1, -1, 1, -1, 1])
    expected = sum(penalty(size, 0.2, concavity) for size in sizes)
    assert ranker.penalty(weights) == pytest.approx(expected, abs=1e-14)
    step = 1e-7
    slopes = [
        (penalty(size + step, 0.2, concavity) - penalty(size, 0.2, concavity)) / step
        for size in sizes
    ]
    assert ranker._prices(weights) == pytest.approx(slopes, abs=1e-5)


def reweighted(dataset, price, concavity, rounds):
    """Convex problems one after the other by scipy, as Laporte et al. have them."""
    weights = np.zeros(dataset.n_features)
    for _ in range(rounds):
        prices = np.maximum(0.0, price - np.abs(weights) / concavity)
        weights = cheapest(dataset, prices, prices)[1]
    return weights


@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_mcp_solves_the_problems_of_its_paper_one_after_the_other(rounds):
    dataset = made(5, n_queries=12, n_features=6)
    ranker = MCP(
        regularization=0.05, concavity=20.0, reweightings=rounds, gap=1e-10, slope=1e-9,

    )  # fmt: skip
    model = ranker.fit(dataset)
    expected = reweighted(dataset, 0.05, 20.0, rounds)
    assert model.scorer.weights == pytest.approx(expected, abs=1e-4)
    value = mean_squared_hinge(differences(dataset), expected) + ranker.penalty(expected)
    assert model.facts["objective"] == pytest.approx(value, abs=1e-6)


def test_mcp_is_no_less_sparse_than_its_first_problem_and_lower():
    dataset = made(0, n_queries=30, n_features=10)
    first, last = (MCP(reweightings=count).fit(dataset) for count in (1, 10))
    sparse = SparseRank(regularization=MCP().regularization).fit(dataset)
    assert first.facts["features_kept"] == sparse.facts["features_kept"]
    assert last.facts["features_kept"] <= first.facts["features_kept"]
    assert last.facts["objective"] <= first.facts["objective"]
    assert last.facts["gap"] is None
