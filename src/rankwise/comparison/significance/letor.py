"""LETOR's own significance test: one-sided, with the arithmetic of its script Eval-Test-3.0.

Kept apart from `paired_tests.t_test`, which is the textbook's: on the same figures the two p-values
differ by a factor of two or more, and papers on LETOR data seldom say which they print.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.significance.differences import checked
from rankwise.comparison.significance.result import PairedTestResult
from rankwise.errors import RankwiseError

# The Perl library that LETOR's script calls writes π with ten decimals; it shows in p below 1e-6.
PERL_PI = 3.1415926536


def one_sided_t_test(differences: ArrayLike) -> PairedTestResult:
    """P(T > t) with m - 1 degrees of freedom: small where the differences are mostly positive.

    t = mean(d) / (s / √m), where s² = (Σd² - m · mean(d)²) / (m - 1) in one pass, a negative sum
    set to 0; t = 0 where s = 0. Nearly constant differences therefore lose most digits of t,
    exactly as in the script. Systems that do not differ have p = 0.5, worse ones p near 1.
    """
    values = checked(differences)
    if len(values) < 2:
        raise RankwiseError("LETOR's t-test needs at least two queries, found 1")
    statistic = _one_pass_t(values)
    p_value = upper_tail(len(values) - 1, statistic)
    return PairedTestResult("letor", statistic, p_value, len(values), "one-sided, one pass")


def upper_tail(degrees_of_freedom: int, statistic: float) -> float:
    """P(T > t) by the finite series for whole degrees of freedom f, with θ = atan(t / √f).

    For odd f it is ½ - (θ + sin θ cos θ (1 + ⅔ cos²θ + …)) / π and for even f ½ - ½ sin θ (1 + ½
    cos²θ + …), each to the power f - 3 or f - 2 of cos θ: Abramowitz & Stegun (1964), 26.7.3 and
    26.7.4. Far out in the tail the subtraction cancels; a negative remainder is 0. The script's
    figures come from this series, so scipy's more exact tail is not used here.
    """
    theta = math.atan2(statistic / math.sqrt(degrees_of_freedom), 1.0)
    squared_cosine = math.cos(theta) ** 2
    series = 1.0
    for power in range(degrees_of_freedom - 2, 1, -2):
        series = 1.0 + (power - 1) / power * squared_cosine * series
    if degrees_of_freedom % 2 == 0:
        return max(0.0, 0.5 - math.sin(theta) / 2.0 * series)
    if degrees_of_freedom == 1:
        series = 0.0
    centre = 0.5 + theta / PERL_PI
    return max(0.0, 1.0 - centre - math.sin(theta) * math.cos(theta) / PERL_PI * series)


def _one_pass_t(values: NDArray[np.float64]) -> float:
    queries = len(values)
    total = squares = 0.0
    # Plain additions, as in the script: Python's own `sum` corrects rounding from 3.12 on.
    for value in values.tolist():
        total += value
        squares += value * value
    mean = total / queries
    deviation = math.sqrt(max(0.0, squares - queries * mean**2) / (queries - 1))
    return mean / (deviation / math.sqrt(queries)) if deviation > 0.0 else 0.0
