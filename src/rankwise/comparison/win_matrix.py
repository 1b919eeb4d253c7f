"""The win matrix: how often each method beat each other one, head to head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells
from rankwise.comparison.ranking import Comparison
from rankwise.errors import RankwiseError


@dataclass(frozen=True, eq=False)
class WinMatrix:
    """Counts over the cells (data set × measure) in which both methods have a result.

    `wins[i, j]` is how often method i had the higher value than method j, `ties[i, j]` how often
    they were level; wins[i, j] + wins[j, i] + ties[i, j] = comparisons[i, j].
    """

    methods: tuple[str, ...]
    wins: NDArray[np.int64]
    ties: NDArray[np.int64]

    @property
    def comparisons(self) -> NDArray[np.int64]:
        """How many cells each pair shares; 0 on the diagonal."""
        return self.wins + self.wins.T + self.ties


def count_wins(comparison: Comparison, methods: Sequence[str] | None = None) -> WinMatrix:
    """Head-to-head counts of the named methods, or of all placed ones, best first."""
    chosen = tuple(comparison.by_method if methods is None else methods)
    unknown = [name for name in chosen if name not in comparison.cells.methods]
    if unknown:
        raise RankwiseError(f"there is no method {unknown[0]!r} in this comparison")
    codes = [comparison.cells.methods.index(name) for name in chosen]
    among = comparison.cells.only(np.isin(comparison.cells.method, codes))
    wins, ties = count_pairs(among)
    return WinMatrix(chosen, wins[np.ix_(codes, codes)], ties[np.ix_(codes, codes)])


def count_pairs(cells: Cells) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Wins and ties of every pair of methods; costs the sum of squared cell sizes."""
    size = len(cells.methods)
    wins = np.zeros((size, size), dtype=np.int64)
    ties = np.zeros((size, size), dtype=np.int64)
    for start, end in pairwise(cells.bounds.tolist()):
        # A method is in a cell once, so that adding through an index adds every pair.
        pairs = np.ix_(cells.method[start:end], cells.method[start:end])
        won = cells.find_wins(start, end)
        wins[pairs] += won
        if cells.ties[start:end].any():
            ties[pairs] += ~(won | won.T)
    np.fill_diagonal(ties, 0)
    return wins, ties
