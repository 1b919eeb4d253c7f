"""RankNet's loss and LambdaRank's weights, against listed pairs and real swaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.losses.logistic_pairs import LogisticPairs, PreferenceOrder, lambdas
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import listed_pairs, made
from tests.rankers.test_listwise_losses import slopes_by_differences


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_the_loss_is_the_mean_over_listed_pairs(seed):
    dataset = made(seed, n_queries=4, length=6)
    pairs = listed_pairs(dataset)
    scores = 3 * np.random.default_rng(seed).normal(size=dataset.n_documents)
    value, slopes = LogisticPairs.of(dataset).at(scores)
    expected = np.log1p(np.exp(scores[pairs[:, 1]] - scores[pairs[:, 0]])).mean()
    assert value == pytest.approx(expected, rel=1e-12)
    by_differences = slopes_by_differences(LogisticPairs.of(dataset), scores)
    assert slopes == pytest.approx(by_differences, abs=1e-8)


def test_pairs_are_counted_per_query():
    dataset = Dataset.from_arrays(np.zeros((7, 1)), [1, 0, 2, 0, 3, 3, 3], [1, 1, 1, 1, 2, 2, 2])
    # 2 beats three documents, 1 beats two; the second query has one label.
    assert PreferenceOrder.of(dataset).counts.tolist() == [5, 0]
    assert len(listed_pairs(dataset)) == 5


def test_far_apart_scores_stay_finite():
    dataset = Dataset.from_arrays(np.zeros((2, 1)), [1, 0], [1, 1])
    value, slopes = LogisticPairs.of(dataset).at(np.array([-3000.0, 3000.0]))
    assert value == 6000.0
    assert slopes.tolist() == [-1.0, 1.0]


@pytest.mark.parametrize(
    ("measure", "tool"),
    [("NDCG", "definition"), ("NDCG@3", "definition"), ("NDCG@4", "letor4"), ("MAP", "letor3")],
)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=8)
def test_pairs_are_weighted_by_what_a_swap_changes(measure, tool, seed):
    dataset = made(seed, n_queries=3, length=6)
    scores = np.random.default_rng(seed).normal(size=dataset.n_documents)
    judged = TrainingMeasure.of(dataset, measure, tool)
    before = judged.per_query(scores).sum()
    expected = np.zeros(dataset.n_documents)
    for better, worse in listed_pairs(dataset):
        swapped = scores.copy()
        swapped[[better, worse]] = scores[[worse, better]]
        change = abs(judged.per_query(swapped).sum() - before)
        pull = change / (1 + np.exp(scores[better] - scores[worse])) / dataset.n_queries
        expected[better] -= pull
        expected[worse] += pull
    _, slopes = lambdas(dataset, measure, tool).at(scores)
    assert slopes == pytest.approx(expected, abs=1e-12)


def test_measures_without_lambdas_are_refused():
    with pytest.raises(RankwiseError, match="NDCG and MAP, found ERR@10"):
        lambdas(made(), "ERR@10", "definition")
