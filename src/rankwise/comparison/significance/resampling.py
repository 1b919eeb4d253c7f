"""Tests that resample the queries at hand: Fisher's randomization and the paired bootstrap."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.significance.differences import checked, without_rounding_noise
from rankwise.comparison.significance.result import PairedTestResult
from rankwise.comparison.significance.sign_flips import (
    EXACT_LIMIT,
    RELATIVE_TIE,
    exact_p_value,
    sampled_p_value,
)
from rankwise.errors import RankwiseError

RANDOMIZATION_SAMPLES = 100_000
BOOTSTRAP_SAMPLES = 10_000
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
    mean = float(values.mean())
    if len(clean) <= EXACT_LIMIT:
        return PairedTestResult("randomization", mean, exact_p_value(clean), len(values), "exact")
    p_value = sampled_p_value(clean, samples, np.random.default_rng(seed))
    return PairedTestResult("randomization", mean, p_value, len(values), f"{samples} samples")


def bootstrap_test(
    differences: ArrayLike, *, samples: int = BOOTSTRAP_SAMPLES, seed: int = 0
) -> PairedTestResult:
    """The paired bootstrap test of the mean difference by the shift method, two-sided.

    The means of resamples (m queries drawn with replacement) are shifted by the observed mean, so
    that they are centred on no difference; p = (1 + #{|mean* - mean(d)| ≥ |mean(d)|}) / (1 +
    samples). The statistic is the mean difference. All differences zero: p = 1. The mean is not
    studentized, unlike Sakai (2006).

    Noreen (1989), Computer-intensive methods for testing hypotheses; Smucker, Allan & Carterette
    (2007), CIKM.
    """
    values = checked(differences)
    check_samples(samples)
    mean = float(values.mean())
    means = bootstrap_means(values, samples, np.random.default_rng(seed))
    threshold = abs(mean) - RELATIVE_TIE * float(np.abs(values).mean())
    reached = int((np.abs(means - mean) >= threshold).sum())
    p_value = (1 + reached) / (1 + samples)
    return PairedTestResult("bootstrap", mean, p_value, len(values), f"{samples} samples")


def bootstrap_means(
    differences: NDArray[np.float64], samples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Means of `samples` resamples with replacement, in memory that the queries do not bound."""
    queries = len(differences)
    at_once = max(1, DRAWS_AT_ONCE // queries)
    means = np.empty(samples)
    for start in range(0, samples, at_once):
        drawn = rng.integers(0, queries, (min(at_once, samples - start), queries))
        means[start : start + len(drawn)] = differences[drawn].mean(axis=1)
    return means


def check_samples(samples: int) -> None:
    """Refuse fewer than one sample."""
    if samples < 1:
        raise RankwiseError(f"the number of samples must be at least 1, found {samples}")
