"""Confidence intervals of the mean difference: Student's, and two by the bootstrap."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.significance.differences import checked
from rankwise.comparison.significance.resampling import (
    BOOTSTRAP_SAMPLES,
    bootstrap_means,
    check_samples,
)
from rankwise.errors import RankwiseError
from rankwise.native.distributions import normal_quantile, normal_tail, student_quantile

INTERVALS = ("t", "percentile", "bca")


@dataclass(frozen=True)
class Interval:
    """Where the mean difference may lie: NaN at both ends where one query says nothing of it."""

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

    `t`: mean(d) ± t_{m-1} · s / √m. `percentile`: the quantiles of the means of resamples.
    `bca`: the same quantiles moved for bias and skewness (Efron, 1987, Better bootstrap confidence
    intervals, JASA 82). One query has no interval (NaN); equal differences one of no width.
    """
    values = checked(differences)
    _check(kind, confidence)
    check_samples(samples)
    if len(values) < 2:
        return Interval(math.nan, math.nan, confidence, kind)
    if np.ptp(values) == 0.0:
        return Interval(float(values[0]), float(values[0]), confidence, kind)
    tail = (1.0 - confidence) / 2.0
    if kind == "t":
        return Interval(*_student(values, tail), confidence, kind)
    means = bootstrap_means(values, samples, np.random.default_rng(seed))
    tails = (tail, 1.0 - tail) if kind == "percentile" else _corrected_tails(values, means, tail)
    low, high = np.quantile(means, tails)
    return Interval(float(low), float(high), confidence, kind)


def _check(kind: str, confidence: float) -> None:
    if kind not in INTERVALS:
        raise RankwiseError(f"the interval must be one of {', '.join(INTERVALS)}, found '{kind}'")
    if not 0.0 < confidence < 1.0:
        raise RankwiseError(f"the confidence must lie between 0 and 1, found {confidence}")


def _student(values: NDArray[np.float64], tail: float) -> tuple[float, float]:
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    reach = student_quantile(len(values) - 1, 1.0 - tail) * error
    mean = float(values.mean())
    return mean - reach, mean + reach


def _corrected_tails(
    values: NDArray[np.float64], means: NDArray[np.float64], tail: float
) -> tuple[float, float]:
    """Φ(z₀ + (z₀ + z) / (1 - a(z₀ + z))) for z = ∓Φ⁻¹(1 - tail): Efron's equation 2.3.

    z₀ is Φ⁻¹ of the share of means below the observed one; those equal to it count as half, since
    a measure with few values makes many. The acceleration a is a sixth of the skewness over √m,
    which is what the jackknife gives for a mean.
    """
    centred = values - values.mean()
    below = float(np.mean(means < values.mean()) + 0.5 * np.mean(means == values.mean()))
    # A share of 0 or 1 would move the interval to infinity; half a sample is all that is known.
    bias = normal_quantile(min(max(below, 0.5 / len(means)), 1.0 - 0.5 / len(means)))
    acceleration = float((centred**3).sum() / (6.0 * (centred**2).sum() ** 1.5))
    moved = bias + np.array([normal_quantile(tail), normal_quantile(1.0 - tail)])
    low, high = bias + moved / (1.0 - acceleration * moved)
    return normal_tail(-low), normal_tail(-high)
