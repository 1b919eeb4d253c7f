"""Friedman's test with Nemenyi's critical difference, on the complete part of a table.

Friedman (1937), JASA 32; Iman and Davenport (1980), Communications in Statistics A9; Nemenyi
(1963); Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", JMLR 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.agreement import mean_ranks
from rankwise.comparison.complete import CompleteTable, find_largest_complete
from rankwise.comparison.ranking import Comparison
from rankwise.errors import RankwiseError

LEAST_METHODS = 3
LEAST_BLOCKS = 5


@dataclass(frozen=True)
class FriedmanTest:
    """Whether methods differ over blocks (data sets), and which differ by more than chance.

    `average_ranks` goes with `methods`, best (lowest) first; rank 1 is best in a block. `groups`
    are the largest sets of neighbours whose average ranks are closer than the critical difference:
    the bars of a critical-difference diagram. Methods that are in no group together differ
    significantly by Nemenyi's test. `left_out` have too many holes to take part. `remark` is a
    sentence where blocks are not independent, or where versions of data sets were made one.
    """

    methods: tuple[str, ...]
    average_ranks: tuple[float, ...]
    blocks: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]
    chi_square: float
    p_value: float
    iman_davenport: float
    iman_davenport_p_value: float
    alpha: float
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]
    remark: str | None


def friedman_test(
    comparison: Comparison, measure: str | None = None, alpha: float = 0.05
) -> FriedmanTest:
    """Test the methods of the largest complete sub-table; see `find_largest_complete` for its rule.

    With k methods, N blocks, R_j the average rank of method j and ties sharing mean ranks,

        χ²_F = 12 N / (k (k + 1)) · [Σ_j R_j² - k (k + 1)² / 4] / C,
        F_F  = (N - 1) χ²_F / (N (k - 1) - χ²_F),      CD = q_α √(k (k + 1) / (6 N)),

    where C = 1 - Σ (t³ - t) / (N k (k² - 1)) over runs of t ties (1 without ties, as in Demšar)
    and q_α is the quantile of the studentized range divided by √2. With measure None all compared
    measures give blocks, which are then not independent, and said so. Versions of one data set are
    one block, with the means of their values. A table without at least 3 methods that share 5
    blocks is refused.

    The p-values come from the distributions that the statistics approach with many blocks;
    docs/comparison.md tells how often they reject where nothing differs.
    """
    if not 0 < alpha < 1:
        raise RankwiseError(f"the significance level must lie between 0 and 1; found {alpha}")
    cells = comparison.cells if measure is None else comparison.cells.of_measures([measure])
    table = find_largest_complete(cells, LEAST_METHODS, LEAST_BLOCKS, comparison.unversioned)
    if table is None:
        where = "" if measure is None else f" in {measure}"
        raise RankwiseError(
            f"Friedman's test needs at least {LEAST_METHODS} methods with results on the same "
            f"{LEAST_BLOCKS} data sets{where}, versions of one data set counted once; this table "
            "is too sparse for that: see the winning numbers and their intervals instead"
        )
    return _tested(comparison, table, alpha)


def _tested(comparison: Comparison, table: CompleteTable, alpha: float) -> FriedmanTest:
    from scipy.stats import chi2, f

    ranks = np.stack([mean_ranks(-column) for column in table.values.T], axis=1)
    average = ranks.mean(axis=1)
    order = np.argsort(average, kind="stable")
    k, n = table.values.shape
    chi_square = _chi_square(ranks)
    statistic = _iman_davenport(chi_square, k, n)
    difference = critical_difference(k, n, alpha)
    methods = tuple(table.methods[i] for i in order)
    sorted_ranks = tuple(float(average[i]) for i in order)
    return FriedmanTest(
        methods,
        sorted_ranks,
        table.blocks,
        tuple(name for name in comparison.by_method if name not in set(methods)),
        chi_square,
        float(chi2.sf(chi_square, k - 1)),
        statistic,
        float(f.sf(statistic, k - 1, (k - 1) * (n - 1))),
        alpha,
        difference,
        _groups(methods, sorted_ranks, difference),
        _remark(table),
    )


@lru_cache(maxsize=1024)
def critical_difference(methods: int, blocks: int, alpha: float) -> float:
    """Nemenyi's CD: average ranks at least this far apart differ at level alpha."""
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1 - alpha, methods, np.inf)) / np.sqrt(2)
    return float(quantile * np.sqrt(methods * (methods + 1) / (6 * blocks)))


def _chi_square(ranks: NDArray[np.float64]) -> float:
    k, n = ranks.shape
    average = ranks.mean(axis=1)
    plain = 12 * n / (k * (k + 1)) * (float(average @ average) - k * (k + 1) ** 2 / 4)
    runs = (np.unique(column, return_counts=True)[1] for column in ranks.T)
    tied = sum(float((t**3 - t).sum()) for t in runs)
    correction = 1 - tied / (n * k * (k**2 - 1))
    # Where all methods are level in all blocks, both are 0: nothing speaks for a difference.
    return plain / correction if correction > 0 else 0.0


def _iman_davenport(chi_square: float, k: int, n: int) -> float:
    rest = n * (k - 1) - chi_square
    # All blocks in full agreement leave no rest, up to rounding.
    return (n - 1) * chi_square / rest if rest > 1e-9 else float("inf")


def _groups(
    methods: tuple[str, ...], ranks: tuple[float, ...], difference: float
) -> tuple[tuple[str, ...], ...]:
    """Runs of two or more methods closer than the difference that are part of no longer run."""
    found: list[tuple[str, ...]] = []
    reached = 0
    for start in range(len(methods)):
        end = start
        while end < len(methods) and ranks[end] - ranks[start] < difference:
            end += 1
        if end > reached and end - start > 1:
            found.append(methods[start:end])
        reached = max(reached, end)
    return tuple(found)


def _remark(table: CompleteTable) -> str | None:
    measures = len({measure for _, measure in table.blocks})
    datasets = len({dataset for dataset, _ in table.blocks})
    if len(table.blocks) == datasets:
        return _versions(table)
    return (
        f"The {len(table.blocks)} blocks are {datasets} data sets in up to {measures} measures, "
        "which are not independent, so the p-values are too small; test one measure at a time."
    )


def _versions(table: CompleteTable) -> str | None:
    if table.versions == len(table.blocks):
        return None
    return (
        f"The {table.versions} versions of {len(table.blocks)} data sets are not independent: each "
        "data set is one block, with the means of its versions."
    )
