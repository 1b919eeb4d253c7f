"""The classical paired tests: Student's t, Wilcoxon's signed ranks, the sign test.

All take per-query differences (second system minus first) and are two-sided.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.significance.differences import (
    checked,
    find_common_value,
    without_rounding_noise,
)
from rankwise.comparison.significance.result import PairedTestResult
from rankwise.comparison.significance.sign_flips import EXACT_LIMIT, exact_p_value
from rankwise.errors import RankwiseError
from rankwise.native.distributions import fair_coin_tail, normal_tail, student_tail

WILCOXON_EXACT_LIMIT = 50
SIGNS_ALONE = "exact by signs, the differences being all alike"


def t_test(differences: ArrayLike) -> PairedTestResult:
    """Student's paired t-test, two-sided.

    t = mean(d) / (s / √m) with s² = Σ(d - mean(d))² / (m - 1), compared with Student's
    distribution of m - 1 degrees of freedom. The variance takes two passes, unlike LETOR's script
    (see `letor.one_sided_t_test`).

    Differences that are all alike (to 12 decimals) say nothing of how queries vary: t is 0 where
    they are zero, else infinite, and p is that of their signs alone (`alike_p_value`), not 0.

    Student (1908), The probable error of a mean, Biometrika 6.
    """
    values = checked(differences)
    if len(values) < 2:
        raise RankwiseError(
            "a paired t-test needs at least two queries, found 1; "
            "use the sign or the randomization test, or more queries"
        )
    statistic = t_statistic(values)
    common = find_common_value(values)
    if common is not None:
        p_value = alike_p_value(common, len(values))
        return PairedTestResult("t", statistic, p_value, len(values), SIGNS_ALONE)
    p_value = min(1.0, 2.0 * student_tail(len(values) - 1, abs(statistic)))
    return PairedTestResult("t", statistic, p_value, len(values), "Student's distribution")


def t_statistic(differences: NDArray[np.float64]) -> float:
    """mean(d) / (s / √m); 0 where every difference is 0, infinite where all are one other value.

    Computed from the differences divided by the largest, whose squares neither vanish nor overflow.
    """
    common = find_common_value(differences)
    if common is not None:
        return math.copysign(math.inf, common) if common else 0.0
    return math.sqrt(len(differences)) * standardized_mean(differences)


def standardized_mean(differences: NDArray[np.float64]) -> float:
    """mean(d) / s, for differences that are not all alike."""
    scaled = differences / np.abs(differences).max()
    return float(np.mean(scaled)) / float(np.std(scaled, ddof=1))


def alike_p_value(common: float, queries: int) -> float:
    """The exact p-value of m equal differences: 2 of 2^m choices of signs are as extreme; 1 for 0.

    It is what the sign, Wilcoxon's and the randomization test give there.
    """
    return 2.0 * 0.5**queries if common else 1.0


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
    p_value, method = _wilcoxon_p_value(ranks)
    return PairedTestResult("wilcoxon", statistic, p_value, len(values), method)


def signed_ranks(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks of |d| among the non-zero differences, 1 the smallest, with the sign of d."""
    values = without_rounding_noise(differences)
    values = values[values != 0.0]
    _, place, counts = np.unique(np.abs(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean_ranks = last - (counts - 1) / 2.0
    return np.asarray(np.sign(values) * mean_ranks[place], dtype=np.float64)


def _wilcoxon_p_value(ranks: NDArray[np.float64]) -> tuple[float, str]:
    """The p-value of signed ranks, and how it was had."""
    if len(ranks) <= EXACT_LIMIT:
        return exact_p_value(ranks), "exact"
    _, ties = np.unique(np.abs(ranks), return_counts=True)
    if len(ranks) <= WILCOXON_EXACT_LIMIT and len(ties) == len(ranks):
        return _untied_p_value(ranks), "exact"
    return _approximate_p_value(ranks, ties), "normal approximation"


def _untied_p_value(ranks: NDArray[np.float64]) -> float:
    """2 · P(W ≤ min(W⁺, W⁻)), at most 1: the share of the sets of ranks whose sum is that small.

    W is the sum of a set of the ranks 1 … n, each set being as likely; adding rank after rank
    counts the sets of every sum, in whole numbers below 2⁵⁰.
    """
    sets = np.zeros(len(ranks) * (len(ranks) + 1) // 2 + 1, dtype=np.int64)
    sets[0] = 1
    for rank in range(1, len(ranks) + 1):
        sets[rank:] += sets[:-rank].copy()
    smaller = int(min(ranks[ranks > 0].sum(), -ranks[ranks < 0].sum()))
    return min(1.0, 2.0 * int(sets[: smaller + 1].sum()) / float(2 ** len(ranks)))


def _approximate_p_value(ranks: NDArray[np.float64], ties: NDArray[np.int64]) -> float:
    """2 · P(Z > |W⁺ - n(n + 1)/4| / σ), σ² = (n(n + 1)(2n + 1) - Σ(t³ - t)/2) / 24 for t ties."""
    n = len(ranks)
    tied = float((ties.astype(np.float64) ** 3 - ties).sum())
    deviation = math.sqrt((n * (n + 1.0) * (2.0 * n + 1.0) - tied / 2.0) / 24.0)
    z = (float(ranks[ranks > 0].sum()) - n * (n + 1.0) * 0.25) / deviation
    return 2.0 * normal_tail(abs(z))


def sign_test(differences: ArrayLike) -> PairedTestResult:
    """The exact sign test, two-sided; ties are dropped.

    With w wins and l losses, p = min(1, 2 · P(X ≤ min(w, l))) for X binomial with w + l trials and
    probability ½. The statistic is w - l. Neither a win nor a loss: p = 1.

    Conover (1999), Practical nonparametric statistics, section 3.4.
    """
    values = checked(differences)
    signs = np.sign(without_rounding_noise(values))
    wins, losses = int((signs > 0).sum()), int((signs < 0).sum())
    fewer = min(wins, losses)
    p_value = min(1.0, 2.0 * fair_coin_tail(fewer, wins + losses))
    return PairedTestResult("sign", float(wins - losses), p_value, len(values), "exact")
