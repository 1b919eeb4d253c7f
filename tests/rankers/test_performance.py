"""The performance matrix against one evaluation per candidate, and the choice of a pool."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.boosting import performance
from rankwise.rankers.boosting.performance import Pool, linear_scores, performance_matrix
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.boosting_data import made


def sparse_weights(seed: int, candidates: int, features: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(candidates, features))
    return np.where(rng.random(weights.shape) < 0.5, weights, 0.0)


@given(st.integers(0, 10_000))
def test_scores_are_those_of_the_linear_scorer_to_the_bit(seed: int) -> None:
    dataset = made(seed, features=6)
    weights = sparse_weights(seed, 4, 6)
    expected = [Linear(row).score(dataset.features) for row in weights]
    assert np.array_equal(linear_scores(dataset, weights), np.array(expected))


@pytest.mark.parametrize("scores_in_a_block", [1, 40, 10**6])
def test_no_figure_depends_on_blocks_or_threads(
    monkeypatch: pytest.MonkeyPatch, scores_in_a_block: int
) -> None:
    dataset = made(5, queries=8)
    measure = TrainingMeasure.of(dataset, "NDCG@3")
    weights = sparse_weights(5, 30, 4)
    expected = [measure.per_query(Linear(row).score(dataset.features)) for row in weights]
    monkeypatch.setattr(performance, "_SCORES_IN_A_BLOCK", scores_in_a_block)
    monkeypatch.setattr(performance, "processors", lambda: 3)
    assert np.array_equal(performance_matrix(weights, dataset, measure), np.array(expected))


def test_candidates_that_order_nothing_are_no_weak_rankers() -> None:
    # The file is in the ideal order, so a constant would have a perfect figure.
    dataset = Dataset.from_arrays(
        [[7.0, 1.0], [7.0, 2.0], [3.0, 1.0], [3.0, 1.0]], [1, 0, 1, 0], group=[2, 2]
    )
    pool = Pool.of(np.eye(2), dataset, TrainingMeasure.of(dataset))
    assert pool.numbers.tolist() == [1]
    assert pool.performance.tolist() == [[1 / 2, 1.0]]


def test_the_best_are_chosen_by_mean_performance() -> None:
    dataset = made(11, queries=20)
    measure = TrainingMeasure.of(dataset)
    weights = sparse_weights(11, 25, 4)
    whole = Pool.of(weights, dataset, measure)
    means = whole.performance.mean(axis=1)
    best = Pool.of(weights, dataset, measure, best=5)
    assert len(best) == 5
    left_out = np.setdiff1d(whole.numbers, best.numbers)
    kept = np.isin(whole.numbers, best.numbers)
    assert means[kept].min() >= means[np.isin(whole.numbers, left_out)].max()
    assert np.array_equal(best.performance, whole.performance[kept])
    assert np.array_equal(best.weights, weights[best.numbers])


def test_a_pool_that_orders_nothing_is_refused() -> None:
    dataset = Dataset.from_arrays(np.ones((4, 2)), [1, 0, 1, 0], group=[2, 2])
    with pytest.raises(RankwiseError, match="constant within every training query"):
        Pool.of(np.eye(2), dataset, TrainingMeasure.of(dataset))
