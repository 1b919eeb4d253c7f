"""The texts that LETOR's and MSLR's significance scripts print, in their own layout."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance.differences import pair
from rankwise.comparison.significance.letor import one_sided_t_test
from rankwise.comparison.significance.paired_tests import t_test
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
