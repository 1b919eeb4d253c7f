"""The classical paired tests, against their formulas, brute force and scipy."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankwise.comparison.significance_tests import pair, sign_test, t_test, wilcoxon_test
from rankwise.comparison.significance_tests.paired_tests import signed_ranks
from rankwise.errors import RankwiseError

TESTS = (t_test, wilcoxon_test, sign_test)
tenths = st.lists(st.integers(-10, 10).map(lambda n: n / 10), min_size=2, max_size=9)
figures = st.lists(st.floats(-1, 1).map(lambda x: round(x, 6)), min_size=2, max_size=60)


def test_t_is_the_mean_over_its_standard_error() -> None:
    # d = 1, 2, 3: mean 2, s = 1, t = 2 / (1 / √3); with f = 2, p = 1 - t / √(t² + 2).
    t = 2 / (1 / math.sqrt(3))
    result = t_test([1.0, 2.0, 3.0])
    assert result.statistic == pytest.approx(t, rel=1e-15)
    assert result.p_value == pytest.approx(1 - t / math.sqrt(t * t + 2), rel=1e-12)


@given(figures)
def test_t_equals_scipys(differences: list[float]) -> None:
    result = t_test(differences)
    if np.ptp(differences) == 0:
        assert result.p_value == (2 / 2 ** len(differences) if differences[0] else 1.0)
        return
    expected = stats.ttest_1samp(differences, 0.0)
    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def test_t_of_a_constant_difference_is_infinite() -> None:
    assert t_test([0.25, 0.25]).statistic == math.inf
    assert t_test([-0.25, -0.25]).statistic == -math.inf


def test_t_needs_two_queries() -> None:
    with pytest.raises(RankwiseError, match="at least two queries, found 1"):
        t_test([0.5])


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_at_all_is_p_one(test) -> None:
    result = test([0.0] * 25)
    assert (result.statistic, result.p_value, result.queries) == (0.0, 1.0, 25)


@pytest.mark.parametrize("test", TESTS)
@given(differences=figures)
def test_swapping_the_systems_turns_the_statistic_and_keeps_p(test, differences) -> None:
    forward, backward = test(differences), test([-d for d in differences])
    assert forward.statistic == pytest.approx(-backward.statistic, rel=1e-12)
    assert forward.p_value == pytest.approx(backward.p_value, rel=1e-12)
    assert 0.0 <= forward.p_value <= 1.0


@pytest.mark.parametrize("test", (wilcoxon_test, sign_test))
def test_one_query_proves_nothing(test) -> None:
    assert test([0.5]).p_value == 1.0


def test_signed_ranks_share_ties_and_drop_zeros() -> None:
    differences = np.array([0.9 - 0.8, -(0.2 - 0.1), 0.0, 0.5, 0.3 - 0.3])
    assert signed_ranks(differences).tolist() == [1.5, -1.5, 3.0]


@given(tenths)
def test_small_wilcoxon_is_the_share_of_all_sign_choices(differences: list[float]) -> None:
    kept = [d for d in differences if d != 0.0]
    ranks = stats.rankdata(np.abs(kept)) if kept else np.zeros(0)
    observed = abs(sum(math.copysign(r, d) for r, d in zip(ranks, kept, strict=True)))
    sums = [abs(np.dot(signs, ranks)) for signs in product((-1, 1), repeat=len(kept))]
    expected = np.mean([s >= observed - 1e-9 for s in sums])
    assert wilcoxon_test(differences).p_value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("queries", [8, 20, 21, 50])
def test_wilcoxon_without_ties_equals_scipys_exact_one(queries: int) -> None:
    differences = np.random.default_rng(queries).normal(0.2, 1.0, queries)
    # A sum of ranks above its mean and one below it: both sides of the symmetric distribution.
    for turned in (differences, -differences):
        result = wilcoxon_test(turned)
        assert result.p_value == pytest.approx(stats.wilcoxon(turned, method="exact").pvalue)
        assert result.method == "exact"


@pytest.mark.parametrize(("queries", "decimals"), [(51, 9), (30, 1), (400, 2)])
def test_large_or_tied_wilcoxon_is_the_normal_approximation(queries: int, decimals: int) -> None:
    differences = np.round(np.random.default_rng(7).normal(0.1, 0.4, queries), decimals)
    expected = stats.wilcoxon(
        np.round(differences, 12), zero_method="wilcox", correction=False, method="approx"
    )
    result = wilcoxon_test(differences)
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert result.method == "normal approximation"


@given(figures)
def test_sign_test_is_the_binomial_one(differences: list[float]) -> None:
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    result = sign_test(differences)
    assert result.statistic == wins - losses
    if wins + losses:
        expected = stats.binomtest(wins, wins + losses, 0.5).pvalue
        assert result.p_value == pytest.approx(expected, rel=1e-9)


def test_sign_test_of_five_wins() -> None:
    assert sign_test([0.1] * 5 + [0.0]).p_value == 2 * 0.5**5


def test_pairs_leave_out_queries_that_neither_system_has() -> None:
    pairs = pair([1.0, math.nan, 0.5], [0.5, None, 0.75])
    assert pairs.differences.tolist() == [-0.5, 0.25]
    assert pairs.absent == 1


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ([1.0, 2.0], [1.0], "found 2 for the first and 1 for the second"),
        ([1.0, math.nan], [1.0, 2.0], "only one of them has one for query number 2"),
        ([math.nan], [math.nan], "at least one query with a figure, found none"),
        ([], [], "at least one query with a figure, found none"),
        ([math.inf], [1.0], "first figures must be finite"),
        ([[1.0]], [[1.0]], r"must be one row, one per query, found shape \(1, 1\)"),
        (["a"], [1.0], "first figures must be numbers"),
    ],
)
def test_what_cannot_be_paired_is_said(first: list, second: list, sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        pair(first, second)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("differences", [[], [0.5, math.nan], [math.inf, 1.0]])
def test_differences_must_be_finite_numbers(test, differences: list[float]) -> None:
    with pytest.raises(RankwiseError):
        test(differences)
