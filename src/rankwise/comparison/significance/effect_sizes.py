"""How large a difference is, apart from how sure we are of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.significance.differences import (
    checked,
    find_common_value,
    without_rounding_noise,
)
from rankwise.comparison.significance.paired_tests import signed_ranks, standardized_mean


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
