"""Rank tests: Friedman's with Nemenyi's critical difference, and how alike two orders are.

Friedman's test cannot bear holes: it takes the largest complete part of a sparse table. Rank
agreement says how alike two ways of scoring the same methods order them.

Friedman (1937), JASA 32; Iman and Davenport (1980), Communications in Statistics A9; Nemenyi
(1963); Demšar (2006), "Statistical comparisons of classifiers over multiple data sets", JMLR 7;
Kendall (1945), "The treatment of ties in ranking problems", Biometrika 33; Spearman (1904).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells
from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.significance_tests.paired_tests import mean_ranks
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
    return _test_complete_table(comparison, table, alpha)


def _test_complete_table(
    comparison: Comparison, table: CompleteTable, alpha: float
) -> FriedmanTest:
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
        _find_groups(methods, sorted_ranks, difference),
        _describe_blocks(table),
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


def _find_groups(
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


def _describe_blocks(table: CompleteTable) -> str | None:
    measures = len({measure for _, measure in table.blocks})
    datasets = len({dataset for dataset, _ in table.blocks})
    if len(table.blocks) == datasets:
        return _describe_versions(table)
    return (
        f"The {len(table.blocks)} blocks are {datasets} data sets in up to {measures} measures, "
        "which are not independent, so the p-values are too small; test one measure at a time."
    )


def _describe_versions(table: CompleteTable) -> str | None:
    if table.versions == len(table.blocks):
        return None
    return (
        f"The {table.versions} versions of {len(table.blocks)} data sets are not independent: each "
        "data set is one block, with the means of its versions."
    )


@dataclass(frozen=True, eq=False)
class CompleteTable:
    """Values of `methods` (rows) in `blocks` (columns), without a hole.

    A block is a data set and a measure. Where the table has several versions of the data set, the
    block bears the name of the first of them and holds the means over those in which all methods
    have a result; `versions` counts the cells behind the blocks.
    """

    methods: tuple[str, ...]
    blocks: tuple[tuple[str, str], ...]
    values: NDArray[np.float64]
    versions: int


def find_largest_complete(
    cells: Cells,
    least_methods: int,
    least_blocks: int,
    unversioned: NDArray[np.int64] | None = None,
) -> CompleteTable | None:
    """The complete sub-table with the most results that a greedy search from every block finds.

    From each block in turn the search adds the block that keeps the most methods, those with
    results in all blocks so far, and stops when fewer than `least_methods` are left. Of all
    stages with enough blocks the one with the most results, methods × blocks, is taken; of
    equal ones that with more blocks, then the first in the order of the table. The true largest
    is a hard problem (a maximum biclique); None where the search finds none large enough.

    Data sets with the same number in `unversioned` are versions of one. They make one block, since
    blocks must be independent: other versions in which all chosen methods have results are
    averaged into it.
    """
    numbers = cells.cell[cells.bounds[:-1]]
    subject = _list_subjects(cells, numbers, unversioned)
    held = [_as_bits(cells.method[start:end]) for start, end in pairwise(cells.bounds.tolist())]
    best: tuple[int, int, tuple[int, ...], int] = (0, 0, (), 0)
    for start in range(len(held)):
        for chosen, common in _grow_blocks(start, held, subject, least_methods):
            size = len(chosen) * common.bit_count()
            if len(chosen) >= least_blocks and (size, len(chosen)) > best[:2]:
                best = (size, len(chosen), tuple(chosen), common)
    _, _, chosen_blocks, methods = best
    if not chosen_blocks:
        return None
    there = {subject[block] for block in chosen_blocks}
    kept = [
        block
        for block, of in enumerate(subject)
        if of in there and held[block] & methods == methods
    ]
    return _average_versions(
        _extract_table(cells, numbers[kept], methods), [subject[block] for block in kept]
    )


def _list_subjects(
    cells: Cells, numbers: NDArray[np.int64], unversioned: NDArray[np.int64] | None
) -> list[tuple[int, int]]:
    """The data set, whatever its version, and the measure of each block."""
    pairs = [divmod(int(number), len(cells.measures)) for number in numbers]
    same = np.arange(len(cells.datasets)) if unversioned is None else unversioned
    return [(int(same[dataset]), measure) for dataset, measure in pairs]


def _average_versions(table: CompleteTable, subject: list[tuple[int, int]]) -> CompleteTable:
    """One block for each subject: the first of its versions, with the mean of their values."""
    columns: dict[tuple[int, int], list[int]] = {}
    for place, one in enumerate(subject):
        columns.setdefault(one, []).append(place)
    values = np.stack([table.values[:, places].mean(axis=1) for places in columns.values()], axis=1)
    blocks = tuple(table.blocks[places[0]] for places in columns.values())
    return CompleteTable(table.methods, blocks, values, len(subject))


def _as_bits(codes: NDArray[np.int64]) -> int:
    """A set of methods as the bits of one integer: intersections are a single operation."""
    return sum(1 << code for code in codes.tolist())


def _grow_blocks(
    start: int, held: list[int], subject: list[tuple[int, int]], least_methods: int
) -> list[tuple[list[int], int]]:
    """The stages of the search from one block: the blocks chosen and the methods in them all."""
    chosen, common = [start], held[start]
    left = [block for block, of in enumerate(subject) if of != subject[start]]
    stages = []
    while common.bit_count() >= least_methods:
        stages.append((list(chosen), common))
        left = [b for b in left if (common & held[b]).bit_count() >= least_methods]
        if not left:
            break
        best = max(left, key=lambda block: (common & held[block]).bit_count())
        chosen.append(best)
        common &= held[best]
        left = [block for block in left if subject[block] != subject[best]]
    return stages


def _extract_table(cells: Cells, numbers: NDArray[np.int64], methods: int) -> CompleteTable:
    codes = [code for code in range(len(cells.methods)) if methods >> code & 1]
    kept = np.isin(cells.cell, numbers) & np.isin(cells.method, codes)
    values = np.empty((len(codes), len(numbers)))
    row = np.searchsorted(codes, cells.method[kept])
    values[row, np.searchsorted(numbers, cells.cell[kept])] = cells.value[kept]
    pairs = (divmod(int(number), len(cells.measures)) for number in numbers)
    blocks = tuple((cells.datasets[d], cells.measures[m]) for d, m in pairs)
    names = tuple(cells.methods[code] for code in codes)
    return CompleteTable(names, blocks, values, len(blocks))


@dataclass(frozen=True)
class Agreement:
    """Agreement of two scorings over the methods that both score.

    `kendall` and `spearman` are None where a scoring puts all methods level. `overlap` gives for
    some k the share of methods that are among the best k of both.
    """

    methods: int
    kendall: float | None
    spearman: float | None
    overlap: dict[int, float]


def compute_agreement(
    first: Mapping[str, float], second: Mapping[str, float], best: Sequence[int] = (5, 10, 20)
) -> Agreement:
    """Compare two scorings, higher being better; each k of `best` beyond the methods is skipped."""
    common = [name for name in first if name in second]
    if len(common) < 2:
        raise RankwiseError(
            f"rank agreement needs at least two methods scored by both; found {len(common)}"
        )
    a = np.array([first[name] for name in common], dtype=np.float64)
    b = np.array([second[name] for name in common], dtype=np.float64)
    overlaps = {k: top_overlap(a, b, k) for k in best if 1 <= k <= len(common)}
    return Agreement(len(common), kendall_tau_b(a, b), spearman_rho(a, b), overlaps)


def kendall_tau_b(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """τ_b = (concordant - discordant) / √((n₀ - n₁)(n₀ - n₂)).

    n₀ = n(n - 1)/2 pairs, of which n₁ are tied in a and n₂ in b; None where all are.
    """
    balance = untied_a = untied_b = 0
    for i in range(len(a) - 1):
        one, other = np.sign(a[i + 1 :] - a[i]), np.sign(b[i + 1 :] - b[i])
        balance += int((one * other).sum())
        untied_a += int(np.abs(one).sum())
        untied_b += int(np.abs(other).sum())
    return None if untied_a * untied_b == 0 else float(balance / np.sqrt(untied_a * untied_b))


def spearman_rho(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """Pearson's correlation of the ranks, equals sharing their mean rank."""
    x, y = mean_ranks(a), mean_ranks(b)
    x, y = x - x.mean(), y - y.mean()
    spread = np.sqrt((x @ x) * (y @ y))
    return None if spread == 0 else float(x @ y / spread)


def top_overlap(a: NDArray[np.float64], b: NDArray[np.float64], k: int) -> float:
    """|best k of a ∩ best k of b| / k; at the border those that come first are taken."""
    best = (set(np.argsort(-scores, kind="stable")[:k].tolist()) for scores in (a, b))
    return len(set.intersection(*best)) / k
