"""FRank against its equations on listed pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.boosting.rankboost import FidelityLoss, FRank, Thresholds
from rankwise.rankers.training.preferences import LabelLevels
from tests.rankers.boosting_data import made, pairs

COUNT = 15


def share(dataset: Dataset, query: int) -> float:
    """1 / (pairs of the query), divided by the number of queries that have pairs."""
    queries = [found for found, _, _ in pairs(dataset)]
    return 1 / queries.count(query) / len(set(queries))


def fidelity(dataset: Dataset, F: np.ndarray) -> float:
    return sum(
        share(dataset, query) * (1 - math.sqrt(1 / (1 + math.exp(F[worse] - F[better]))))
        for query, worse, better in pairs(dataset)
    )


def weigh(
    dataset: Dataset, codes: np.ndarray, F: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """The loss, and the weights of pairs that every threshold puts right or wrong."""
    loss = FidelityLoss(LabelLevels.of(dataset))
    return loss.weights(loss.arrange(codes), F, COUNT)


@given(st.integers(0, 10_000))
def test_loss_and_sums_are_those_over_listed_pairs(seed: int) -> None:
    dataset = made(seed, queries=4, longest=6)
    F = np.random.default_rng(seed).normal(size=dataset.n_documents) * 2
    thresholds = Thresholds.of(dataset.features, COUNT)
    codes = thresholds.codes(dataset.features)
    loss, right, wrong = weigh(dataset, codes, F)
    assert loss == pytest.approx(fidelity(dataset, F), rel=1e-12)
    expected = np.zeros((2, *right.shape))
    for query, worse, better in pairs(dataset):
        e = math.exp(F[worse] - F[better])
        W = share(dataset, query) * e * (1 + e) ** -1.5
        for column in range(dataset.n_features):
            h = dataset.features[:, column][:, np.newaxis] > thresholds.values[column]
            expected[0, column] += W * (h[better] & ~h[worse])
            expected[1, column] += W * (~h[better] & h[worse])
    assert right == pytest.approx(expected[0], abs=1e-14)
    assert wrong == pytest.approx(expected[1], abs=1e-14)


@given(st.integers(0, 10_000))
def test_the_weights_are_the_derivative_of_the_loss(seed: int) -> None:
    """d loss(F + a h) / da = -½ (W₊ - W₋) at a = 0, by central differences."""
    dataset = made(seed, queries=4, longest=6)
    F = np.random.default_rng(seed).normal(size=dataset.n_documents)
    codes = Thresholds.of(dataset.features, COUNT).codes(dataset.features)
    _, right, wrong = weigh(dataset, codes, F)
    column, place = 1, 8
    h = (codes[column] >= place).astype(float)
    step = 1e-5
    slope = (fidelity(dataset, F + step * h) - fidelity(dataset, F - step * h)) / (2 * step)
    derivative = -0.5 * (right[column, place - 1] - wrong[column, place - 1])
    assert slope == pytest.approx(derivative, abs=1e-9)


@given(st.integers(0, 10_000))
def test_the_stump_and_its_weight_follow_the_equations(seed: int) -> None:
    dataset = made(seed)
    F = np.random.default_rng(seed).normal(size=dataset.n_documents)
    codes = Thresholds.of(dataset.features, COUNT).codes(dataset.features)
    loss = FidelityLoss(LabelLevels.of(dataset))
    _, right, wrong = loss.weights(loss.arrange(codes), F, COUNT)
    step = loss.next_stump(loss.arrange(codes), F, COUNT)
    place = (step.stump.column, step.stump.place - 1)
    gains = (np.sqrt(right) - np.sqrt(wrong)) ** 2
    assert gains[place] == gains.max()
    mean = (right[place] + wrong[place]) / len(pairs(dataset))
    expected = 0.5 * math.log((right[place] + mean) / (wrong[place] + mean))
    assert step.weight == pytest.approx(expected, rel=1e-12)


def test_a_hopelessly_wrong_pair_is_given_up_without_overflow() -> None:
    dataset = Dataset.from_arrays([[0.0], [1.0]], [0, 1], group=[2])
    codes = Thresholds.of(dataset.features, COUNT).codes(dataset.features)
    loss = FidelityLoss(LabelLevels.of(dataset))
    value, right, wrong = loss.weights(loss.arrange(codes), np.array([1000.0, 0.0]), COUNT)
    assert value == pytest.approx(1.0)
    assert np.isfinite(right).all()
    assert right.max() < 1e-40
    assert not wrong.any()


def test_a_pair_of_a_small_query_counts_as_much_as_its_query() -> None:
    # The first query has one pair, the second four that want the opposite.
    features = [[0.0], [1.0], [1.0], [1.0], [0.0], [0.0]]
    dataset = Dataset.from_arrays(features, [0, 1, 0, 0, 1, 1], group=[2, 4])
    codes = Thresholds.of(dataset.features, COUNT).codes(dataset.features)
    _, right, wrong = weigh(dataset, codes, np.zeros(6))
    assert right == pytest.approx(wrong)


def test_it_learns_what_a_threshold_can_say() -> None:
    train = made(6, queries=30)
    model = FRank(rounds=40).fit(train)
    assert fidelity(train, model.score(train)) < 0.75 * fidelity(train, np.zeros(train.n_documents))


def test_null_exceeds_no_threshold() -> None:
    dataset = Dataset.from_arrays([[np.nan], [1.0], [2.0], [np.nan]], [0, 1, 1, 0], group=[4])
    scores = FRank(rounds=3).fit(dataset).score(dataset)
    assert scores[0] == scores[3] == 0.0
    assert scores[2] > 0.0


def test_features_that_say_nothing_are_refused() -> None:
    dataset = Dataset.from_arrays(np.ones((4, 2)), [1, 0, 1, 0], group=[2, 2])
    with pytest.raises(RankwiseError, match="found none among 2"):
        FRank().fit(dataset)
