"""SmoothRank: smoothed NDCG literally, its slopes, and its limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.gradient.smoothrank import SmoothRank, smoothed_gains
from rankwise.rankers.losses.listwise import DiscountedGains
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.svm_data import made
from tests.rankers.test_listwise_losses import queries_of


def smoothed(dataset, gains, scores, width):
    return smoothed_gains(scores, dataset.query_offsets, gains, width)


def literal(dataset, scores, width, cutoff):
    """With the textbook's gains 2^y − 1 and discounts 1 / log2(j + 1)."""
    total = 0.0
    for rows in queries_of(dataset):
        gains, own = 2.0 ** dataset.labels[rows] - 1, scores[rows]
        discounts = 1 / np.log2(np.arange(2, cutoff + 2))
        ideal = (np.sort(gains)[::-1][:cutoff] * discounts[: len(gains)]).sum()
        for rank, held in enumerate(np.sort(own)[::-1][:cutoff]):
            shares = np.exp(-((own - held) ** 2) / width)
            total += discounts[rank] * (gains * shares).sum() / shares.sum() / ideal
    return total


def gains_of(dataset, name="NDCG@4", tool="definition"):
    return DiscountedGains.of(dataset, find_tool(tool).measure(name))


@given(seed=st.integers(0, 10_000), width=st.sampled_from([16.0, 1.0, 0.05]))
@settings(max_examples=15)
def test_smoothed_gains_are_the_equation_and_slopes_are_theirs(seed, width):
    dataset = made(seed, n_queries=3, length=6)
    gains = gains_of(dataset)
    scores = np.random.default_rng(seed).normal(size=dataset.n_documents)
    total, slopes = smoothed(dataset, gains, scores, width)
    if all(dataset.labels[rows].any() for rows in queries_of(dataset)):
        assert total == pytest.approx(literal(dataset, scores, width, 4), rel=1e-12)
    moves = 1e-6 * np.eye(len(scores))
    expected = [
        (
            smoothed(dataset, gains, scores + m, width)[0]
            - smoothed(dataset, gains, scores - m, width)[0]
        )
        / 2e-6
        for m in moves
    ]
    assert slopes == pytest.approx(np.array(expected), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "tool"), [("NDCG@4", "definition"), ("NDCG@4", "letor4"), ("NDCG@5", "letor3")]
)
def test_without_smoothing_it_is_ndcg(name, tool):
    dataset = made(3)
    scores = np.random.default_rng(0).normal(size=dataset.n_documents)
    total, _ = smoothed(dataset, gains_of(dataset, name, tool), scores, 1e-12)
    expected = TrainingMeasure.of(dataset, name, tool).per_query(scores).sum()
    assert total == pytest.approx(expected, rel=1e-12)


def test_a_longer_cutoff_than_the_lists_is_all_of_them():
    dataset = made(3, length=5)
    assert gains_of(dataset, "NDCG@50").gains == pytest.approx(gains_of(dataset, "NDCG@5").gains)


def test_a_climb_raises_the_smoothed_measure_and_strong_regularization_stays():
    dataset = made(1, n_queries=20)
    seen = []
    SmoothRank(regularization=0.0, starts=1, halvings=4).fit(
        dataset, watch=lambda progress: bool(seen.append(progress.training))
    )
    # The first two figures are for the same σ: before and after the first climb.
    assert seen[1] > seen[0]
    fixed = [
        SmoothRank(regularization=1e9, starts=1, halvings=halvings).fit(dataset).scorer.weights
        for halvings in (0, 6)
    ]
    assert fixed[0] == pytest.approx(fixed[1], abs=1e-6)


def test_start_and_sigma_are_chosen_on_validation():
    train, validation = made(1, n_queries=10), made(2, n_queries=10)
    figures = []
    model = SmoothRank(halvings=5).fit(
        train, validation, watch=lambda progress: bool(figures.append(progress.validation))
    )
    assert len(figures) == model.facts["rounds"] == 3 * (5 + 2)
    assert model.facts["selection"] == max(figures)
    place = figures.index(max(figures))
    assert model.facts["start"] == ("least squares", "listnet", "ranknet")[place // 7]
    assert model.facts["sigma"] == (None if place % 7 == 0 else 2.0 ** (5 - place % 7))
    judged = TrainingMeasure.of(validation, "MAP")
    assert judged.mean(model.score(validation)) == max(figures)
