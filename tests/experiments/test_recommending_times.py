"""The law of times: a known one is recovered, its interval covers, the better slopes are taken."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankwise.experiments.recommending.recommendation_check import compare_slopes, fit_times
from tests.experiments.made_evidence import SIZES

CELLS = np.array([documents * features for documents, features in SIZES], np.float64)
FAMILIES = ("pointwise",) * 3 + ("listwise",) * 3


def test_a_power_law_is_recovered() -> None:
    constants = np.array([1e-6, 1e-5, 1e-4, 2e-5, 3e-3, 1.0])
    times = np.log(constants * CELLS[:, None] ** 1.3)
    model = fit_times(CELLS, times, FAMILIES)
    assert model.slopes == pytest.approx([1.3] * 6)
    for method, constant in enumerate(constants):
        expected = model.predict(1e8, method)
        assert expected is not None
        assert expected.seconds == pytest.approx(constant * 1e8**1.3)
        assert expected.low == pytest.approx(expected.high, rel=1e-6)
    errors = compare_slopes(CELLS, times, FAMILIES)
    assert errors.shared == pytest.approx(1.0) and errors.slopes == "shared"


def test_slopes_of_families_are_taken_where_they_differ() -> None:
    slopes = np.array([1.0] * 3 + [2.0] * 3)
    times = np.log(1e-6) + slopes * np.log(CELLS)[:, None]
    errors = compare_slopes(CELLS, times, FAMILIES)
    assert errors.family == pytest.approx(1.0) and errors.shared > 1.5
    assert errors.slopes == "family"
    model = fit_times(CELLS, times, FAMILIES, errors.slopes)
    assert model.slopes == pytest.approx(slopes)


def test_the_interval_is_that_of_its_equation() -> None:
    rng = np.random.default_rng(1)
    x = np.log(CELLS)
    times = (0.5 * x + rng.normal(0, 0.4, len(x)))[:, None]
    model = fit_times(CELLS, times, ("pointwise",))
    slope, constant = np.polyfit(x, times[:, 0], 1)
    left = times[:, 0] - slope * x - constant
    deviation = math.sqrt((left**2).sum() / 5)
    new = math.log(1e7)
    wide = math.sqrt(1 + 1 / 7 + (new - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum())
    # 2.5706 is the 97.5 % point of Student's t with 5 degrees of freedom.
    expected = model.predict(1e7, 0)
    assert expected is not None
    assert math.log(expected.seconds) == pytest.approx(slope * new + constant)
    assert math.log(expected.high / expected.seconds) == pytest.approx(
        2.5706 * deviation * wide, rel=1e-4
    )


def test_the_interval_covers_new_data_sets_that_are_slow_for_all_methods() -> None:
    """Half of the scatter is common to all methods of a data set, as with real times."""
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(300):
        sizes = 10 ** rng.uniform(4, 7, 8)
        common = rng.normal(0, 0.4, (8, 1))
        times = np.log(1e-5 * sizes)[:, None] + common + rng.normal(0, 0.4, (8, 20))
        model = fit_times(sizes[:7], times[:7], ("pointwise",) * 20)
        expected = model.predict(float(sizes[7]), 0)
        assert expected is not None
        covered += expected.low <= math.exp(times[7, 0]) <= expected.high
    assert covered >= 0.92 * 300


def test_methods_without_times_have_no_expected_time() -> None:
    times = np.log(np.column_stack([CELLS, CELLS * 2]))
    times[:, 1] = math.nan
    times[2, 0] = math.nan
    model = fit_times(CELLS, times, ("pointwise", "listwise"))
    assert model.predict(1e6, 1) is None
    one = model.predict(1e6, 0)
    assert one is not None and one.seconds == pytest.approx(1e6)
    assert compare_slopes(CELLS, times, ("pointwise", "listwise")).family == pytest.approx(1.0)


def test_data_sets_of_one_size_give_their_mean() -> None:
    model = fit_times(np.full(4, 100.0), np.log([[1.0], [2.0], [4.0], [8.0]]), ("pointwise",))
    expected = model.predict(1e6, 0)
    assert expected is not None and expected.seconds == pytest.approx(8**0.5)
