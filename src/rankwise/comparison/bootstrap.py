"""How sure winning numbers are: intervals, and how often a method is on the front of other draws.

Data sets are drawn anew with replacement, as in Efron and Tibshirani (1993), "An introduction to
the bootstrap". The intervals come from the scatter over data sets (`spread`); percentiles of the
draws, which cover too little where data sets are few, can be had instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import PartSums
from rankwise.comparison.pareto import find_front
from rankwise.comparison.ranking import Comparison
from rankwise.comparison.resampling_remarks import describe_resampling, warn_of_method
from rankwise.comparison.spread import Spread, compute_spread, sum_by_dataset
from rankwise.errors import Advice, RankwiseError
from rankwise.seeds import check_seed

NwnInterval = Literal["spread", "percentile"]
NWN_INTERVALS: tuple[NwnInterval, ...] = ("spread", "percentile")


@dataclass(frozen=True)
class BootstrapInterval:
    """How sure a method's NWN and its place on the front are.

    `lower` and `upper` bound NWN; None for a method tried on a single data set, whose NWN cannot
    vary here: that is ignorance, not certainty. `front_probability` is the share of all resamples
    in which the method is on the front of NWN against IWN, None where there is one data set and
    nothing to draw, and `present` the share in which it has results at all. `datasets` counts
    versions of one data set once. `warning` says in a few words why the interval, or its absence,
    should not be trusted; the remarks of `Bootstrap` say it in sentences.
    """

    method: str
    nwn: float
    lower: float | None
    upper: float | None
    front_probability: float | None
    present: float
    datasets: int
    warning: str | None


@dataclass(frozen=True)
class Bootstrap:
    """Intervals of all placed methods, in the order of the comparison, and how they were made.

    `remarks` are sentences about what is too little to go by.
    """

    resamples: int
    confidence: float
    seed: int
    intervals: tuple[BootstrapInterval, ...]
    kind: NwnInterval
    remarks: tuple[str, ...]


def resample_datasets(
    comparison: Comparison,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    advance: Callable[[float], None] = lambda done: None,
    interval: NwnInterval = "spread",
) -> Bootstrap:
    """Draw the data sets anew with replacement, and compare on each draw.

    With c_j how often data set j was drawn and W_ij, I_ij the wins and ideal of method i there,

        NWN*_i = Σ_j c_j W_ij / Σ_j c_j I_ij.

    A data set is drawn with all its measures and versions, since these are not independent. What
    happens inside a data set does not depend on the draw, so no resample sorts anything. `interval`
    bounds NWN by the scatter over data sets (see `spread`) or by percentiles of NWN*. `advance` is
    told the number of resamples done. The same seed gives the same figures.
    """
    _check(comparison, resamples, confidence, interval)
    sums = sum_by_dataset(comparison)
    nwn, front = _resampled(
        comparison, sums, resamples, np.random.default_rng(check_seed(seed)), advance
    )
    spread = compute_spread(sums, len(comparison.cells.methods))
    if interval == "spread":
        bounds = _spread_bounds(comparison, spread, confidence)
    else:
        bounds = _percentile_bounds(nwn, confidence)
    datasets = np.bincount(sums.method, sums.iwn > 0, len(nwn)).astype(np.int64)
    several = len(np.unique(sums.part)) > 1
    code = {name: i for i, name in enumerate(comparison.cells.methods)}
    intervals = []
    for row in comparison.rows:
        number = code[row.method]
        known = int(datasets[number]) > 1
        lower, upper = bounds[number].tolist() if known else (None, None)
        intervals.append(
            BootstrapInterval(
                row.method,
                row.nwn,
                lower,
                upper,
                float(front[number] / resamples) if several else None,
                float(np.mean(~np.isnan(nwn[number]))),
                int(datasets[number]),
                warn_of_method(int(datasets[number]), interval, spread),
            )
        )
    remarks = describe_resampling(
        comparison, [one.warning for one in intervals], interval, confidence
    )
    return Bootstrap(resamples, confidence, seed, tuple(intervals), interval, remarks)


def _check(comparison: Comparison, resamples: int, confidence: float, interval: str) -> None:
    if resamples < 1:
        raise RankwiseError(f"the bootstrap needs at least one resample; found {resamples}")
    if not 0 < confidence < 1:
        raise RankwiseError(f"the confidence must lie between 0 and 1; found {confidence}")
    if interval not in NWN_INTERVALS:
        raise RankwiseError(
            f"the interval of NWN must be one of {', '.join(NWN_INTERVALS)}; found {interval!r}"
        )
    if comparison.weighing is not None:
        raise RankwiseError(
            "the bootstrap draws data sets that count by their results; "
            f"found weights {comparison.weights!r}",
            Advice("leave out {}", "weights"),
            Advice("leave out {}", "resamples"),
        )


def _spread_bounds(
    comparison: Comparison, spread: Spread | None, confidence: float
) -> NDArray[np.float64]:
    """(methods, 2): NWN and what the scatter reaches to both sides, within 0 and 1."""
    found = np.full((len(comparison.cells.methods), 2), np.nan)
    if spread is None:
        return found
    reach = spread.half_widths(confidence)
    for number, name in enumerate(comparison.cells.methods):
        if name in comparison.by_method:
            nwn = comparison.by_method[name].nwn
            found[number] = max(nwn - reach[number], 0.0), min(nwn + reach[number], 1.0)
    return found


def _percentile_bounds(nwn: NDArray[np.float64], confidence: float) -> NDArray[np.float64]:
    """(methods, 2): quantiles of the resamples in which the method has results."""
    tail = (1.0 - confidence) / 2.0
    found = np.full((len(nwn), 2), np.nan)
    for number, drawn in enumerate(nwn):
        there = drawn[~np.isnan(drawn)]
        if len(there):
            found[number] = np.quantile(there, (tail, 1.0 - tail))
    return found


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
        counts = np.bincount(drawn, minlength=int(datasets[-1]) + 1)[sums.part]
        wn = np.bincount(sums.method, counts * sums.wn, methods)
        iwn = np.bincount(sums.method, counts * sums.iwn, methods).astype(np.float64)
        present = np.flatnonzero(iwn)
        nwn[present, number] = wn[present] / iwn[present]
        free = find_front(iwn[present], nwn[present, number], comparison.dominance)
        front[present[free]] += 1
        advance(number + 1)
    return nwn, front
