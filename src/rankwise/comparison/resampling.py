"""How sure winning numbers are: intervals, and how often a method is on the front of other draws.

Data sets are drawn anew with replacement, as in Efron and Tibshirani (1993), "An introduction to
the bootstrap". The intervals come from the scatter over data sets; percentiles of the draws, which
cover too little where data sets are few, can be had instead.

The share of its rivals that a method beats varies from one data set to another. With w_ij = W_ij /
I_ij that of method i on data set j, of weight I_ij, and NWN_i their weighted mean, the variance is
pooled over all methods,

    s² = Σ_i Σ_j I_ij (w_ij - NWN_i)² / Σ_i (Σ_j I_ij - Σ_j I_ij² / Σ_j I_ij),

which is unbiased where it is the same everywhere; s_i² is that of one method's terms alone. An
interval of NWN_i reaches max(t_ν s, t_{k_i - 1} s_i) / √n_i to both sides, within 0 and 1, where

    n_i = (Σ_j I_ij)² / Σ_j I_ij²

is the effective number of data sets (Kish 1965): one with most of the comparisons counts for little
more than one. t are Student's quantiles; the pooled scatter has ν = (1 - 1/m) Σ_i (k_i - 1) degrees
of freedom for m methods with results on k_i data sets, where the factor is there because shares on
one data set have a fixed sum. A method's own scatter is taken, with its own degrees of freedom,
where that reaches further: an erratic method is not lent the calm of others.

An interval of a method that is read because of its place must be wider, since who comes first owes
that to luck as well. Where r is its place among m methods, from the top or from the bottom, its
confidence is 1 - α r / m in place of 1 - α (`find_confidences`), so that of the intervals of the
first r methods, or the last, for any r, a share of 1 - α holds in the mean (Benjamini and Yekutieli
2005, "False discovery rate-adjusted multiple confidence intervals for selected parameters",
Journal of the American Statistical Association 100). The scatter of the method alone keeps 1 - α: a
quantile that far out of few degrees of freedom would say nothing of anybody.

Versions of one data set are one data set here: they are not independent.

benchmarks/interval_coverage.py and benchmarks/claimed_coverage.py have chosen this;
docs/comparison.md has their tables. Warnings tell where intervals of NWN and chances of the front
rest on too little: where no warning stands, intervals that claim 95 % cover the true number in at
least 90 % of cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.arguments import check_seed
from rankwise.comparison.cells import PartSums, sum_by_part
from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.winning_numbers import find_front
from rankwise.errors import Advice, RankwiseError
from rankwise.native.distributions import student_quantile

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
    _check_bootstrap(comparison, resamples, confidence, interval)
    sums = sum_by_dataset(comparison)
    nwn, front = _draw_datasets(
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


def _check_bootstrap(
    comparison: Comparison, resamples: int, confidence: float, interval: str
) -> None:
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


def _draw_datasets(
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


Floats = NDArray[np.float64]

LEAST_FREEDOM = 15
"""With fewer degrees of freedom intervals were found to cover less than 90 %."""

LEAST_DATASETS = 6
"""On fewer data sets the scatter of an erratic method is not seen often enough: the same share of
wins on all of them, though it has no such, and an interval that covers less than 90 %."""


@dataclass(frozen=True, eq=False)
class Spread:
    """The scatter of shares of wins, by method of `Cells.methods` and over all of them.

    Attributes:
        pooled: s, over all methods.
        own: s_i of each method; NaN for one with results on fewer than two data sets.
        effective: n_i, the effective number of data sets of each method.
        datasets: k_i, on how many data sets each method could win.
        freedom: ν, the degrees of freedom of the pooled scatter, at least 1.
    """

    pooled: float
    own: NDArray[np.float64]
    effective: NDArray[np.float64]
    datasets: NDArray[np.int64]
    freedom: int

    def half_widths(self, confidence: float, selected: Floats | None = None) -> Floats:
        """max(t_ν s, t_{k_i - 1} s_i) / √n_i for each method.

        NaN for a method on a single data set, and where nothing varies: that all data sets agree
        does not tell how far others would. `selected` are the confidences of methods that are read
        because of their places.
        """
        wanted = np.full(len(self.own), confidence) if selected is None else selected
        pooled = _apply_once(lambda one: student_quantile(self.freedom, (1 + one) / 2), wanted)
        free = np.maximum(self.datasets - 1, 1)
        own = _apply_once(lambda one: student_quantile(int(one), (1 + confidence) / 2), free)
        reach = np.maximum(own * self.own, pooled * self.pooled)
        return np.where(reach > 0, reach, np.nan) / np.sqrt(np.maximum(self.effective, 1.0))


def _apply_once(function: Callable[[float], float], values: NDArray[Any]) -> Floats:
    """The function of each value, asked once for equal ones."""
    different, place = np.unique(values, return_inverse=True)
    return np.array([function(float(one)) for one in different])[place]


def find_confidences(score: Floats, confidence: float) -> Floats:
    """1 - α r / m for the method in place r of m, counted from the nearer end; NaN without one."""
    known = score[~np.isnan(score)]
    above = (known[None, :] > score[:, None]).sum(axis=1)
    below = (known[None, :] < score[:, None]).sum(axis=1)
    place = np.minimum(above, below) + 1
    return np.where(np.isnan(score), np.nan, 1.0 - (1.0 - confidence) * place / max(len(known), 1))


def sum_by_dataset(comparison: Comparison) -> PartSums:
    """Wins and ideals by method and data set, the versions of one data set taken together."""
    cells = comparison.cells
    return sum_by_part(cells, comparison.unversioned[cells.dataset], comparison.ideal)


def measure_spread(comparison: Comparison) -> Spread | None:
    """The scatter of all methods; None where none of them has results on two data sets."""
    return compute_spread(sum_by_dataset(comparison), len(comparison.cells.methods))


def compute_spread(sums: PartSums, methods: int) -> Spread | None:
    """As `measure_spread`, from sums of wins and ideals."""
    return spread_shares(
        sums.method, sums.wn.astype(np.float64), sums.iwn.astype(np.float64), methods
    )


def spread_shares(
    method: NDArray[np.int64],
    won: NDArray[np.float64],
    weight: NDArray[np.float64],
    methods: int,
) -> Spread | None:
    """As `measure_spread`, of any shares won / weight; one entry a method and data set."""
    totals = np.bincount(method, weight, methods)
    totals = np.where(totals > 0, totals, 1.0)
    squares = np.bincount(method, weight**2, methods)
    mean = np.bincount(method, won, methods) / totals
    share = won / np.where(weight > 0, weight, 1.0)
    scatter = np.bincount(method, weight * (share - mean[method]) ** 2, methods)
    # Equal shares leave rounding.
    scatter = np.where(scatter > _NO_VARIANCE**2 * totals, scatter, 0.0)
    free = np.bincount(method, weight, methods) - squares / totals
    datasets = np.bincount(method, weight > 0, methods).astype(np.int64)
    if float(free.sum()) <= _NO_VARIANCE:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(
            datasets > 1, np.sqrt(scatter / np.where(free > _NO_VARIANCE, free, np.nan)), np.nan
        )
        effective = np.where(squares > 0, totals**2 / np.where(squares > 0, squares, 1.0), 0.0)
    present = int((datasets > 0).sum())
    freedom = (1.0 - 1.0 / present) * float(np.maximum(datasets - 1, 0).sum())
    pooled = float(np.sqrt(scatter.sum() / free.sum()))
    return Spread(pooled, own, effective, datasets, max(int(freedom), 1))


_NO_VARIANCE = 1e-9


FEWEST = {"spread": LEAST_DATASETS, "percentile": 20}
"""For each interval of NWN, on how many data sets a method must have results."""

ONE_DATASET = "one data set"
FEW_DATASETS = "few data sets"
FEW_RESULTS = "few results"
NO_SCATTER = "no scatter"


def warn_of_method(datasets: int, interval: str, spread: Spread | None) -> str | None:
    """Why the interval of a method with results on so many data sets should not be trusted."""
    if datasets < 2:
        return ONE_DATASET
    if interval == "spread" and (spread is None or not spread.pooled):
        return NO_SCATTER
    if interval == "spread" and spread is not None and spread.freedom < LEAST_FREEDOM:
        return FEW_RESULTS
    return FEW_DATASETS if datasets < FEWEST[interval] else None


def describe_resampling(
    comparison: Comparison, warnings: Sequence[str | None], interval: str, confidence: float
) -> tuple[str, ...]:
    """Sentences about the data sets drawn, and one for each warning with the number of methods."""
    named = np.unique(comparison.cells.dataset)
    drawn = len(np.unique(comparison.unversioned[named]))
    said = []
    if drawn < len(named):
        said.append(
            f"the {len(named)} data sets are versions of {drawn}: versions of one data set are "
            "drawn together, for they are not independent"
        )
    if drawn == 1:
        return (
            *said,
            "there is one data set, and nothing to draw anew: there are no intervals of NWN and no "
            "shares of draws on the front",
        )
    said.append(FRONT_SHARE)
    for warning, sentence in _WARNING_SENTENCES.items():
        count = sum(one == warning for one in warnings)
        if count:
            methods = "1 method" if count == 1 else f"{count} methods"
            least = FEWEST[interval]
            said.append(
                sentence.format(methods=methods, percent=f"{100 * confidence:g} %", least=least)
            )
    return tuple(said)


FRONT_SHARE = (
    "the share of draws on the front is no probability of being on the front of other data sets: "
    "see docs/comparison.md"
)
PLACED = (
    "intervals hold for methods that are read because of their places: the first and the last have "
    "wider ones than a method chosen beforehand"
)

_WARNING_SENTENCES = {
    ONE_DATASET: "{methods} with results on one data set: no interval, which is ignorance and not "
    "certainty",
    NO_SCATTER: "every method wins the same share on all of its data sets, which does not tell how "
    "shares would vary: no intervals",
    FEW_DATASETS: "{methods} with results on fewer than {least} data sets: the {percent} intervals "
    "may cover less than 90 %",
    FEW_RESULTS: "there are too few methods and data sets to tell how numbers vary: the {percent} "
    "intervals of {methods} may cover less than 90 %",
}
