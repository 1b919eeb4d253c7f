"""Bootstrap over data sets: how far winning numbers depend on which benchmarks there happen to be.

Efron and Tibshirani (1993), "An introduction to the bootstrap", chapter 13 (percentile intervals).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import PartSums, sum_by_part
from rankwise.comparison.pareto import find_front
from rankwise.comparison.ranking import Comparison
from rankwise.errors import Advice, RankwiseError


@dataclass(frozen=True)
class BootstrapInterval:
    """How sure a method's NWN and its place on the front are.

    `lower` and `upper` bound the percentile interval of NWN; None for a method tried on a single
    data set, whose NWN cannot vary here: that is ignorance, not certainty. `front_probability` is
    the share of all resamples in which the method is on the front of NWN against IWN, and
    `present` the share in which it has results at all.
    """

    method: str
    nwn: float
    lower: float | None
    upper: float | None
    front_probability: float
    present: float


@dataclass(frozen=True)
class Bootstrap:
    """Intervals of all placed methods, in the order of the comparison, and how they were made."""

    resamples: int
    confidence: float
    seed: int
    intervals: tuple[BootstrapInterval, ...]


def resample_datasets(
    comparison: Comparison,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    advance: Callable[[float], None] = lambda done: None,
) -> Bootstrap:
    """Draw the data sets anew with replacement, and compare on each draw.

    With c_j how often data set j was drawn and W_ij, I_ij the wins and ideal of method i there,

        NWN*_i = Σ_j c_j W_ij / Σ_j c_j I_ij.

    A data set is drawn with all its measures, since these are not independent. What happens inside
    a data set does not depend on the draw, so no resample sorts anything. `advance` is told the
    number of resamples done. The same seed gives the same figures.
    """
    _check(resamples, confidence)
    if comparison.weighing is not None:
        raise RankwiseError(
            "the bootstrap draws data sets that count by their results; "
            f"found weights {comparison.weights!r}",
            Advice("leave out {}", "weights"),
            Advice("leave out {}", "resamples"),
        )
    sums = sum_by_part(comparison.cells, comparison.cells.dataset, comparison.ideal)
    nwn, front = _resampled(comparison, sums, resamples, np.random.default_rng(seed), advance)
    tail = (1 - confidence) / 2
    code = {name: i for i, name in enumerate(comparison.cells.methods)}
    intervals = []
    for row in comparison.rows:
        drawn = nwn[code[row.method]]
        drawn = drawn[~np.isnan(drawn)]
        known = row.distinct_datasets > 1 and len(drawn) > 0
        lower, upper = np.quantile(drawn, (tail, 1 - tail)).tolist() if known else (None, None)
        share = front[code[row.method]] / resamples
        intervals.append(
            BootstrapInterval(
                row.method, row.nwn, lower, upper, float(share), len(drawn) / resamples
            )
        )
    return Bootstrap(resamples, confidence, seed, tuple(intervals))


def _check(resamples: int, confidence: float) -> None:
    if resamples < 1:
        raise RankwiseError(f"the bootstrap needs at least one resample; found {resamples}")
    if not 0 < confidence < 1:
        raise RankwiseError(f"the confidence must lie between 0 and 1; found {confidence}")


def _resampled(
    comparison: Comparison,
    sums: PartSums,
    resamples: int,
    generator: np.random.Generator,
    advance: Callable[[float], None],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """NWN of each method in each resample (NaN where absent), and how often it is on the front."""
    methods = len(comparison.cells.methods)
    datasets = np.unique(sums.part)
    nwn = np.full((methods, resamples), np.nan)
    front = np.zeros(methods, dtype=np.int64)
    for number in range(resamples):
        drawn = generator.choice(datasets, len(datasets))
        counts = np.bincount(drawn, minlength=len(comparison.cells.datasets))[sums.part]
        wn = np.bincount(sums.method, counts * sums.wn, methods)
        iwn = np.bincount(sums.method, counts * sums.iwn, methods).astype(np.float64)
        present = np.flatnonzero(iwn)
        nwn[present, number] = wn[present] / iwn[present]
        free = find_front(iwn[present], nwn[present, number], comparison.dominance)
        front[present[free]] += 1
        advance(number + 1)
    return nwn, front
