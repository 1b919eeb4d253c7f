"""The classical paired tests: Student's t, Wilcoxon's signed ranks, the sign test.

All take per-query differences (second system minus first) and are two-sided.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.significance.differences import checked, without_rounding_noise
from rankwise.comparison.significance.result import PairedTestResult
from rankwise.comparison.significance.sign_flips import EXACT_LIMIT, exact_p_value
from rankwise.errors import RankwiseError

WILCOXON_EXACT_LIMIT = 50


def t_test(differences: ArrayLike) -> PairedTestResult:
    """Student's paired t-test, two-sided.

    t = mean(d) / (s / √m) with s² = Σ(d - mean(d))² / (m - 1), compared with Student's
    distribution of m - 1 degrees of freedom. Differences that are all zero give t = 0 and p = 1;
    differences that are all the same, but not zero, give an infinite t and p = 0. The variance
    takes two passes, unlike LETOR's script (see `letor.one_sided_t_test`).

    Student (1908), The probable error of a mean, Biometrika 6.
    """
    from scipy.special import stdtr

    values = checked(differences)
    statistic = t_statistic(values)
    p_value = min(1.0, 2.0 * float(stdtr(len(values) - 1, -abs(statistic))))
    return PairedTestResult("t", statistic, p_value, len(values), "Student's distribution")


def t_statistic(differences: NDArray[np.float64]) -> float:
    """mean(d) / (s / √m); 0 where every difference is 0, infinite where all are one other value."""
    if len(differences) < 2:
        raise RankwiseError(
            "a paired t-test needs at least two queries, found 1; "
            "use the sign or the randomization test, or more queries"
        )
    if np.ptp(differences) == 0.0:
        return 0.0 if differences[0] == 0.0 else math.copysign(math.inf, differences[0])
    deviation = float(np.std(differences, ddof=1))
    return float(np.mean(differences)) / (deviation / math.sqrt(len(differences)))


def wilcoxon_test(differences: ArrayLike) -> PairedTestResult:
    """Wilcoxon's signed-rank test, two-sided; zero differences are dropped.

    The statistic is W⁺ - W⁻, the difference of the rank sums of |d| over the wins and over the
    losses. Tied |d| share their mean rank. Up to 20 non-zero differences the p-value is exact,
    ties or not; up to 50 exact where no two are tied; beyond that it is the normal approximation
    with the correction for ties and without one for continuity. All differences zero: p = 1.

    Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1(6).
    """
    values = checked(differences)
    ranks = signed_ranks(values)
    statistic = float(ranks.sum())
    if len(ranks) <= EXACT_LIMIT:
        return PairedTestResult("wilcoxon", statistic, exact_p_value(ranks), len(values), "exact")
    p_value, method = _wilcoxon_by_scipy(ranks)
    return PairedTestResult("wilcoxon", statistic, p_value, len(values), method)


def signed_ranks(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks of |d| among the non-zero differences, 1 the smallest, with the sign of d."""
    values = without_rounding_noise(differences)
    values = values[values != 0.0]
    _, place, counts = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean_ranks = last - (counts - 1) / 2.0
    return np.asarray(np.sign(values) * mean_ranks[place], dtype=np.float64)


def _wilcoxon_by_scipy(ranks: NDArray[np.float64]) -> tuple[float, str]:
    from scipy.stats import wilcoxon

    tied = len(np.unique(np.abs(ranks))) < len(ranks)
    if len(ranks) <= WILCOXON_EXACT_LIMIT and not tied:
        return float(wilcoxon(ranks, method="exact").pvalue), "exact"
    return float(wilcoxon(ranks, method="approx").pvalue), "normal approximation"


def sign_test(differences: ArrayLike) -> PairedTestResult:
    """The exact sign test, two-sided; ties are dropped.

    With w wins and l losses, p = min(1, 2 · P(X ≤ min(w, l))) for X binomial with w + l trials and
    chance ½. The statistic is w - l. Neither a win nor a loss: p = 1.

    Conover (1999), Practical nonparametric statistics, section 3.4.
    """
    from scipy.special import bdtr

    values = checked(differences)
    signs = np.sign(without_rounding_noise(values))
    wins, losses = int((signs > 0).sum()), int((signs < 0).sum())
    fewer = min(wins, losses)
    p_value = min(1.0, 2.0 * float(bdtr(fewer, wins + losses, 0.5))) if wins + losses else 1.0
    return PairedTestResult("sign", float(wins - losses), p_value, len(values), "exact")
