"""Winning numbers: how many rivals a method beats, of how many it could have beaten.

Tax, Bockting and Hiemstra (2015), "A cross-benchmark comparison of 87 learning to rank methods",
Information Processing & Management 51(6), 757-772, section 3, after Qin, Liu, Xu and Li (2010).

They count every rival on every data set alike, so that a data set on which many methods were tried
weighs more than one with few. The other weights give each part of the table (a measure, a
collection, a data set) its own Normalized Winning Number and take their mean.

Methods that no other method beats in both accuracy and certainty are on the Pareto front. Accuracy
is the Normalized Winning Number; certainty is the number of data sets or the Ideal Winning Number
(section 4).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells, IdealRule, group_cells, sum_by_part
from rankwise.data.catalog.entries import catalog_entries
from rankwise.errors import Advice, RankwiseError
from rankwise.results.result_table import ResultTable


@dataclass(frozen=True)
class WinningNumber:
    """One method's winning numbers.

    With M_i(j) the result of method i in cell j (a data set, or a data set and measure when
    measures are taken together), both results defined, and a tie no win:

        WN_i  = Σ_j Σ_k [M_i(j) > M_k(j)]
        NWN_i = WN_i / IWN_i

    IWN is the most wins the method could have had. Rule `definition`: the rivals in its cells,
    Σ_j Σ_{k≠i} [both defined]. The paper's equation reads as if a method were its own rival; its
    figures do not count it so. Rule `observed`: in each cell the highest number of wins that any
    method reached there, Σ_j max_k wins_k(j), which is what the paper's figures follow; the two
    differ where the best result of a cell is shared.

    WN across NDCG@1 to NDCG@10 and MAP on one collection is the winning number of DEARank's Eq. 14
    (Jiang and Lin, 2014), whose Tables 6 and 7 print exactly twice this number, all 25 times.

    `datasets` counts the cells with a result and a rival; `distinct_datasets` the data sets.
    """

    method: str
    wn: int
    iwn: int
    nwn: float
    datasets: int
    distinct_datasets: int


def compute_winning_numbers(
    table: ResultTable, measure: str | None = None, ideal: IdealRule = "observed"
) -> list[WinningNumber]:
    """Winning numbers in one measure, or with None across all measures of the table together.

    Best first: by NWN, then IWN, then name. Cells with fewer than two results are left out, as in
    the paper, and so is a method whose IWN is 0: nobody could win anything where it was tried.
    """
    cells = group_cells(table)
    if measure is not None:
        cells = cells.of_measures([measure])
    return compute_from_cells(cells, ideal)


def compute_from_cells(
    cells: Cells, ideal: IdealRule = "observed", weighing: Weighing | None = None
) -> list[WinningNumber]:
    """Winning numbers over all `cells`, best first; see `compute_winning_numbers`.

    With `weighing`, WN and IWN are still counts, while NWN is the weighted mean over its parts.
    """
    wins = cells.per_method(cells.wins)
    ideals = cells.per_method(cells.ideal(ideal))
    results = np.bincount(cells.method, minlength=len(cells.methods))
    distinct = _distinct_datasets(cells)
    shares = wins / np.maximum(ideals, 1) if weighing is None else weighing.weigh(cells, ideal)
    columns = (wins, ideals, shares, results, distinct)
    found = [
        WinningNumber(cells.methods[i], *numbers)
        for i, numbers in enumerate(zip(*(one.tolist() for one in columns), strict=True))
        if numbers[1] > 0 and numbers[2] == numbers[2]
    ]
    return sorted(found, key=lambda one: (-one.nwn, -one.iwn, one.method))


def _distinct_datasets(cells: Cells) -> NDArray[np.int64]:
    """On how many data sets each method has a result, in whatever measure."""
    pairs = cells.method * max(len(cells.datasets), 1) + cells.dataset
    if len(np.unique(cells.measure)) > 1:
        pairs = np.unique(pairs)
    return np.bincount(pairs // max(len(cells.datasets), 1), minlength=len(cells.methods))


Weights = Literal["results", "measures", "collections", "datasets", "queries"]

WEIGHTS: dict[Weights, str] = {
    "results": "every rival in every data set and measure counts alike, as in the paper",
    "measures": "every measure counts alike",
    "collections": "every collection counts alike",
    "datasets": "every data set counts alike",
    "queries": "every data set counts by the number of its queries",
}
"""The rules, and what each of them says."""


@dataclass(frozen=True, eq=False)
class Weighing:
    """Parts of a table with their weights.

    `part` is the number of the part that each data set, or each measure, belongs to, by its code
    in `Cells`; `weight` is that of each part. With W_ip and I_ip the wins and the ideal of method
    i in part p, and p running over the parts with I_ip > 0,

        NWN_i = Σ_p w_p (W_ip / I_ip) / Σ_p w_p.
    """

    by: Literal["dataset", "measure"]
    part: NDArray[np.int64]
    weight: NDArray[np.float64]

    def weigh(self, cells: Cells, ideal: IdealRule) -> NDArray[np.float64]:
        """The weighted NWN of each method; NaN where no part with a weight could be won."""
        codes = cells.dataset if self.by == "dataset" else cells.measure
        sums = sum_by_part(cells, self.part[codes], ideal)
        weight = np.where(sums.iwn > 0, self.weight[sums.part], 0.0)
        shares = weight * sums.wn / np.maximum(sums.iwn, 1)
        total = np.bincount(sums.method, weight, len(cells.methods))
        won = np.bincount(sums.method, shares, len(cells.methods))
        found: NDArray[np.float64] = np.full(len(total), np.nan)
        np.divide(won, total, out=found, where=total > 0)
        return found


def make_weighing(table: ResultTable, cells: Cells, weights: Weights) -> Weighing | None:
    """The parts of a table by a rule of `WEIGHTS`; None for `results`, which has no parts."""
    if weights not in WEIGHTS:
        raise RankwiseError(f"weights must be one of {', '.join(WEIGHTS)}; found {weights!r}")
    if weights == "results":
        return None
    if weights == "measures":
        return _weigh_equally("measure", np.arange(len(cells.measures)))
    if weights == "datasets":
        return _weigh_equally("dataset", np.arange(len(cells.datasets)))
    homes = dict(zip(table.dataset_names.tolist(), table.collection.tolist(), strict=True))
    if weights == "collections":
        names = list(dict.fromkeys(homes[name] for name in cells.datasets))
        return _weigh_equally(
            "dataset", np.array([names.index(homes[name]) for name in cells.datasets])
        )
    counts = [count_queries(name) or 0 for name in cells.datasets]
    if not any(counts):
        raise RankwiseError(
            "weights by queries need a data set of the catalogue; none of the table's is in it",
            Advice("see 'rankwise data list'"),
            Advice("take {}", "weights", "datasets"),
        )
    return Weighing("dataset", np.arange(len(counts)), np.array(counts, dtype=np.float64))


def count_queries(dataset: str) -> int | None:
    """How many queries the data set of that full name has; None where that is not known."""
    entries = catalog_entries()
    known = {f"{entry.collection} {entry.title}".casefold(): entry.queries for entry in entries}
    return known.get(dataset.casefold())


def describe_uncounted(cells: Cells, weights: Weights) -> list[str]:
    """A sentence about data sets that do not count because their queries are not known."""
    if weights != "queries":
        return []
    present = [cells.datasets[code] for code in np.unique(cells.dataset)]
    unknown = [name for name in present if count_queries(name) is None]
    if not unknown:
        return []
    return [f"without a weight, for their numbers of queries are not known: {', '.join(unknown)}"]


def _weigh_equally(by: Literal["dataset", "measure"], part: NDArray[np.int64]) -> Weighing:
    return Weighing(by, part, np.ones(int(part.max(initial=0)) + 1))


Certainty = Literal["datasets", "iwn"]
Dominance = Literal["weak", "strict"]
CERTAINTIES: tuple[Certainty, ...] = ("datasets", "iwn")
DOMINANCE_RULES: tuple[Dominance, ...] = ("weak", "strict")


def find_pareto_ranks(
    points: Sequence[WinningNumber], axis: Certainty, dominance: Dominance = "weak"
) -> dict[str, int]:
    """Each method's Pareto rank: 1 plus the number of methods that dominate it.

    Rank 1 is the front. Rank 2 are the methods dominated by exactly one other, the paper's
    "Rank-2 Pareto optima"; this is not the second layer found by peeling the first one off.

    `strict`: b dominates a when b is higher on both axes, as the paper words it. `weak`: when b is
    at least as high on both and higher on one, which is what the paper's lists of methods follow.
    """
    if axis not in CERTAINTIES:
        raise RankwiseError(f"the axis must be one of {', '.join(CERTAINTIES)}; found {axis!r}")
    if dominance not in DOMINANCE_RULES:
        raise RankwiseError(
            f"the dominance rule must be one of {', '.join(DOMINANCE_RULES)}; found {dominance!r}"
        )
    places = [(getattr(point, axis), point.nwn) for point in points]
    counts = count_dominators(places, dominance)
    return {point.method: 1 + count for point, count in zip(points, counts, strict=True)}


def count_dominators(places: Sequence[tuple[float, float]], dominance: Dominance) -> list[int]:
    """For each place the number of places that dominate it, in O(n log n).

    Sweeps from the highest first coordinate down, keeping how many of each second coordinate were
    passed. Equal places do not dominate each other under either rule.
    """
    levels = sorted({second for _, second in places})
    passed = _DominatorTally(len(levels))
    counts = [0] * len(places)
    downwards = sorted(range(len(places)), key=lambda i: places[i], reverse=True)
    for _, same_first in groupby(downwards, key=lambda i: places[i][0]):
        group = list(same_first)
        if dominance == "strict":
            for i in group:
                counts[i] = passed.above(bisect_left(levels, places[i][1]))
            for i in group:
                passed.add(bisect_left(levels, places[i][1]))
            continue
        for _, equals in groupby(group, key=lambda i: places[i][1]):
            twins = list(equals)
            level = bisect_left(levels, places[twins[0]][1])
            for i in twins:
                counts[i] = passed.above(level - 1)
            for _ in twins:
                passed.add(level)
    return counts


def find_front(
    first: NDArray[np.float64], second: NDArray[np.float64], dominance: Dominance
) -> NDArray[np.bool_]:
    """Whether no place dominates each place: `count_dominators` = 0, vectorised for resampling."""
    order = np.lexsort((second, first))[::-1]
    highest = np.maximum.accumulate(second[order])
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = first[order][1:] != first[order][:-1]
    start = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
    # What lies strictly to the right ends just before the run of the same first coordinate.
    beyond = np.where(start > 0, highest[start - 1], -np.inf)
    if dominance == "strict":
        free = second[order] >= beyond
    else:
        free = (second[order] > beyond) & (second[order] == second[order][start])
    found = np.empty(len(order), dtype=bool)
    found[order] = free
    return found


class _DominatorTally:
    """Counts per level with sums over all higher levels in O(log n): a binary indexed tree."""

    def __init__(self, levels: int) -> None:
        self._sums = [0] * (levels + 1)

    def add(self, level: int) -> None:
        """Count one more at `level`."""
        node = len(self._sums) - 1 - level
        while node < len(self._sums):
            self._sums[node] += 1
            node += node & -node

    def above(self, level: int) -> int:
        """How many were counted at levels higher than `level`."""
        node = len(self._sums) - 2 - level
        total = 0
        while node > 0:
            total += self._sums[node]
            node -= node & -node
        return total
