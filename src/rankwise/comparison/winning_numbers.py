"""Winning numbers: how many rivals a method beats, of how many it could have beaten.

Tax, Bockting and Hiemstra (2015), "A cross-benchmark comparison of 87 learning to rank methods",
Information Processing & Management 51(6), 757-772, section 3, after Qin, Liu, Xu and Li (2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells, IdealRule, group_cells
from rankwise.comparison.weights import Weighing
from rankwise.results.result_table import ResultTable

DEARANK_MEASURES = (*(f"NDCG@{k}" for k in range(1, 11)), "MAP")


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


def compute_dearank_winning_numbers(
    table: ResultTable, measures: Sequence[str] = DEARANK_MEASURES
) -> dict[str, int]:
    """The winning number of DEARank's Eq. 14, over rivals B, measures E and data sets S:

        W_A = Σ_B Σ_E Σ_S [perf(A, E, S) > perf(B, E, S)]

    Jiang and Lin (2014), "DEARank: a data-envelopment-analysis-based ranking method". This
    is WN across the measures NDCG@1 to NDCG@10 and MAP; give it the table of one collection. The
    paper's Tables 6 and 7 print exactly twice this number, all 25 times.
    """
    cells = group_cells(table).of_measures(measures)
    wins = cells.per_method(cells.wins).tolist()
    present = np.unique(cells.method).tolist()
    return {cells.methods[i]: wins[i] for i in present}


def _distinct_datasets(cells: Cells) -> NDArray[np.int64]:
    """On how many data sets each method has a result, in whatever measure."""
    pairs = cells.method * max(len(cells.datasets), 1) + cells.dataset
    if len(np.unique(cells.measure)) > 1:
        pairs = np.unique(pairs)
    return np.bincount(pairs // max(len(cells.datasets), 1), minlength=len(cells.methods))
