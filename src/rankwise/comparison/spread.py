"""How far winning numbers would move with other benchmarks: intervals from shares by data set.

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

benchmarks/interval_coverage.py and benchmarks/claimed_coverage.py have chosen this;
docs/comparison.md has their tables.

Versions of one data set are one data set here: they are not independent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import PartSums, sum_by_part
from rankwise.comparison.ranking import Comparison
from rankwise.native.distributions import student_quantile

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
        pooled = _each(lambda one: student_quantile(self.freedom, (1 + one) / 2), wanted)
        free = np.maximum(self.datasets - 1, 1)
        own = _each(lambda one: student_quantile(int(one), (1 + confidence) / 2), free)
        reach = np.maximum(own * self.own, pooled * self.pooled)
        return np.where(reach > 0, reach, np.nan) / np.sqrt(np.maximum(self.effective, 1.0))


def _each(function: Callable[[float], float], values: NDArray[Any]) -> Floats:
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
    scatter = np.where(scatter > _NOTHING**2 * totals, scatter, 0.0)
    free = np.bincount(method, weight, methods) - squares / totals
    datasets = np.bincount(method, weight > 0, methods).astype(np.int64)
    if float(free.sum()) <= _NOTHING:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(
            datasets > 1, np.sqrt(scatter / np.where(free > _NOTHING, free, np.nan)), np.nan
        )
        effective = np.where(squares > 0, totals**2 / np.where(squares > 0, squares, 1.0), 0.0)
    present = int((datasets > 0).sum())
    freedom = (1.0 - 1.0 / present) * float(np.maximum(datasets - 1, 0).sum())
    pooled = float(np.sqrt(scatter.sum() / free.sum()))
    return Spread(pooled, own, effective, datasets, max(int(freedom), 1))


_NOTHING = 1e-9
