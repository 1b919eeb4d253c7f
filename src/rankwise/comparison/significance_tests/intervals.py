"""Confidence intervals of the mean difference, and effect sizes.

The intervals are Student's, and three by the bootstrap. Effect sizes tell how large a difference
is, apart from how sure we are of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.arguments import check_seed
from rankwise.comparison.significance_tests.paired_tests import (
    BOOTSTRAP_SAMPLES,
    bootstrap_means,
    bootstrap_t,
    check_samples,
    checked,
    find_common_value,
    mean_difference,
    signed_ranks,
    standardized_mean,
    without_rounding_noise,
)
from rankwise.errors import RankwiseError
from rankwise.native.distributions import normal_quantile, normal_tail, student_quantile

INTERVALS = ("t", "bootstrap-t", "percentile", "bca")
_SUMS_OVERFLOW = 1e290
"""Sums of so large differences may be beyond doubles."""


@dataclass(frozen=True)
class Interval:
    """Where the mean difference may lie.

    NaN at both ends where the queries say nothing of it: one query, or differences all alike. An
    end may be infinite where too few queries differ for a bound (`bootstrap-t`).
    """

    low: float
    high: float
    confidence: float
    kind: str


def confidence_interval(
    differences: ArrayLike,
    kind: str = "t",
    *,
    confidence: float = 0.95,
    samples: int = BOOTSTRAP_SAMPLES,
    seed: int = 0,
) -> Interval:
    """The two-sided interval of the mean difference at `confidence`.

    `t`: mean(d) ± t_{m-1} · s / √m. `bootstrap-t`: the same with the quantiles of t* in place of
    Student's, which follow skewed differences (Efron & Tibshirani, 1993, section 12.5).
    `percentile`: the quantiles of the means of resamples. `bca`: the same quantiles moved for bias
    and skewness (Efron, 1987, Better bootstrap confidence intervals, JASA 82). One query has no
    interval, and neither have differences that are all alike (to 12 decimals): NaN. How often
    each covers the mean is in docs/significance.md.
    """
    values = checked(differences)
    _check_interval(kind, confidence)
    check_samples(samples)
    if len(values) < 2 or find_common_value(values) is not None:
        return Interval(math.nan, math.nan, confidence, kind)
    tail = (1.0 - confidence) / 2.0
    if kind == "t":
        low, high = _student_interval(values, tail)
    elif kind == "bootstrap-t":
        low, high = _studentized(values, tail, samples, seed)
    else:
        low, high = _quantiles(values, kind, tail, samples, seed)
    return Interval(low, high, confidence, kind)


def _check_interval(kind: str, confidence: float) -> None:
    if kind not in INTERVALS:
        raise RankwiseError(f"the interval must be one of {', '.join(INTERVALS)}, found '{kind}'")
    if not 0.0 < confidence < 1.0:
        raise RankwiseError(f"the confidence must lie between 0 and 1, found {confidence}")


def _student_interval(values: NDArray[np.float64], tail: float) -> tuple[float, float]:
    reach = student_quantile(len(values) - 1, 1.0 - tail) * _standard_error(values)
    mean = mean_difference(values)
    return mean - reach, mean + reach


def _studentized(
    values: NDArray[np.float64], tail: float, samples: int, seed: int
) -> tuple[float, float]:
    drawn = bootstrap_t(values, samples, np.random.default_rng(check_seed(seed)))
    # No interpolation: between a number and infinity there is nothing to take the middle of.
    # Of (1 - 0.95) / 2 the last bits are rounding, which would take another of the sorted values.
    tails = (round(tail, 12), 1.0 - round(tail, 12))
    lower, upper = np.quantile(drawn, tails, method="inverted_cdf").tolist()
    mean, error = mean_difference(values), _standard_error(values)
    return mean - upper * error, mean - lower * error


def _quantiles(
    values: NDArray[np.float64], kind: str, tail: float, samples: int, seed: int
) -> tuple[float, float]:
    largest = float(np.abs(values).max())
    if largest > _SUMS_OVERFLOW:
        low, high = _quantiles(values / largest, kind, tail, samples, seed)
        return low * largest, high * largest
    means = bootstrap_means(values, samples, np.random.default_rng(check_seed(seed)))
    tails = (tail, 1.0 - tail) if kind == "percentile" else _corrected_tails(values, means, tail)
    low, high = np.quantile(means, tails)
    return float(low), float(high)


def _standard_error(values: NDArray[np.float64]) -> float:
    """s / √m, of differences divided by the largest, whose squares stay within range."""
    largest = float(np.abs(values).max())
    return largest * float(np.std(values / largest, ddof=1)) / math.sqrt(len(values))


def _corrected_tails(
    values: NDArray[np.float64], means: NDArray[np.float64], tail: float
) -> tuple[float, float]:
    """Φ(z₀ + (z₀ + z) / (1 - a(z₀ + z))) for z = ∓Φ⁻¹(1 - tail): Efron's equation 2.3.

    z₀ is Φ⁻¹ of the share of means below the observed one; those equal to it count as half, since
    a measure with few values makes many. The acceleration a is a sixth of the skewness over √m,
    which is what the jackknife gives for a mean.
    """
    centred = (values - values.mean()) / np.abs(values).max()
    moved = without_rounding_noise((means - values.mean()) / np.abs(values).max())
    below = float(np.mean(moved < 0.0) + 0.5 * np.mean(moved == 0.0))
    # A share of 0 or 1 would move the interval to infinity; half a sample is all that is known.
    bias = normal_quantile(min(max(below, 0.5 / len(means)), 1.0 - 0.5 / len(means)))
    acceleration = float((centred**3).sum() / (6.0 * (centred**2).sum() ** 1.5))
    shifted = bias + np.array([normal_quantile(tail), normal_quantile(1.0 - tail)])
    low, high = bias + shifted / (1.0 - acceleration * shifted)
    return normal_tail(-low), normal_tail(-high)


@dataclass(frozen=True)
class EffectSizes:
    """Effect sizes of paired differences (second system minus first).

    Attributes:
        cohen_d: Cohen's d_z = mean(d) / s; NaN for one query, 0 where all differences are zero,
            infinite where all are one other value (both to 12 decimals).
        hedges_g: d_z corrected for its upward bias in small samples.
        rank_biserial: (W⁺ - W⁻) / (W⁺ + W⁻), from -1 (always worse) to 1 (always better).
        wins: queries on which the second system is better.
        ties: queries on which both are equal (to 12 decimals).
        losses: queries on which the second system is worse.
    """

    cohen_d: float
    hedges_g: float
    rank_biserial: float
    wins: int
    ties: int
    losses: int


def effect_sizes(differences: ArrayLike) -> EffectSizes:
    """All effect sizes of the per-query differences.

    Cohen (1988), Statistical power analysis for the behavioral sciences; Hedges (1981),
    Distribution theory for Glass's estimator of effect size, Journal of Educational Statistics 6;
    Kerby (2014), The simple difference formula, Comprehensive Psychology 3.
    """
    values = checked(differences)
    signs = np.sign(without_rounding_noise(values))
    cohen_d = _cohen_d(values)
    return EffectSizes(
        cohen_d=cohen_d,
        hedges_g=cohen_d * hedges_correction(len(values) - 1),
        rank_biserial=_rank_biserial(values),
        wins=int((signs > 0).sum()),
        ties=int((signs == 0).sum()),
        losses=int((signs < 0).sum()),
    )


def hedges_correction(degrees_of_freedom: int) -> float:
    """J(f) = Γ(f/2) / (√(f/2) · Γ((f-1)/2)), the exact factor; about 1 - 3 / (4f - 1).

    J(1) is 0, Γ having a pole there; the factor for no degrees of freedom is NaN.
    """
    half = degrees_of_freedom / 2.0
    if degrees_of_freedom < 2:
        return 0.0 if degrees_of_freedom == 1 else math.nan
    return math.exp(math.lgamma(half) - math.lgamma(half - 0.5)) / math.sqrt(half)


def _cohen_d(values: NDArray[np.float64]) -> float:
    if len(values) < 2:
        return math.nan
    common = find_common_value(values)
    if common is not None:
        return math.copysign(math.inf, common) if common else 0.0
    return standardized_mean(values)


def _rank_biserial(values: NDArray[np.float64]) -> float:
    ranks = signed_ranks(values)
    return float(ranks.sum() / np.abs(ranks).sum()) if len(ranks) else 0.0
