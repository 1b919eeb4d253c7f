"""ListNet's and ListMLE's losses: the equations literally, and slopes by differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.losses.listwise import (
    CentredSquares,
    OrderLikelihood,
    TopOneCrossEntropy,
)
from tests.rankers.svm_data import made


def slopes_by_differences(loss, scores, step=1e-6):
    moves = step * np.eye(len(scores))
    return np.array([(loss.at(scores + m)[0] - loss.at(scores - m)[0]) / (2 * step) for m in moves])


def queries_of(dataset):
    return [
        slice(first, last)
        for first, last in zip(dataset.query_offsets, dataset.query_offsets[1:], strict=False)
    ]


def softmax(values):
    return np.exp(values) / np.exp(values).sum()


@pytest.mark.parametrize(
    "make",
    [
        lambda data: TopOneCrossEntropy.of(data, "softmax"),
        lambda data: TopOneCrossEntropy.of(data, "share"),
        lambda data: TopOneCrossEntropy.of(data, "gain"),
        lambda data: OrderLikelihood.of(data, 3, np.random.default_rng(5)),
        lambda data: CentredSquares.of(data, data.labels),
    ],
    ids=["softmax", "share", "gain", "order", "squares"],
)
@given(seed=st.integers(0, 10_000), scale=st.sampled_from([0.1, 1.0, 20.0]))
@settings(max_examples=10)
def test_slopes_are_those_of_the_value(make, seed, scale):
    dataset = made(seed, n_queries=3, length=5)
    loss = make(dataset)
    scores = scale * np.random.default_rng(seed).normal(size=dataset.n_documents)
    assert loss.at(scores)[1] == pytest.approx(slopes_by_differences(loss, scores), abs=1e-6)


def test_top_one_cross_entropy_is_the_equation():
    dataset = made(3)
    scores = np.random.default_rng(1).normal(size=dataset.n_documents)
    expected = np.mean(
        [
            -(softmax(dataset.labels[rows]) * np.log(softmax(scores[rows]))).sum()
            for rows in queries_of(dataset)
        ]
    )
    value, _ = TopOneCrossEntropy.of(dataset, "softmax").at(scores)
    assert value == pytest.approx(expected, rel=1e-12)


def test_a_query_without_shares_counts_for_nothing():
    features = np.zeros((5, 1))
    dataset = Dataset.from_arrays(features, [0, 2, 1, 0, 0], [1, 1, 1, 2, 2])
    scores = np.array([0.3, -0.2, 0.9, 4.0, 1.0])
    value, slopes = TopOneCrossEntropy.of(dataset, "share").at(scores)
    chances = softmax(scores[:3])
    assert value == pytest.approx(-(2 / 3 * np.log(chances[1]) + 1 / 3 * np.log(chances[2])))
    assert slopes[3:].tolist() == [0.0, 0.0]


def test_gains_are_shares_of_two_to_the_label_less_one():
    dataset = Dataset.from_arrays(np.zeros((6, 1)), [0, 2, 1, 3, 0, 0], [1, 1, 1, 1, 2, 2])
    targets = TopOneCrossEntropy.of(dataset, "gain").targets
    assert targets == pytest.approx([0, 3 / 11, 1 / 11, 7 / 11, 0, 0], abs=1e-15)
    large = Dataset.from_arrays(np.zeros((2, 1)), [5000, 5001], [1, 1])
    assert TopOneCrossEntropy.of(large, "gain").targets == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.parametrize("target", ["share", "gain"])
def test_shares_of_negative_labels_are_refused(target):
    dataset = Dataset.from_arrays(np.zeros((2, 1)), [-1, 1], [1, 1])
    with pytest.raises(RankwiseError, match="at least 0, found -1"):
        TopOneCrossEntropy.of(dataset, target)


def test_order_likelihood_is_the_equation():
    dataset = made(4)
    loss = OrderLikelihood.of(dataset, 2, np.random.default_rng(0))
    scores = np.random.default_rng(2).normal(size=dataset.n_documents)
    costs = []
    for order in loss.orders:
        for rows in queries_of(dataset):
            placed = scores[order[rows]]
            chances = [np.exp(placed[i]) / np.exp(placed[i:]).sum() for i in range(len(placed))]
            costs.append(-np.log(chances).mean())
    assert loss.at(scores)[0] == pytest.approx(np.mean(costs), rel=1e-12)


def test_orders_fall_by_label_and_differ_among_equals():
    dataset = made(5, length=12)
    loss = OrderLikelihood.of(dataset, 4, np.random.default_rng(0))
    for order in loss.orders:
        for rows in queries_of(dataset):
            assert sorted(order[rows]) == list(range(rows.start, rows.stop))
            assert (np.diff(dataset.labels[order[rows]]) <= 0).all()
    assert len({order.tobytes() for order in loss.orders}) == 4


def test_far_apart_scores_stay_finite():
    dataset = Dataset.from_arrays(np.zeros((3, 1)), [2, 1, 0], [1, 1, 1])
    scores = np.array([-2000.0, 0.0, 2000.0])
    for loss in (
        TopOneCrossEntropy.of(dataset, "softmax"),
        OrderLikelihood.of(dataset, 1, np.random.default_rng(0)),
    ):
        value, slopes = loss.at(scores)
        assert np.isfinite(value)
        assert np.isfinite(slopes).all()
    # First 2 over {-2000, 0, 2000}, then 1 over {0, 2000}, then alone.
    assert value == pytest.approx((4000 + 2000 + 0) / 3)
