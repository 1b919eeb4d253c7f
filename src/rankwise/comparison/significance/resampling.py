"""Tests that resample the queries at hand: Fisher's randomization and the paired bootstrap."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.significance.differences import (
    checked,
    find_common_value,
    mean_difference,
    without_rounding_noise,
)
from rankwise.comparison.significance.paired_tests import (
    SIGNS_ALONE,
    alike_p_value,
    t_statistic,
)
from rankwise.comparison.significance.result import PairedTestResult
from rankwise.comparison.significance.sign_flips import (
    EXACT_LIMIT,
    RELATIVE_TIE,
    exact_p_value,
    sampled_p_value,
)
from rankwise.errors import RankwiseError
from rankwise.seeds import check_seed
from rankwise.shown import brief

RANDOMIZATION_SAMPLES = 100_000
BOOTSTRAP_SAMPLES = 10_000
MOST_SAMPLES = 100_000_000
DRAWS_AT_ONCE = 1 << 20


def randomization_test(
    differences: ArrayLike, *, samples: int = RANDOMIZATION_SAMPLES, seed: int = 0
) -> PairedTestResult:
    """Fisher's randomization (permutation) test of the mean difference, two-sided.

    If the systems are alike, swapping their figures on a query changes nothing, so every choice of
    signs of the differences is as likely as the one observed. p is the share of choices whose
    |mean| is at least the observed one: all 2^m of them where m, the number of non-zero
    differences, is at most 20; otherwise (1 + count) / (1 + samples) over seeded random ones. The
    statistic is the mean difference. All differences zero: p = 1.

    Fisher (1935), The design of experiments; Smucker, Allan & Carterette (2007), A comparison of
    statistical significance tests for information retrieval evaluation, CIKM.
    """
    values = checked(differences)
    check_samples(samples)
    clean = without_rounding_noise(values)
    clean = clean[clean != 0.0]
    clean = clean / np.abs(clean).max(initial=1.0)
    mean = mean_difference(values)
    if len(clean) <= EXACT_LIMIT:
        return PairedTestResult("randomization", mean, exact_p_value(clean), len(values), "exact")
    p_value = sampled_p_value(clean, samples, np.random.default_rng(check_seed(seed)))
    return PairedTestResult("randomization", mean, p_value, len(values), f"{samples} samples")


def bootstrap_test(
    differences: ArrayLike, *, samples: int = BOOTSTRAP_SAMPLES, seed: int = 0
) -> PairedTestResult:
    """The paired bootstrap test of the mean difference, studentized, two-sided.

    With t = mean(d) / (s / √m) and t* = (mean* - mean(d)) / (s* / √m) of a resample (m queries
    drawn with replacement), p = (1 + #{|t*| ≥ |t|}) / (1 + samples), but never less than 2 / 2^n,
    which is the least that n non-zero differences give by their signs. Where a resample happens to
    be one value only, s* is s: few queries are kept in check by that least p, and many of equal
    values by nothing else. The statistic is t. Where all differences are alike (to 12 decimals) no
    resample says more than another, and p is that of their signs: 1 where they are zero or but one.

    The means alone, without s* (the shift method of Noreen, 1989), reject too often where queries
    are few: docs/significance.md has the figures. Efron & Tibshirani (1993), An introduction to
    the bootstrap, section 16.4; Sakai (2006), Evaluating evaluation metrics based on the
    bootstrap, SIGIR.
    """
    values = checked(differences)
    check_samples(samples)
    statistic = t_statistic(values)
    common = find_common_value(values)
    if common is not None:
        p_value = alike_p_value(common, len(values))
        return PairedTestResult("bootstrap", statistic, p_value, len(values), SIGNS_ALONE)
    drawn = bootstrap_t(
        values, samples, np.random.default_rng(check_seed(seed)), least_deviation=True
    )
    reached = int((np.abs(drawn) >= abs(statistic) * (1.0 - RELATIVE_TIE)).sum())
    differing = int((without_rounding_noise(values) != 0.0).sum())
    p_value = max((1 + reached) / (1 + samples), alike_p_value(1.0, differing))
    return PairedTestResult("bootstrap", statistic, p_value, len(values), f"{samples} samples")


def bootstrap_t(
    differences: NDArray[np.float64],
    samples: int,
    rng: np.random.Generator,
    *,
    least_deviation: bool = False,
) -> NDArray[np.float64]:
    """t* of resamples: how far each one's mean is from the observed, in its own standard errors.

    A resample of one value only has an infinite t*, unless its mean is the observed one; with
    `least_deviation` its deviation is taken to be that of all differences.
    """
    scaled = differences / np.abs(differences).max()
    drawn = [
        (resample.mean(axis=1), resample.std(axis=1, ddof=1))
        for resample in _resamples(scaled, samples, rng)
    ]
    means, deviations = (np.concatenate(part) for part in zip(*drawn, strict=True))
    moved = without_rounding_noise(means - scaled.mean())
    deviations = without_rounding_noise(deviations)
    if least_deviation:
        deviations = np.where(deviations == 0.0, scaled.std(ddof=1), deviations)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = moved / (deviations / np.sqrt(len(scaled)))
    return np.where(moved == 0.0, 0.0, found)


def bootstrap_means(
    differences: NDArray[np.float64], samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Means of `samples` resamples with replacement."""
    return np.concatenate([drawn.mean(axis=1) for drawn in _resamples(differences, samples, rng)])


def _resamples(
    differences: NDArray[np.float64], samples: int, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """Resamples with replacement, one a row, so many at a time that memory is not their number."""
    queries = len(differences)
    at_once = max(1, DRAWS_AT_ONCE // queries)
    for start in range(0, samples, at_once):
        yield differences[rng.integers(0, queries, (min(at_once, samples - start), queries))]


def check_samples(samples: int) -> None:
    """Refuse fewer than one sample, and so many that nobody would see the end."""
    if not isinstance(samples, int | np.integer) or not 1 <= samples <= MOST_SAMPLES:
        raise RankwiseError(
            f"the number of samples must be a whole number up to {MOST_SAMPLES:,}, at least 1, "
            f"found {brief(samples)}"
        )
