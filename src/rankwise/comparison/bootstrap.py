"""How sure winning numbers are: intervals, and how often a method is on the front of other draws.

Data sets are drawn anew with replacement, as in Efron and Tibshirani (1993), "An introduction to
the bootstrap". The intervals come from the scatter over data sets (`spread`); percentiles of the
draws, which cover too little where data sets are few, can be had instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import PartSums
from rankwise.comparison.pareto import find_front
from rankwise.comparison.ranking import Comparison
from rankwise.comparison.resampling_remarks import PLACED, describe_resampling, warn_of_method
from rankwise.comparison.spread import Spread, compute_spread, find_confidences, sum_by_dataset
from rankwise.errors import Advice, RankwiseError
from rankwise.seeds import check_seed

NwnInterval = Literal["spread", "percentile"]
NWN_INTERVALS: tuple[NwnInterval, ...] = ("spread", "percentile")


@dataclass(frozen=True)
class BootstrapInterval:
    """How sure a method's NWN and its place on the front are.

    `lower` and `upper` bound NWN; None for a method tried on a single data set, whose NWN cannot
    vary here, and where nothing varied: that is ignorance, not certainty. `front_share` is the
    share of resamples in which the method is on the front of NWN against IWN, None where there is
    one data set and nothing to draw. It is no probability of being on the front of other data sets:
    docs/comparison.md says how far it is off. `present` is the share of resamples in which the
    method has results at all. `datasets` counts versions of one data set once. `warning` says in a
    few words why the interval, or its absence, should not be trusted; the remarks of `Bootstrap`
    say it in sentences.
    """

    method: str
    nwn: float
    lower: float | None
    upper: float | None
    front_share: float | None
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
    beforehand: Sequence[str] = (),
) -> Bootstrap:
    """Draw the data sets anew with replacement, and compare on each draw.

    With c_j how often data set j was drawn and W_ij, I_ij the wins and ideal of method i there,

        NWN*_i = Σ_j c_j W_ij / Σ_j c_j I_ij.

    A data set is drawn with all its measures and versions, since these are not independent. What
    happens inside a data set does not depend on the draw, so no resample sorts anything. `interval`
    bounds NWN by the scatter over data sets (see `spread`) or by percentiles of NWN*; the intervals
    hold for methods that are read because of their places, and are narrower for those that were
    chosen `beforehand`. `advance` is told the number of resamples done. The same seed gives the
    same figures.
    """
    _check(comparison, resamples, confidence, interval)
    sums = sum_by_dataset(comparison)
    nwn, front = _resampled(
        comparison, sums, resamples, np.random.default_rng(check_seed(seed)), advance
    )
    spread = compute_spread(sums, len(comparison.cells.methods))
    selected = _find_confidences(comparison, confidence, beforehand)
    if interval == "spread":
        bounds = _spread_bounds(comparison, spread, confidence, selected)
    else:
        bounds = _percentile_bounds(nwn, selected)
    datasets = np.bincount(sums.method, sums.iwn > 0, len(nwn)).astype(np.int64)
    several = len(np.unique(sums.part)) > 1
    code = {name: i for i, name in enumerate(comparison.cells.methods)}
    intervals = []
    for row in comparison.rows:
        number = code[row.method]
        known = int(datasets[number]) > 1 and not np.isnan(bounds[number]).any()
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
    if several and len(beforehand) < len(intervals):
        remarks = (*remarks, PLACED)
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


def _find_confidences(
    comparison: Comparison, confidence: float, beforehand: Sequence[str]
) -> NDArray[np.float64]:
    """By method code: for methods read because of their places, or as they were chosen before."""
    names = comparison.cells.methods
    placed = comparison.by_method
    score = np.array([placed[name].nwn if name in placed else np.nan for name in names])
    known = np.isin(names, list(beforehand)) & ~np.isnan(score)
    return np.where(known, confidence, find_confidences(score, confidence))


def _spread_bounds(
    comparison: Comparison, spread: Spread | None, confidence: float, selected: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(methods, 2): NWN and what the scatter reaches to both sides, within 0 and 1."""
    found = np.full((len(comparison.cells.methods), 2), np.nan)
    if spread is None:
        return found
    reach = spread.half_widths(confidence, selected)
    for number, name in enumerate(comparison.cells.methods):
        if name in comparison.by_method:
            nwn = comparison.by_method[name].nwn
            found[number] = max(nwn - reach[number], 0.0), min(nwn + reach[number], 1.0)
    return found


def _percentile_bounds(
    nwn: NDArray[np.float64], selected: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(methods, 2): quantiles of the resamples in which the method has results."""
    found = np.full((len(nwn), 2), np.nan)
    for number, (drawn, confidence) in enumerate(zip(nwn, selected, strict=True)):
        there = drawn[~np.isnan(drawn)]
        if len(there) and not np.isnan(confidence):
            tail = (1.0 - confidence) / 2.0
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
