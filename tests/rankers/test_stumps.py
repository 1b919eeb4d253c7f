"""A sum of threshold functions, evaluated as its equation says, and its way through JSON."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import RankwiseError
from rankwise.models.scorers.stumps import Stumps

FEATURES = np.array([[0.0, 1.0], [0.5, 2.0], [1.0, np.nan], [-1.0, 3.0]])


def test_the_equation() -> None:
    stumps = Stumps.of([1, 0, 0], [1.5, 0.5, -0.5], [4.0, 2.0, 1.0], 2)
    expected = [
        sum(
            weight * (row[column] > threshold)
            for column, threshold, weight in [(0, -0.5, 1.0), (0, 0.5, 2.0), (1, 1.5, 4.0)]
        )
        for row in FEATURES
    ]
    assert stumps.score(FEATURES).tolist() == expected == [1.0, 5.0, 3.0, 4.0]


def test_a_value_on_the_threshold_does_not_exceed_it() -> None:
    assert Stumps.of([0], [0.5], [1.0], 1).score(FEATURES[:, :1]).tolist() == [0, 0, 1, 0]


def test_without_stumps_every_score_is_0() -> None:
    assert Stumps.of([], [], [], 2).score(FEATURES).tolist() == [0.0, 0.0, 0.0, 0.0]


def test_infinite_values_exceed_all_thresholds_or_none() -> None:
    stumps = Stumps.of([0, 0, 0], [-1.0, 0.0, 1.0], [1.0, 2.0, 4.0], 1)
    rows = np.array([[np.inf], [-np.inf], [0.5]])
    assert stumps.score(rows).tolist() == [1.0 + 2.0 + 4.0, 0.0, 1.0 + 2.0]


def test_equal_stumps_are_added() -> None:
    stumps = Stumps.of([0, 0], [0.5, 0.5], [1.0, 2.0], 1)
    assert stumps.weights.tolist() == [3.0]


def test_importance_is_the_sum_of_absolute_weights() -> None:
    stumps = Stumps.of([2, 0, 2], [1.0, 0.0, 2.0], [1.0, 5.0, -3.0], 4)
    assert stumps.importance().tolist() == [5.0, 0.0, 4.0, 0.0]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 2),
            st.floats(-3, 3, allow_subnormal=False),
            st.floats(-3, 3, allow_subnormal=False),
        ),
        max_size=12,
    )
)
def test_json_round_trip_gives_the_same_bits(parts: list[tuple[int, float, float]]) -> None:
    columns, thresholds, weights = ([part[i] for part in parts] for i in range(3))
    stumps = Stumps.of(columns, thresholds, weights, 3)
    back = Stumps.from_json(json.loads(json.dumps(stumps.as_json())))
    features = np.random.default_rng(len(parts)).normal(size=(50, 3))
    assert np.array_equal(stumps.score(features), back.score(features))
    assert back.n_features == 3
    literal = [
        math.fsum(a * (row[j] > t) for j, t, a in zip(columns, thresholds, weights, strict=True))
        for row in features
    ]
    assert stumps.score(features) == pytest.approx(np.array(literal), abs=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"features": 0}, "at least one feature"),
        ({"features": None}, "whole numbers under 'features'"),
        ({"columns": [0, 7]}, "between 0 and 1"),
        ({"columns": [-1, 0]}, "between 0 and 1"),
        ({"columns": [0]}, "as many columns"),
        ({"weights": [1.0, "x"]}, "list of numbers under 'weights'"),
        ({"thresholds": [1.0, float("inf")]}, "finite"),
    ],
)
def test_a_wrong_file_is_one_sentence(change: dict[str, object], words: str) -> None:
    values = Stumps.of([0, 1], [1.0, 2.0], [1.0, 1.0], 2).as_json() | change
    with pytest.raises(RankwiseError, match=words):
        Stumps.from_json(values)
