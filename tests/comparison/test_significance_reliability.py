"""When intervals and p-values bear a warning, and what it says."""

from __future__ import annotations

import numpy as np
import pytest

from rankwise.comparison.significance_tests import confidence_interval, t_test
from rankwise.comparison.significance_tests.intervals import INTERVALS
from rankwise.comparison.significance_tests.paired_tests import bootstrap_t, bootstrap_test
from rankwise.comparison.significance_tests.procedure import FEWEST_DIFFERING, describe_reliability


def warned(differences: list[float], kind: str = "t") -> tuple[str, ...]:
    interval = confidence_interval(differences, kind, samples=50)
    return describe_reliability(differences, interval, "t")


@pytest.mark.parametrize("kind", INTERVALS)
def test_fewer_queries_than_the_interval_needs_are_warned_of(kind: str) -> None:
    limit = FEWEST_DIFFERING[kind]
    assert warned([0.1 * n for n in range(1, limit + 1)], kind) == ()
    [sentence] = warned([0.1 * n for n in range(1, limit)], kind)
    assert sentence.startswith(f"there are only {limit - 1} queries; with fewer than {limit} ")
    assert "95 %" in sentence and kind in sentence


def test_queries_without_a_difference_do_not_count() -> None:
    """A measure of few values: sixty queries, nineteen of which differ."""
    [sentence] = warned([0.0] * 41 + [1.0] * 10 + [-1.0] * 9)
    assert sentence.startswith("only 19 of 60 queries differ")
    assert warned([0.0] * 40 + [1.0] * 11 + [-1.0] * 9) == ()


def test_equal_differences_are_told_apart_from_none() -> None:
    assert "alike (+0.5)" in warned([0.5, 0.5])[0]
    assert "p is that of their signs alone" in warned([0.5, 0.5])[0]
    assert "same figures on all 2 queries" in warned([0.0, 0.0])[0]
    assert "one query" in warned([0.5])[0]


def test_the_bootstrap_test_by_its_equation() -> None:
    """p = (1 + #{|t*| ≥ |t|}) / (1 + samples) over resamples drawn from the same seed."""
    d = np.random.default_rng(2).normal(0.2, 1.0, 30)
    t = t_test(d).statistic
    drawn = d[np.random.default_rng(6).integers(0, 30, (500, 30))]
    errors = drawn.std(axis=1, ddof=1) / np.sqrt(30)
    expected = (1 + np.sum(np.abs((drawn.mean(axis=1) - d.mean()) / errors) >= abs(t))) / 501
    found = bootstrap_test(d, samples=500, seed=6)
    assert (found.statistic, found.p_value) == (t, expected)


def test_the_least_p_of_the_bootstrap_test_is_that_of_the_signs() -> None:
    for queries in (2, 3, 5):
        differences = 1.0 + np.arange(queries) / 1000
        assert bootstrap_test(differences).p_value == 2 / 2**queries


def test_many_equal_values_do_not_hide_a_difference() -> None:
    """Eleven of twelve queries won by ½: resamples of one value must not count as extreme."""
    assert bootstrap_test([0.5] * 11 + [0.0]).p_value < 0.01


def test_the_bootstrap_t_interval_by_its_equation() -> None:
    """mean - q · s / √m, with q the upper and the lower quantile of t*."""
    d = np.random.default_rng(4).exponential(size=25)
    drawn = np.sort(bootstrap_t(d, 1000, np.random.default_rng(3)))
    error = d.std(ddof=1) / np.sqrt(25)
    found = confidence_interval(d, "bootstrap-t", samples=1000, seed=3)
    # The 25th and the 975th of a thousand: the least value with that share at or below it.
    assert found.low == pytest.approx(d.mean() - drawn[974] * error)
    assert found.high == pytest.approx(d.mean() - drawn[24] * error)


def test_resamples_of_one_value_are_infinitely_far() -> None:
    drawn = bootstrap_t(np.array([0.0, 1.0]), 400, np.random.default_rng(0))
    assert set(drawn.tolist()) == {-np.inf, 0.0, np.inf}
