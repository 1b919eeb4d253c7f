"""A paired test over the queries of several data sets, each of which counts alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankwise.comparison.significance.differences import checked
from rankwise.comparison.significance.paired_tests import alike_p_value
from rankwise.errors import RankwiseError
from rankwise.native.distributions import student_quantile, student_tail


class StratifiedTest(NamedTuple):
    """The mean over data sets of the mean difference, its interval and p-value, two-sided."""

    difference: float
    lower: float
    upper: float
    p_value: float
    queries: int


def stratified_t_test(differences: Sequence[ArrayLike], confidence: float = 0.95) -> StratifiedTest:
    """Student's paired t-test with a stratum for each data set.

    With the differences d of m_k queries in each of K data sets, their means d̄_k and variances
    s_k², t = D / E, where D = Σ d̄_k / K and E² = Σ s_k² / m_k / K². The degrees of freedom are
    ν = E⁴ / Σ (s_k² / m_k / K²)² / (m_k - 1), rounded down. For one data set this is the paired
    t-test. The queries are a sample; the data sets are the ones that are meant.

    Satterthwaite (1946), An approximate distribution of estimates of variance components,
    Biometrics Bulletin 2; Welch (1947), The generalization of Student's problem, Biometrika 34.
    """
    strata = [checked(one) for one in differences]
    if not strata or any(len(one) < 2 for one in strata):
        raise RankwiseError("a paired t-test needs at least two queries in each data set")
    mean = float(np.mean([one.mean() for one in strata]))
    queries = sum(map(len, strata))
    parts = [float(one.var(ddof=1)) / len(one) / len(strata) ** 2 for one in strata]
    error = math.sqrt(sum(parts))
    if error <= 1e-12:
        # All alike: nothing is known of how queries vary, and signs alone decide.
        p_value = alike_p_value(mean if abs(mean) > 1e-12 else 0.0, queries)
        return StratifiedTest(mean, mean, mean, p_value, queries)
    freedom = error**4 / sum(
        part**2 / (len(one) - 1) for part, one in zip(parts, strata, strict=True)
    )
    whole = max(1, math.floor(freedom * (1 + 1e-12)))
    reach = student_quantile(whole, 0.5 + confidence / 2) * error
    p_value = min(1.0, 2.0 * student_tail(whole, abs(mean) / error))
    return StratifiedTest(mean, mean - reach, mean + reach, p_value, queries)
