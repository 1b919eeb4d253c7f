"""RankBoost against a literal version that lists its pairs."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.boosting.rankboost import ExponentialLoss, RankBoost, Thresholds
from rankwise.rankers.ranker import Round
from rankwise.rankers.training.preferences import LabelLevels
from rankwise.rankers.training.training_measure import TrainingMeasure
from tests.rankers.boosting_data import fold, made, pairs


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_potentials_are_sums_over_pairs(seed: int, labels: int) -> None:
    dataset = made(seed, labels=labels)
    F = np.random.default_rng(seed).normal(size=dataset.n_documents) * 3
    loss, potentials = ExponentialLoss(LabelLevels.of(dataset)).potentials(F)
    listed = pairs(dataset)
    weights = [math.exp(F[worse] - F[better]) for _, worse, better in listed]
    expected = np.zeros(dataset.n_documents)
    for (_, worse, better), weight in zip(listed, weights, strict=True):
        expected[better] += weight / sum(weights)
        expected[worse] -= weight / sum(weights)
    assert loss == pytest.approx(sum(weights) / len(listed), rel=1e-12)
    assert potentials == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10_000))
def test_rounds_follow_the_equations(seed: int) -> None:
    """D ∝ exp(F(x0) - F(x1)); the greatest |r| of all thresholds; α = ½ ln((1 + r) / (1 - r))."""
    dataset = made(seed)
    loss = ExponentialLoss(LabelLevels.of(dataset))
    thresholds = Thresholds.of(dataset.features, 15)
    codes = thresholds.codes(dataset.features)
    listed = pairs(dataset)
    F = np.zeros(dataset.n_documents)
    for _ in range(5):
        D = np.array([math.exp(F[worse] - F[better]) for _, worse, better in listed])
        D /= D.sum()

        def r(column: int, place: int, D: np.ndarray = D) -> float:
            h = dataset.features[:, column] > thresholds.values[column, place - 1]
            return sum(
                weight * (int(h[better]) - int(h[worse]))
                for weight, (_, worse, better) in zip(D, listed, strict=True)
            )

        step = loss.next_stump(codes, F, 15)
        greatest = max(abs(r(column, place)) for column in range(4) for place in range(1, 16))
        found = r(step.stump.column, step.stump.place)
        assert abs(found) == pytest.approx(greatest, rel=1e-9)
        if greatest > 0.999:
            return
        assert step.weight == pytest.approx(0.5 * math.log((1 + found) / (1 - found)), rel=1e-9)
        F = F + step.weight * (codes[step.stump.column] >= step.stump.place)


def test_a_feature_whose_low_values_are_good_has_negative_weight() -> None:
    dataset = Dataset.from_arrays([[1.0], [2.0], [3.0]], [1, 0, 0], group=[3])
    model = RankBoost(rounds=1).fit(dataset)
    assert model.scorer.weights[0] < 0
    assert model.score(dataset)[0] > model.score(dataset)[1]


def test_every_round_lowers_the_loss() -> None:
    dataset = made(3, queries=10)
    preferences = LabelLevels.of(dataset)
    losses = [
        ExponentialLoss(preferences).potentials(RankBoost(rounds=n).fit(dataset).score(dataset))[0]
        for n in range(1, 8)
    ]
    assert all(later < earlier for earlier, later in itertools.pairwise(losses))


def test_null_exceeds_no_threshold() -> None:
    dataset = Dataset.from_arrays([[np.nan], [1.0], [2.0], [np.nan]], [0, 1, 1, 0], group=[4])
    scores = RankBoost(rounds=3).fit(dataset).score(dataset)
    assert scores[0] == scores[3] == 0.0
    assert scores[2] > 0.0


def test_the_best_round_on_validation_is_kept() -> None:
    train, validation = made(3, queries=20), made(4, queries=20)
    seen: list[Round] = []
    model = RankBoost(rounds=30).fit(train, validation, watch=lambda now: bool(seen.append(now)))
    values = [now.validation for now in seen]
    assert model.facts["round"] == values.index(max(values)) + 1
    judged = TrainingMeasure.of(validation, "MAP", ties="expected")
    assert judged.mean(model.score(validation)) == pytest.approx(max(values), rel=1e-12)


def test_scores_that_settle_every_pair_stay_finite() -> None:
    dataset = Dataset.from_arrays(np.arange(20.0)[:, np.newaxis] * 1e9, np.arange(20), group=[20])
    model = RankBoost().fit(dataset)
    assert np.isfinite(model.score(dataset)).all()
    assert np.all(np.diff(model.score(dataset)) > 0)


def test_features_that_say_nothing_are_refused() -> None:
    dataset = Dataset.from_arrays(np.ones((4, 2)), [1, 0, 1, 0], group=[2, 2])
    with pytest.raises(RankwiseError, match="found none among 2"):
        RankBoost().fit(dataset)


def test_equal_labels_are_refused() -> None:
    dataset = Dataset.from_arrays(np.eye(4), [1, 1, 0, 0], group=[2, 2])
    with pytest.raises(RankwiseError, match="there is no order to learn"):
        RankBoost().fit(dataset)


def test_a_real_fold_is_learned(shared: Path) -> None:
    train, validation, _, tool = fold(shared, "mq2008", 1)
    model = RankBoost(rounds=60, tool=tool).fit(train, validation)
    judged = TrainingMeasure.of(validation, "MAP", tool, ties="expected")
    random_order = judged.mean(np.zeros(validation.n_documents))
    assert judged.mean(model.score(validation)) > random_order + 0.15
