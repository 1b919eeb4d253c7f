"""Thresholds and the search over them, against trying every one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.rankers.boosting.rankboost import Thresholds, best_stump


def test_thresholds_are_equally_spaced_between_least_and_greatest() -> None:
    thresholds = Thresholds.of(np.array([[0.0], [8.0]]), 3)
    assert thresholds.values.tolist() == [[2.0, 4.0, 6.0]]
    codes = thresholds.codes(np.array([[-1.0], [2.0], [2.1], [6.0], [9.0], [np.nan]]))
    assert codes.tolist() == [[0, 0, 1, 2, 3, 0]]


@pytest.mark.parametrize("value", [0.1, 1e9, -1e9, 1e308, 0.0])
def test_a_constant_feature_exceeds_none_of_its_thresholds(value: float) -> None:
    features = np.full((4, 1), value)
    assert not Thresholds.of(features).codes(features).any()


def test_a_feature_without_any_value_exceeds_nothing() -> None:
    features = np.full((3, 1), np.nan)
    thresholds = Thresholds.of(features)
    assert np.isfinite(thresholds.values).all()
    assert not thresholds.codes(features).any()


def test_huge_ranges_do_not_overflow() -> None:
    thresholds = Thresholds.of(np.array([[-1.5e308], [1.5e308]]))
    assert np.isfinite(thresholds.values).all()
    assert np.all(np.diff(thresholds.values) > 0)


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_the_best_stump_is_the_best_of_all(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    features = np.round(rng.normal(size=(20, 3)), 1)
    features[rng.random(features.shape) < 0.1] = np.nan
    potentials = rng.normal(size=20)
    thresholds = Thresholds.of(features, count)
    codes = thresholds.codes(features)
    found = best_stump(codes, potentials, count)
    edges = np.array(
        [
            [potentials[features[:, column] > threshold].sum() for threshold in row]
            for column, row in enumerate(thresholds.values)
        ]
    )
    assert abs(found.edge) == pytest.approx(np.abs(edges).max(), rel=1e-12)
    assert edges[found.column, found.place - 1] == pytest.approx(found.edge, rel=1e-12)
