"""Paired tests: Student's t, Wilcoxon's signed ranks, the sign test, randomization, the bootstrap.

All take per-query differences (second system minus first) and are two-sided. The figures of two
systems are paired and checked once (`pair`), which is what every test starts from. Fisher's
randomization and the paired bootstrap resample the queries at hand; sums over sign flips are all
2^m of them where m is small, sampled ones where it is not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.arguments import check_seed
from rankwise.errors import RankwiseError
from rankwise.native.distributions import fair_coin_tail, normal_tail, student_tail
from rankwise.sanitize import brief


@dataclass(frozen=True)
class PairedTestResult:
    """The outcome of one paired test.

    Attributes:
        test: the test's name, as the command line spells it.
        statistic: its statistic; positive where the second system is better.
        p_value: the probability of a result at least as extreme if the systems are alike.
        queries: number of pairs that the test saw.
        method: how the p-value was had, e.g. `exact` or `100000 samples`.
    """

    test: str
    statistic: float
    p_value: float
    queries: int
    method: str


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
    p_value = student_p_value(len(values) - 1, statistic)
    return PairedTestResult("t", statistic, p_value, len(values), "Student's distribution")


def student_p_value(freedom: int, statistic: float) -> float:
    """P(|T| ≥ |t|) of Student's distribution."""
    return min(1.0, 2.0 * student_tail(freedom, abs(statistic)))


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
    return np.asarray(np.sign(values) * mean_ranks(np.abs(values)), dtype=np.float64)


def mean_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1 for the lowest; equals share the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: NDArray[np.float64] = (last - (counts - 1) / 2)[place]
    return ranks


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


EXACT_LIMIT = 20
FLIPS_AT_ONCE = 8
RELATIVE_TIE = 1e-10


def exact_p_value(differences: NDArray[np.float64]) -> float:
    """Share of the 2^m sign flips whose |Σ ± dᵢ| reaches the observed |Σ dᵢ|.

    A flip and its opposite have the same |sum|, so the first sign is kept and 2^(m-1) flips are
    counted. Sums within 1e-10 of Σ|dᵢ| of the observed one count as reaching it: they are
    equal but for the order in which they were added.
    """
    if not len(differences):
        return 1.0
    sums = differences[0] + signed_sums(differences[1:])
    return float(np.mean(np.abs(sums) >= _extreme_sum(differences)))


def sampled_p_value(
    differences: NDArray[np.float64], samples: int, rng: np.random.Generator
) -> float:
    """(1 + flips that reach the observed |Σ dᵢ|) / (1 + samples), over random sign flips.

    The observed assignment is itself one of the flips, which is what the ones stand for: without
    them p could be 0 (Phipson & Smyth, 2010).

    Eight differences have 256 signed sums; drawing a byte for every eight and adding from the table
    takes an eighth of the additions and memory for the sums only.
    """
    sums = np.zeros(samples)
    for start in range(0, len(differences), FLIPS_AT_ONCE):
        table = signed_sums(differences[start : start + FLIPS_AT_ONCE])
        sums += table[rng.integers(0, len(table), samples, dtype=np.uint16)]
    reached = int((np.abs(sums) >= _extreme_sum(differences)).sum())
    return (1 + reached) / (1 + samples)


def signed_sums(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """All 2^m sums Σ ± dᵢ."""
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    return sums


def _extreme_sum(differences: NDArray[np.float64]) -> float:
    return float(abs(differences.sum()) - RELATIVE_TIE * np.abs(differences).sum())


TIE_DECIMALS = 12
LARGEST_ROUNDED = 1000.0


@dataclass(frozen=True, eq=False)
class PairedValues:
    """The figures of two systems on the queries where both have one.

    Attributes:
        first: figures of the first system.
        second: figures of the second system on the same queries.
        absent: queries left out because neither system has a figure for them (NaN in both).
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    absent: int

    @property
    def differences(self) -> NDArray[np.float64]:
        """Second minus first: positive where the second system is better.

        Where figures are large, what is beyond their twelve leading digits is rounding, and is
        rounded away.
        """
        with np.errstate(over="ignore"):
            differences = self.second - self.first
        if self.largest <= 1.0 or not np.isfinite(differences).all():
            return differences
        digits = TIE_DECIMALS - math.ceil(math.log10(self.largest))
        return differences if digits < -TIE_DECIMALS else np.round(differences, digits) + 0.0

    @property
    def largest(self) -> float:
        """The largest figure of either system, by its absolute value."""
        return float(max(np.abs(self.first).max(), np.abs(self.second).max()))


def pair(first: ArrayLike, second: ArrayLike) -> PairedValues:
    """Pair two systems' figures by position: query i of the one with query i of the other.

    NaN marks a query without a figure, as where LETOR 3.0 prints none because the query has fewer
    documents than the cut-off. Such a query is left out when both lack it and refused when only one
    does, since the two systems were then not judged on the same queries.
    """
    one, other = _read_values(first, "first"), _read_values(second, "second")
    if len(one) != len(other):
        raise RankwiseError(
            "both systems must have one figure per query, "
            f"found {len(one)} for the first and {len(other)} for the second"
        )
    missing = np.isnan(one)
    lopsided = np.flatnonzero(missing != np.isnan(other))
    if len(lopsided):
        raise RankwiseError(
            f"both systems must have a figure for the same queries, but only one of them has one "
            f"for query number {lopsided[0] + 1}"
        )
    if missing.all():
        raise RankwiseError("there must be at least one query with a figure, found none")
    return PairedValues(one[~missing], other[~missing], int(missing.sum()))


def checked(differences: ArrayLike) -> NDArray[np.float64]:
    """Per-query differences as an array: at least one, all finite."""
    values = _read_values(differences, "per-query")
    if not len(values):
        raise RankwiseError("there must be at least one query with a figure, found none")
    if np.isnan(values).any():
        raise RankwiseError("a difference between two figures must be a number, found NaN")
    return values


def without_rounding_noise(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """The differences to 12 decimals, so that equal ones compare as equal.

    0.9 - 0.8 and 0.2 - 0.1 differ in the last bit; tests that rank differences, or ask whether
    one is zero, would take that bit for a fact. Large numbers have no twelfth decimal to round.
    """
    small = np.abs(differences) < LARGEST_ROUNDED
    return np.where(small, np.round(np.where(small, differences, 0.0), TIE_DECIMALS), differences)


def find_common_value(differences: NDArray[np.float64]) -> float | None:
    """The value that all differences have to 12 decimals; None where they are not all alike."""
    settled = without_rounding_noise(differences) + 0.0
    return float(settled[0]) if (settled == settled[0]).all() else None


def mean_difference(differences: NDArray[np.float64]) -> float:
    """Their mean; 0 where that is 0 to 12 decimals, without the sign of a rounding error."""
    common = find_common_value(differences)
    # Divided before they are added, so that numbers near the largest do not overflow.
    mean = float(np.sum(differences / len(differences))) if common is None else common
    return mean if abs(mean) > 0.5 * 10.0**-TIE_DECIMALS else 0.0


def _read_values(values: ArrayLike, which: str) -> NDArray[np.float64]:
    try:
        figures = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise RankwiseError(f"the {which} figures must be numbers: {error}") from error
    if figures.ndim != 1:
        raise RankwiseError(
            f"the {which} figures must be one row, one per query, found shape {figures.shape}"
        )
    if np.isinf(figures).any():
        raise RankwiseError(f"the {which} figures must be finite, found an infinite one")
    return figures
