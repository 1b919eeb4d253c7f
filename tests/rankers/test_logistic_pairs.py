"""RankNet's loss and LambdaRank's weights, against listed pairs and real swaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.losses.lambdas import LogisticPairs, PreferenceOrder, lambdas
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


@pytest.mark.parametrize(("measure", "tool"), [("NDCG@4", "letor4"), ("MAP", "definition")])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=8)
def test_slopes_and_curves_are_those_of_the_cost_with_its_weights_held(measure, tool, seed):
    dataset = made(seed, n_queries=3, length=6)
    scores = np.random.default_rng(seed).permutation(dataset.n_documents) / 10.0
    loss = lambdas(dataset, measure, tool)
    slopes, curves = loss.curved_at(scores, normalised=False)
    # Steps this small leave every rank as it is, and with the ranks the weights.
    step = 1e-5
    for row in range(dataset.n_documents):
        moved = np.zeros(dataset.n_documents)
        moved[row] = step
        above, below = loss.at(scores + moved), loss.at(scores - moved)
        slope = dataset.n_queries * (above[0] - below[0]) / (2 * step)
        curve = dataset.n_queries * (above[1][row] - below[1][row]) / (2 * step)
        assert slopes[row] == pytest.approx(slope, abs=1e-8)
        assert curves[row] == pytest.approx(curve, abs=1e-8)


@pytest.mark.parametrize("measure", ["NDCG@4", "MAP"])
def test_normalised_lambdas_are_scaled_as_lightgbm_scales_them(measure):
    dataset = made(3, n_queries=1, length=6)
    scores = np.random.default_rng(3).normal(size=dataset.n_documents)
    judged = TrainingMeasure.of(dataset, measure, "definition")
    before, size = judged.per_query(scores).sum(), dataset.n_documents
    slopes, curves, total = np.zeros(size), np.zeros(size), 0.0
    for better, worse in listed_pairs(dataset):
        swapped = scores.copy()
        swapped[[better, worse]] = scores[[worse, better]]
        change = abs(judged.per_query(swapped).sum() - before)
        change /= 0.01 + abs(scores[better] - scores[worse])
        share = 1 / (1 + np.exp(scores[better] - scores[worse]))
        slopes[[better, worse]] += [-change * share, change * share]
        curves[[better, worse]] += change * share * (1 - share)
        total += 2 * change * share
    factor = np.log2(1 + total) / total
    found = lambdas(dataset, measure, "definition").curved_at(scores, normalised=True)
    assert found[0] == pytest.approx(factor * slopes, abs=1e-12)
    assert found[1] == pytest.approx(factor * curves, abs=1e-12)


def test_queries_too_short_for_the_tool_have_no_lambdas():
    dataset = Dataset.from_arrays(np.zeros((5, 1)), [1, 0, 0, 1, 0], [1, 1, 2, 2, 2])
    scores = np.array([0.0, 1.0, 3.0, 1.0, 2.0])
    for tool in ("letor3", "letor4"):
        slopes = lambdas(dataset, "NDCG@3", tool).at(scores)[1]
        assert slopes[:2].tolist() == [0.0, 0.0]
        assert slopes[3] < 0
    assert lambdas(dataset, "NDCG@3", "definition").at(scores)[1][0] < 0
    assert not lambdas(dataset, "NDCG@4", "letor4").is_moved()


def test_measures_without_lambdas_are_refused():
    with pytest.raises(RankwiseError, match="NDCG and MAP, found ERR@10"):
        lambdas(made(), "ERR@10", "definition")
