"""Where differences say nothing: one query, equal differences, differences of rounding alone."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rankwise.comparison.significance_tests import (
    PairedTestResult,
    Procedure,
    bootstrap_test,
    compare_systems,
    confidence_interval,
    effect_sizes,
    randomization_test,
    sign_test,
    t_test,
    wilcoxon_test,
)
from rankwise.comparison.significance_tests.intervals import INTERVALS

Test = Callable[[NDArray[np.float64]], PairedTestResult]
TWO_SIDED: tuple[Test, ...] = (
    t_test, bootstrap_test, randomization_test, wilcoxon_test, sign_test,
)  # fmt: skip
NAMES = ("t", "bootstrap", "randomization", "wilcoxon", "sign")


@pytest.mark.parametrize("test", [test for test in TWO_SIDED if test is not t_test])
@pytest.mark.parametrize("difference", [0.1, -1.0, 1e200])
def test_one_query_proves_nothing(test: Test, difference: float) -> None:
    assert test(np.array([difference])).p_value == 1.0


@pytest.mark.parametrize("test", TWO_SIDED)
@pytest.mark.parametrize("difference", [0.1, -0.25, 1 / 3, 1e200])
@pytest.mark.parametrize("queries", [2, 3, 6, 12])
def test_equal_differences_have_the_p_value_of_their_signs(
    test: Test, difference: float, queries: int
) -> None:
    """Two of 2^n choices of signs are as extreme: enumeration, not the textbook's p = 0."""
    signs = np.array(list(product((-1, 1), repeat=queries)))
    expected = np.mean(np.abs(signs.sum(axis=1)) >= queries)
    assert test(np.full(queries, difference)).p_value == expected == 2 / 2**queries


def average_precisions(queries: int) -> NDArray[np.float64]:
    """(1/1 + 2/3 + 3/7) / 3 and its like, added from the front and from the back."""
    terms = [[(n + 1) / (n * q + 1) for n in range(3)] for q in range(1, queries + 1)]
    forth = [(a + b + c) / 3 for a, b, c in terms]
    back = [(c + b) / 3 + a / 3 for a, b, c in terms]
    return np.array([forth, back])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [1.0, 1000.0, 1e9])
@pytest.mark.parametrize("queries", [2, 6, 30])
def test_figures_that_differ_by_rounding_alone_do_not_differ(
    name: str, scale: float, queries: int
) -> None:
    first, second = scale * average_precisions(queries)
    assert scale > 1 or queries == 2 or not np.array_equal(first, second)
    for figures in ((first, second), (second, first)):
        systems = dict(zip("ab", figures, strict=True))
        [found] = compare_systems({"AP": systems}, Procedure(test=name, samples=99))
        assert (found.difference, found.result.p_value) == (0.0, 1.0)
        assert math.copysign(1.0, found.difference) == 1.0
        assert (found.effect.cohen_d, found.effect.ties) == (0.0, queries)
        assert math.isnan(found.interval.low)
        assert "same figures" in found.warnings[0]


def test_seven_twelfths_on_both_sides() -> None:
    first = np.full(6, 7 / 12)
    second = np.full(6, np.nextafter(7 / 12, 0.0))
    [found] = compare_systems({"AP": {"a": first, "b": second}})
    assert (found.difference, found.effect.cohen_d, found.adjusted_p_value) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("test", TWO_SIDED)
@pytest.mark.parametrize("factor", [1e-6, 1e100, 1e200, 1e307])
def test_the_scale_of_a_measure_changes_no_p_value(test: Test, factor: float) -> None:
    differences = np.array([0.3, -0.1, 0.25, 0.4, -0.05, 0.2, 0.35])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        there, here = test(differences * factor), test(differences)
        moved = effect_sizes(differences * factor)
    assert there.p_value == pytest.approx(here.p_value, rel=1e-9)
    assert moved.cohen_d == pytest.approx(effect_sizes(differences).cohen_d, rel=1e-9)


@pytest.mark.parametrize("kind", INTERVALS)
@pytest.mark.parametrize("factor", [1e-6, 1e150, 1e300])
def test_intervals_grow_with_the_scale(kind: str, factor: float) -> None:
    differences = np.array([0.3, -0.1, 0.25, 0.4, -0.05, 0.2, 0.35, 0.5])
    one = confidence_interval(differences, kind, samples=500)
    other = confidence_interval(differences * factor, kind, samples=500)
    ends = (other.low / factor, other.high / factor)
    assert ends == pytest.approx((one.low, one.high), rel=1e-9)


@pytest.mark.parametrize("test", TWO_SIDED)
@pytest.mark.parametrize("size", [1e-200, 1e-13])
def test_differences_below_twelve_decimals_are_ties_in_every_test(test: Test, size: float) -> None:
    assert test(size * np.array([1.0, 2.0, 3.0, 5.0])).p_value == 1.0
    assert effect_sizes(size * np.array([1.0, 2.0])).ties == 2


def test_a_measure_so_small_that_differences_vanish_is_warned_of() -> None:
    first, second = np.array([1e-13, 3e-13, 2e-13]), np.array([2e-13, 9e-13, 5e-13])
    [found] = compare_systems({"own": {"a": first, "b": second}})
    assert "scale the measure up" in found.warnings[0]


def test_differences_that_overflow_are_refused_in_a_sentence() -> None:
    with pytest.raises(Exception, match="must be finite, found an infinite one"):
        compare_systems({"own": {"a": [-1e308, 0.0], "b": [1e308, 0.0]}})


@pytest.mark.parametrize("kind", INTERVALS)
@given(st.floats(-1, 1), st.integers(2, 9))
def test_equal_differences_have_no_interval(kind: str, value: float, queries: int) -> None:
    found = confidence_interval([value] * queries, kind, samples=50)
    assert math.isnan(found.low) and math.isnan(found.high)
