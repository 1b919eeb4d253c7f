"""LETOR's and MSLR's significance scripts: the texts that they print, and their one-sided test.

The test has the arithmetic of LETOR's script Eval-Test-3.0. It is kept apart from
`paired_tests.t_test`, which is the textbook's: on the same figures the two p-values differ by a
factor of two or more, and papers on LETOR data seldom say which they print.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.comparison.significance_tests.paired_tests import (
    PairedTestResult,
    checked,
    pair,
    t_test,
)
from rankwise.errors import Advice, RankwiseError

Figures = Sequence[float | None] | NDArray[np.float64]

_SCRIPT_NAMES = {"MAP": "map", "NDCG": "ndcg", "P": "prec"}


@dataclass(frozen=True)
class LetorRow:
    """One row of Eval-Test-3.0: a measure in the script's spelling and its five figures."""

    measure: str
    queries: int
    mean_a: float
    mean_b: float
    t_value: float
    p_value: float


def letor_rows(a: Mapping[str, Figures], b: Mapping[str, Figures]) -> list[LetorRow]:
    """Eval-Test-3.0's rows from two systems' LETOR 3.0 figures per query, by measure.

    Measures are named `MAP`, `NDCG@k` and `P@k`. A query shorter than k has None or NaN and is not
    part of that row, so `queries` shrinks with k and the means are not those that Eval-Score-3.0
    prints. A measure that no query has a figure for has no row. The test is on A - B.
    """
    if set(a) != set(b):
        raise RankwiseError("both systems must be evaluated with the same measures")
    named = sorted((_script_order(name), name) for name in a)
    rows = (_letor_row(_script_name(name), a[name], b[name]) for _, name in named)
    return [row for row in rows if row is not None]


def letor_report(
    a: Mapping[str, Figures], b: Mapping[str, Figures], name_a: str, name_b: str
) -> str:
    """The whole text of Eval-Test-3.0: title, two empty lines, header, one row a measure."""
    lines = [
        f"t-test results for A: {name_a} and B: {name_b}",
        "",
        "",
        "Measure\tNumber of queries\tMean A\tMean B\tt-value\tp-value",
    ]
    lines += [_printed(row) for row in letor_rows(a, b)]
    return "\n".join(lines) + "\n"


def mslr_report(first: Figures, second: Figures) -> str:
    """The five lines of the MSLR script: a two-sided paired t-test of first - second.

    It reads figures that the MSLR evaluation printed, hence with four decimals. Systems that do
    not differ on any query, or one query only, print `nan`.
    """
    pairs = pair(_rounded(first, "{:.4f}"), _rounded(second, "{:.4f}"))
    statistic, p_value = _mslr_test(pairs.first - pairs.second)
    return (
        f"Number of queries:    {len(pairs.first)}\n"
        f"Mean perf. measure 1: {np.mean(pairs.first):.8f}\n"
        f"Mean perf. measure 2: {np.mean(pairs.second):.8f}\n"
        f"t-statistic:          {statistic:.8f}\n"
        f"p-value:              {p_value:.8f}\n"
    )


def printed_p_value(p_value: float) -> str:
    """A p-value as LETOR's script writes it: |int(log10 p - 5)| decimals, `0` for zero."""
    if p_value == 0.0:
        return "0"
    decimals = abs(int(math.log(p_value) / math.log(10.0) - 5.0))
    return f"{p_value:.{decimals}f}"


def _script_order(name: str) -> tuple[str, int]:
    family, _, cutoff = name.partition("@")
    wanted = cutoff == "" if family == "MAP" else cutoff.isdecimal()
    if family not in _SCRIPT_NAMES or not wanted:
        raise RankwiseError(
            f"LETOR's t-test knows the measures MAP, NDCG@k and P@k, found '{name}'"
        )
    return _SCRIPT_NAMES[family], int(cutoff or 0)


def _script_name(name: str) -> str:
    family, cutoff = _script_order(name)
    return f"{family}@{cutoff}" if cutoff else family


def _letor_row(measure: str, a: Figures, b: Figures) -> LetorRow | None:
    # The script reads what Eval-Score-3.0 printed, which has 15 significant digits.
    read_a, read_b = _rounded(a, "{:.15g}"), _rounded(b, "{:.15g}")
    if np.isnan(read_a).all() and np.isnan(read_b).all():
        return None
    pairs = pair(read_a, read_b)
    queries = len(pairs.first)
    if queries < 2:
        raise RankwiseError(
            f"LETOR's t-test needs at least two queries with a figure for {measure}, found 1",
            Advice("name the measures to test with {}", "measures"),
        )
    result = one_sided_t_test(pairs.first - pairs.second)
    mean_a, mean_b = (math.fsum(side) / queries for side in (pairs.first, pairs.second))
    return LetorRow(measure, queries, mean_a, mean_b, result.statistic, result.p_value)


def _rounded(figures: Figures, layout: str) -> NDArray[np.float64]:
    values = np.array(figures, dtype=np.float64)
    return np.array([float(layout.format(value)) for value in values])


def _printed(row: LetorRow) -> str:
    figures = (row.mean_a, row.mean_b, row.t_value)
    cells = [row.measure, str(row.queries), *(f"{figure:.15g}" for figure in figures)]
    return "\t".join([*cells, printed_p_value(row.p_value)])


def _mslr_test(differences: NDArray[np.float64]) -> tuple[float, float]:
    if len(differences) < 2 or not differences.any():
        return math.nan, math.nan
    result = t_test(differences)
    return result.statistic, result.p_value


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
