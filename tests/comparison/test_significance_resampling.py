"""Randomization and bootstrap: exact where small, seeded where not; intervals by the bootstrap."""

from __future__ import annotations

import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankwise.comparison.significance_tests import (
    bootstrap_test,
    confidence_interval,
    randomization_test,
)
from rankwise.comparison.significance_tests.intervals import INTERVALS
from rankwise.comparison.significance_tests.paired_tests import (
    MOST_SAMPLES,
    bootstrap_means,
    check_samples,
    exact_p_value,
    sampled_p_value,
    signed_sums,
)
from rankwise.errors import RankwiseError

small = st.lists(st.integers(-6, 6).map(lambda n: n / 10), min_size=1, max_size=9)


@given(small)
def test_small_randomization_is_the_share_of_all_sign_choices(differences: list[float]) -> None:
    observed = abs(np.sum(differences))
    sums = [np.dot(signs, differences) for signs in product((-1, 1), repeat=len(differences))]
    expected = np.mean(np.abs(sums) >= observed - 1e-9)
    result = randomization_test(differences)
    assert result.p_value == pytest.approx(expected, rel=1e-12)
    assert result.method == "exact"


def test_randomization_of_wins_only_is_the_smallest_possible_p() -> None:
    assert randomization_test(np.arange(1, 21) / 20).p_value == 2 / 2**20


def test_zeros_do_not_count_towards_the_limit_of_enumeration() -> None:
    with_zeros = randomization_test([0.1, 0.2, 0.3, -0.1] + [0.0] * 500)
    assert with_zeros.method == "exact"
    assert with_zeros.p_value == randomization_test([0.1, 0.2, 0.3, -0.1]).p_value
    assert with_zeros.queries == 504


def test_equal_sums_count_whatever_the_order_of_addition() -> None:
    # 0.3 = 0.1 + 0.2 up to rounding: |±0.1 ± 0.2 ± 0.3| reaches 0.6 in 2 of 8 choices.
    assert exact_p_value(np.array([0.1, 0.2, 0.3])) == 2 / 8
    assert exact_p_value(np.array([0.9 - 0.8, 0.8 - 0.9])) == 1.0


def test_signed_sums_are_all_of_them() -> None:
    assert sorted(signed_sums(np.array([1.0, 2.0]))) == [-3.0, -1.0, 1.0, 3.0]
    assert signed_sums(np.zeros(0)).tolist() == [0.0]


def test_sampled_randomization_agrees_with_the_exact_one() -> None:
    differences = np.random.default_rng(3).normal(0.15, 0.4, 19)
    exact = exact_p_value(differences)
    sampled = sampled_p_value(differences, 200_000, np.random.default_rng(1))
    assert sampled == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 200_000))


def test_sampled_randomization_agrees_with_scipys() -> None:
    differences = np.random.default_rng(5).normal(0.05, 0.3, 120)
    expected = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=20_000, rng=2
    ).pvalue
    result = randomization_test(differences, samples=20_000)
    assert result.p_value == pytest.approx(expected, abs=0.02)
    assert result.method == "20000 samples"


def test_a_sampled_p_value_is_never_zero() -> None:
    assert randomization_test(np.ones(40), samples=99).p_value == 1 / 100
    assert bootstrap_test(np.ones(40) + np.arange(40) / 400, samples=99).p_value == 1 / 100


@pytest.mark.parametrize("test", [randomization_test, bootstrap_test])
def test_no_difference_at_all_is_p_one(test) -> None:
    assert test([0.0] * 30).p_value == 1.0


@pytest.mark.parametrize("test", [randomization_test, bootstrap_test])
def test_one_seed_one_figure(test) -> None:
    differences = np.random.default_rng(9).normal(0.1, 0.5, 64)
    one, same, other = (test(differences, samples=2_000, seed=seed) for seed in (4, 4, 5))
    assert one == same
    assert one.p_value != other.p_value


def test_same_figures_in_another_process() -> None:
    program = (
        "import numpy as np\n"
        "from rankwise.comparison.significance_tests import *\n"
        "d = np.sin(np.arange(50.0)) + 0.2\n"
        "print(repr((randomization_test(d, seed=8), bootstrap_test(d, seed=8),"
        " confidence_interval(d, 'bca', seed=8))))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    d = np.sin(np.arange(50.0)) + 0.2
    here = (
        randomization_test(d, seed=8),
        bootstrap_test(d, seed=8),
        confidence_interval(d, "bca", seed=8),
    )
    assert run.stdout.strip() == repr(here)


def test_bootstrap_of_two_queries_by_counting() -> None:
    # d = -1, 3: mean 1, s / √2 = 2, t = ½. Half of the resamples are one value, 2 away: |t*| = 1;
    # the others have t* = 0.
    samples = 40_000
    p_value = bootstrap_test([-1.0, 3.0], samples=samples).p_value
    assert p_value == pytest.approx(0.5, abs=5 * np.sqrt(0.25 / samples))


def test_bootstrap_means_are_of_resamples() -> None:
    d = np.array([1.0, 10.0, 100.0])
    means = bootstrap_means(d, 4_000, np.random.default_rng(0))
    possible = {sum(choice) / 3 for choice in product(d, repeat=3)}
    assert {round(mean, 9) for mean in means} == {round(mean, 9) for mean in possible}


def test_bootstrap_memory_is_cut_into_pieces() -> None:
    d = np.random.default_rng(1).normal(size=700_000)
    assert bootstrap_means(d, 3, np.random.default_rng(0)).shape == (3,)


@pytest.mark.parametrize("test", [randomization_test, bootstrap_test])
def test_samples_must_be_positive(test) -> None:
    with pytest.raises(RankwiseError, match="at least 1, found 0"):
        test([0.1, 0.2], samples=0)


def test_the_number_of_samples_is_bounded() -> None:
    for samples in (1, np.int64(5), MOST_SAMPLES):
        check_samples(samples)
    for samples in (-1, MOST_SAMPLES + 1, 2.0, "9"):
        with pytest.raises(RankwiseError, match=f"up to {MOST_SAMPLES:,}, at least 1, found"):
            check_samples(samples)  # type: ignore[arg-type]


def test_t_interval_is_the_mean_with_students_reach() -> None:
    d = np.array([1.0, 2.0, 3.0, 6.0])
    reach = stats.t.ppf(0.95, 3) * d.std(ddof=1) / np.sqrt(4)
    interval = confidence_interval(d, "t", confidence=0.9)
    assert (interval.low, interval.high) == pytest.approx((3 - reach, 3 + reach), rel=1e-12)


def test_percentile_interval_is_quantiles_of_the_means() -> None:
    d = np.random.default_rng(4).exponential(size=25)
    means = bootstrap_means(d, 2_000, np.random.default_rng(3))
    interval = confidence_interval(d, "percentile", samples=2_000, seed=3)
    assert (interval.low, interval.high) == tuple(np.quantile(means, [0.025, 0.975]))


def test_bca_interval_agrees_with_scipys() -> None:
    d = np.random.default_rng(4).exponential(size=40) - 0.5
    theirs = stats.bootstrap((d,), np.mean, method="BCa", n_resamples=20_000, rng=1)
    ours = confidence_interval(d, "bca", samples=20_000)
    width = ours.high - ours.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.03 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.03 * width)


def test_bca_moves_towards_the_long_tail() -> None:
    d = np.random.default_rng(4).exponential(size=40)
    plain, moved = (confidence_interval(d, kind) for kind in ("percentile", "bca"))
    assert moved.low > plain.low
    assert moved.high > plain.high


@pytest.mark.parametrize("kind", INTERVALS)
def test_one_query_has_no_interval(kind: str) -> None:
    one = confidence_interval([0.5], kind)
    assert np.isnan([one.low, one.high]).all()


@pytest.mark.parametrize("kind", INTERVALS)
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=12), st.floats(0.5, 0.99))
def test_intervals_are_ordered_and_within_reach(kind, differences, confidence) -> None:
    interval = confidence_interval(differences, kind, confidence=confidence, samples=200)
    if np.isnan(interval.low):
        assert np.ptp(np.round(differences, 12)) == 0
        return
    assert interval.low <= interval.high
    if kind in ("percentile", "bca"):
        assert min(differences) - 1e-12 <= interval.low
        assert interval.high <= max(differences) + 1e-12


def test_intervals_refuse_what_they_do_not_know() -> None:
    with pytest.raises(RankwiseError, match="one of t, bootstrap-t, percentile, bca, found 'z'"):
        confidence_interval([1.0, 2.0], "z")
    with pytest.raises(RankwiseError, match="between 0 and 1, found 95"):
        confidence_interval([1.0, 2.0], confidence=95)
