"""Sums over pairs against listed pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.losses.pairs import PreferencePairs
from tests.rankers.svm_data import listed_pairs, made


@st.composite
def judged_scores(draw):
    """Queries of 1 to 7 documents; scores in quarters, so that ties and margins of 1 are common."""
    lengths = draw(st.lists(st.integers(1, 7), min_size=1, max_size=5))
    rows = sum(lengths)
    labels = draw(st.lists(st.sampled_from([0, 1, 2, 4]), min_size=rows, max_size=rows))
    quarters = draw(st.lists(st.integers(-8, 8), min_size=rows, max_size=rows))
    queries = np.repeat(np.arange(len(lengths)), lengths)
    return Dataset.from_arrays(np.zeros((rows, 1)), labels, queries), np.array(quarters) / 4


def literal(dataset, scores, weights, power):
    """Value and slopes by a loop over pairs."""
    value, slopes = 0.0, np.zeros(len(scores))
    for i, j in listed_pairs(dataset):
        short = max(0.0, 1.0 - scores[i] + scores[j])
        value += weights[i] * short**power
        change = weights[i] * (power * short ** (power - 1) if short > 0 else 0.0)
        slopes[i] -= change
        slopes[j] += change
    return value, slopes


@given(judged_scores(), st.sampled_from(["pairs", "queries"]))
def test_hinge_is_the_sum_over_listed_pairs(case, weighting):
    dataset, scores = case
    if not len(listed_pairs(dataset)):
        return
    pairs = PreferencePairs.of(dataset, "ranksvm", weighting)
    value, slopes = pairs.hinge(scores)
    expected, expected_slopes = literal(dataset, scores, pairs.weights, 1)
    assert value == pytest.approx(expected, abs=1e-12)
    assert slopes == pytest.approx(expected_slopes, abs=1e-12)


@given(judged_scores())
def test_squared_hinge_is_the_sum_over_listed_pairs(case):
    dataset, scores = case
    if not len(listed_pairs(dataset)):
        return
    pairs = PreferencePairs.of(dataset, "ranksvm-primal")
    found = pairs.squared_hinge(scores)
    expected, expected_slopes = literal(dataset, scores, pairs.weights, 2)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.slopes == pytest.approx(expected_slopes, abs=1e-12)


@given(judged_scores(), st.integers(0, 1000))
def test_curvature_is_the_sum_over_active_pairs(case, seed):
    dataset, scores = case
    listed = listed_pairs(dataset)
    if not len(listed):
        return
    direction = np.random.default_rng(seed).normal(size=len(scores))
    expected = np.zeros(len(scores))
    for i, j in listed:
        if scores[i] - scores[j] < 1.0:
            expected[i] += 2.0 * (direction[i] - direction[j]) / len(listed)
            expected[j] += 2.0 * (direction[j] - direction[i]) / len(listed)
    found = PreferencePairs.of(dataset, "ranksvm-primal").squared_hinge(scores).curvature(direction)
    assert found == pytest.approx(expected, abs=1e-12)


def test_slopes_are_the_differences_of_the_squared_hinge():
    dataset = made()
    pairs = PreferencePairs.of(dataset, "ranksvm-primal")
    rng = np.random.default_rng(3)
    scores, direction = rng.normal(size=(2, dataset.n_documents))
    step = 1e-6
    above = pairs.squared_hinge(scores + step * direction).value
    below = pairs.squared_hinge(scores - step * direction).value
    slope = pairs.squared_hinge(scores).slopes @ direction
    assert (above - below) / (2 * step) == pytest.approx(slope, rel=1e-6)


def test_pairs_weigh_one_together_and_queries_the_same():
    dataset = Dataset.from_arrays(np.zeros((7, 1)), [1, 0, 2, 1, 0, 1, 1], [1, 1, 2, 2, 2, 3, 3])
    equal = PreferencePairs.of(dataset, "ranksvm")
    assert equal.total == 1 + 3 + 0
    assert equal.weights.tolist() == [1 / 4] * 7
    shared_out = PreferencePairs.of(dataset, "ranksvm-struct", "queries")
    assert shared_out.weights[:5].tolist() == [1 / 2, 1 / 2, 1 / 6, 1 / 6, 1 / 6]
    assert shared_out.hinge(np.zeros(7))[0] == pytest.approx(1.0)


def test_a_pair_at_margin_one_costs_nothing():
    dataset = Dataset.from_arrays(np.zeros((2, 1)), [1, 0], [1, 1])
    value, slopes = PreferencePairs.of(dataset, "ranksvm").hinge(np.array([1.0, 0.0]))
    assert value == 0.0
    assert slopes.tolist() == [0.0, 0.0]


def test_more_pairs_than_memory_holds():
    rows = 100_000
    dataset = Dataset.from_arrays(np.zeros((rows, 1)), np.arange(rows) % 2, np.zeros(rows))
    pairs = PreferencePairs.of(dataset, "ranksvm-primal")
    assert pairs.total == (rows // 2) ** 2
    scores = (np.arange(rows) % 2) / 4
    assert pairs.hinge(scores)[0] == pytest.approx(3 / 4)
    assert pairs.squared_hinge(scores).value == pytest.approx((3 / 4) ** 2)


def test_no_query_with_two_labels_is_refused():
    dataset = Dataset.from_arrays(np.zeros((4, 1)), [1, 1, 0, 0], [1, 1, 2, 2])
    with pytest.raises(RankwiseError, match="ranksvm learns from documents of one query"):
        PreferencePairs.of(dataset, "ranksvm")
