"""Tails and quantiles against closed forms, exact fractions and scipy, far out in the tails too."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from rankwise.native.distributions import (
    fair_coin_tail,
    normal_quantile,
    normal_tail,
    student_quantile,
    student_tail,
)

FREEDOMS = (1, 2, 3, 4, 5, 9, 10, 29, 98, 99, 100, 101, 155, 1000, 18_918, 100_000)
PROBABILITIES = (1e-300, 1e-100, 1e-12, 0.001, 0.025, 0.2499, 0.25, 0.4, 0.51, 0.75, 0.975, 0.9999)


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-13, abs=0.0)


def beta_tail(freedom: int, t: float) -> float:
    """½ I_x(f/2, ½) at x = f / (f + t²), as scipy computes it."""
    return float(special.betainc(freedom / 2, 0.5, freedom / (freedom + t * t))) / 2


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_students_tail_equals_scipys(freedom) -> None:
    for t in (0.01, 0.5, 0.999, 1.0, 1.001, 1.5, 1.9, 2.6, 4.0, 7.0):
        assert student_tail(freedom, t) == close(float(special.stdtr(freedom, -t)))
        assert student_tail(freedom, -t) == close(float(special.stdtr(freedom, t)))


@pytest.mark.parametrize("t", [1e-9, 0.3, 1.0, 2.0, 50.0, 1e9, 1e120, 1e290])
def test_students_tail_has_closed_forms_for_few_degrees_of_freedom(t) -> None:
    assert student_tail(1, t) == close(math.atan2(1.0, t) / math.pi)
    # ½ (1 - t / √(2 + t²)) without its cancellation.
    root = math.hypot(math.sqrt(2.0), t)
    assert student_tail(2, t) == close(1.0 / (root * (root + t)) if t < 1e150 else 0.5 / t / t)


@pytest.mark.parametrize(("freedom", "t"), [(5, 1e50), (20, 1e14), (99, 6e3), (155, 800.0)])
def test_students_tail_keeps_its_digits_near_1e_300(freedom, t) -> None:
    a = freedom / 2
    # Beyond so large t the incomplete beta function is its first term.
    ratio = math.exp(math.lgamma(a + 0.5) - math.lgamma(a + 1.0)) / math.sqrt(math.pi)
    leading = 0.5 * ratio * math.exp(-a * math.log1p(t * t / freedom))
    assert 1e-300 < leading < 1e-100
    assert student_tail(freedom, t) == pytest.approx(leading, rel=1e-3)
    assert student_tail(freedom, t) == pytest.approx(beta_tail(freedom, t), rel=2e-12, abs=0.0)


def test_students_tail_nears_the_normal_one() -> None:
    for z in (0.5, 2.0, 5.0):
        assert student_tail(10**9, z) == pytest.approx(normal_tail(z), rel=1e-6)


def test_students_tail_at_the_ends() -> None:
    assert student_tail(7, 0.0) == 0.5
    assert student_tail(7, math.inf) == 0.0
    assert student_tail(7, -math.inf) == 1.0
    assert math.isnan(student_tail(7, math.nan))
    assert math.isnan(student_tail(0, 1.0))


@given(st.integers(1, 50_000), st.floats(-40.0, 40.0))
def test_the_tails_of_both_sides_are_1_together(freedom, t) -> None:
    assert student_tail(freedom, t) + student_tail(freedom, -t) == pytest.approx(1.0, rel=1e-15)
    assert normal_tail(t) + normal_tail(-t) == pytest.approx(1.0, rel=1e-15)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_students_quantile_equals_scipys(freedom) -> None:
    # Near ½ scipy has fewer digits: at 0.51 with four degrees of freedom it has twelve.
    for probability in (0.001, 0.025, 0.2499, 0.25, 0.4, 0.75, 0.975, 0.9999):
        expected = float(special.stdtrit(freedom, probability))
        assert student_quantile(freedom, probability) == close(expected)


@pytest.mark.parametrize("freedom", FREEDOMS)
@pytest.mark.parametrize("probability", PROBABILITIES)
def test_students_quantile_undoes_the_tail(freedom, probability) -> None:
    t = student_quantile(freedom, probability)
    assert student_tail(freedom, -t) == pytest.approx(probability, rel=3e-13, abs=0.0)


def test_quantiles_have_closed_forms_for_few_degrees_of_freedom() -> None:
    for probability in (0.01, 0.3, 0.51, 0.6, 0.975):
        expected = math.tan(math.pi * (probability - 0.5))
        assert student_quantile(1, probability) == close(expected)
        both = 2.0 * probability * (1.0 - probability)
        expected = (2.0 * probability - 1.0) / math.sqrt(both)
        assert student_quantile(2, probability) == close(expected)


@pytest.mark.parametrize("z", [0.0, 1e-10, 0.3, 0.6745, 1.0, 1.96, 3.0, 6.0, 12.0])
def test_the_normal_tail_equals_scipys(z) -> None:
    assert normal_tail(z) == close(float(special.ndtr(-z)))
    assert normal_tail(-z) == close(float(special.ndtr(z)))


def test_the_normal_tail_keeps_its_digits_to_1e_300() -> None:
    for z in (20.0, 30.0, 37.0):
        # Laplace's continued fraction of Mills' ratio, summed in fractions.
        below = Fraction(0)
        for term in range(60, 0, -1):
            below = Fraction(term) / (Fraction(z) + below)
        ratio = float(1 / (Fraction(z) + below))
        # z has few digits, so that its square is exact.
        expected = ratio * math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi)
        assert normal_tail(z) == close(expected)


def test_the_normal_tail_at_the_ends() -> None:
    assert normal_tail(math.inf) == 0.0
    assert normal_tail(-math.inf) == 1.0
    assert math.isnan(normal_tail(math.nan))


@pytest.mark.parametrize("probability", [*PROBABILITIES, 0.5 - 1e-10, 0.5, 0.5 + 1e-10])
def test_the_normal_quantile_equals_scipys(probability) -> None:
    assert normal_quantile(probability) == close(float(special.ndtri(probability)))


@pytest.mark.parametrize("quantile", [normal_quantile, lambda p: student_quantile(3, p)])
def test_quantiles_at_the_ends(quantile) -> None:
    assert quantile(0.0) == -math.inf
    assert quantile(0.5) == 0.0
    assert quantile(1.0) == math.inf
    assert all(math.isnan(quantile(no)) for no in (-0.1, 1.1, math.nan))


@pytest.mark.parametrize("tosses", [0, 1, 2, 3, 10, 51, 155, 1000, 3001])
def test_the_fair_coins_tail_is_an_exact_fraction(tosses) -> None:
    for heads in {0, tosses // 10, tosses // 3, tosses // 2, tosses * 2 // 3, tosses}:
        ways = sum(math.comb(tosses, i) for i in range(heads + 1))
        assert fair_coin_tail(heads, tosses) == close(float(Fraction(ways, 2**tosses)))


def test_the_fair_coins_tail_stays_exact_for_many_tosses() -> None:
    # P(X ≤ n) of 2n + 1 tosses is ½; of 2n tosses ½ + C(2n, n) / 2^(2n + 1).
    assert fair_coin_tail(100_000, 200_001) == close(0.5)
    middle = float(Fraction(math.comb(20_000, 10_000), 2**20_001))
    assert fair_coin_tail(10_000, 20_000) == close(0.5 + middle)
    assert fair_coin_tail(0, 1000) == 2.0**-1000
    assert fair_coin_tail(0, 2000) == 0.0


def test_what_is_no_count_has_no_probability() -> None:
    assert all(math.isnan(fair_coin_tail(*no)) for no in ((-1, 3), (4, 3), (0, -1)))


def test_tails_fall_where_one_formula_hands_over_to_another() -> None:
    for freedom in (1, 5, 100, 30_000):
        near = np.array([student_tail(freedom, t) for t in np.linspace(0.999999, 1.000001, 21)])
        assert (np.diff(near) < 0.0).all()
