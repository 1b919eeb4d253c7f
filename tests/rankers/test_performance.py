"""The performance matrix against one evaluation per candidate, and the choice of a pool."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.boosting import weak_rankers
from rankwise.rankers.boosting.weak_rankers import Pool, linear_scores, performance_matrix
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


@pytest.mark.parametrize("in_a_block", [1, 7, 10**6])
def test_no_figure_depends_on_blocks_or_threads(
    monkeypatch: pytest.MonkeyPatch, in_a_block: int
) -> None:
    dataset = made(5, queries=8)
    measure = TrainingMeasure.of(dataset, "NDCG@3")
    weights = sparse_weights(5, 30, 4)
    expected = [measure.per_query(Linear(row).score(dataset.features)) for row in weights]
    monkeypatch.setattr(weak_rankers, "_CANDIDATES_IN_A_BLOCK", in_a_block)
    monkeypatch.setattr(weak_rankers, "processors", lambda: 3)
    assert np.array_equal(performance_matrix(weights, dataset, measure), np.array(expected))


@pytest.mark.parametrize(
    ("measure", "tool"),
    [("MAP", "letor3"), ("NDCG@5", "letor4"), ("ERR@10", "definition"), ("NDCG@3", "trec_eval")],
)
def test_the_compiled_pass_agrees_with_scoring_first_to_the_bit(measure: str, tool: str) -> None:
    # trec_eval ranks by single precision and document ids: it has no compiled pass.
    dataset = made(3, queries=12, features=5)
    names = [str(row) for row in range(dataset.n_documents)]
    coarse = replace(dataset, features=np.round(dataset.features, 1), document_ids=names)
    prepared = TrainingMeasure.of(coarse, measure, tool)
    weights = np.vstack([sparse_weights(3, 20, 5), np.zeros((1, 5))])
    scores = [Linear(row).score(coarse.features) for row in weights]
    expected = np.array([prepared.per_query(row) for row in scores])
    assert np.array_equal(performance_matrix(weights, coarse, prepared), expected)
    assert (prepared.prepared() is None) == (tool == "trec_eval")
    queries = list(pairwise(coarse.query_offsets.tolist()))
    tells = [any(len(set(row[a:b])) > 1 for a, b in queries) for row in scores]
    assert not tells[-1]
    pool = Pool.of(weights, coarse, prepared)
    assert pool.numbers.tolist() == np.flatnonzero(tells).tolist()
    assert np.array_equal(pool.performance, expected[tells])


def test_scores_that_are_no_numbers_are_refused() -> None:
    dataset = Dataset.from_arrays([[1e308, 1e308], [0.0, 1.0]], [1, 0], group=[2])
    weights = np.array([[1e308, -1e308]])
    with pytest.raises(RankwiseError, match="found NaN"):
        performance_matrix(weights, dataset, TrainingMeasure.of(dataset))


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
    taken = whole.keep_best(5)
    assert np.array_equal(taken.numbers, best.numbers)
    assert np.array_equal(taken.performance, best.performance)
    assert np.array_equal(taken.weights, best.weights)


def test_a_pool_that_orders_nothing_is_refused() -> None:
    dataset = Dataset.from_arrays(np.ones((4, 2)), [1, 0, 1, 0], group=[2, 2])
    with pytest.raises(RankwiseError, match="constant within every training query"):
        Pool.of(np.eye(2), dataset, TrainingMeasure.of(dataset))
