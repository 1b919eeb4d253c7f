"""A mixed model of the values themselves: methods and methods on data sets as random effects.

It is fitted to the values as they are, or to values that have the same scale in every cell.

Henderson (1975), "Best linear unbiased estimation and prediction under a selection model",
Biometrics 31; Patterson and Thompson (1971), "Recovery of inter-block information when block sizes
are unequal", Biometrika 58; Chung, Rabe-Hesketh, Dorie, Gelman and Liu (2013), "A nondegenerate
penalized likelihood estimator for variance parameters in multilevel models", Psychometrika 78.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells
from rankwise.comparison.estimates import Estimates, Floats, ResultSample
from rankwise.native.distributions import student_quantile

UNEQUAL_SCALES = "unequal scales"
UNKNOWN_SCALES = "few data sets"
SCALES_LEVEL = 0.01
LEAST_DATASETS = 10
_LEAST_LOG, _MOST_LOG = -12.0, 12.0
"""Bounds of the logarithms of the ratios of variances."""


def estimate_mixed_model(sample: ResultSample) -> Estimates:
    """The predicted effect of each method on the value, û_i less their mean.

    The value of method i on data set d in measure m is

        y_idm = β_dm + u_i + w_id + e_idm,    u ~ N(0, aσ²), w ~ N(0, bσ²), e ~ N(0, σ²),

    with β of every cell fixed: an easy data set says nothing of those who were tried on it. w is
    what a method gains on one data set in all measures, without which four measures would count
    as four data sets. a and b maximise the restricted likelihood times ab: the factor (Chung and
    others) keeps variances off 0, where all methods would be level and sure. û are the best linear
    unbiased predictions: the fewer results a method has, the nearer to the mean it is.

    Intervals reach t_ν standard errors of the prediction of u_i less the mean of all to both
    sides, ν = pairs of method and data set - methods - data sets + 1 and at least 1. They are there
    for methods with a single result as well, and widest for these. Where values scatter more in
    some cells than in others by Bartlett's test at .01, one σ² cannot be right and the intervals
    cover too little; of fewer than 10 data sets nobody can tell, as those of another scale may not
    be among them. `doubt` says either, and `scaled-mixed-model` is for such tables.
    """
    found = fit_mixed_model(sample, sample.cells.value - sample.cells.value.mean())
    if have_unequal_scales(sample.cells):
        return replace(found, doubt=UNEQUAL_SCALES)
    few = len(np.unique(sample.group)) < LEAST_DATASETS
    return replace(found, doubt=UNKNOWN_SCALES) if few else found


def fit_mixed_model(sample: ResultSample, value: Floats) -> Estimates:
    """The same of any values of the results; where all are alike in their cells, all are level."""
    design = make_design(sample, value)
    ratios = find_ratios(design)
    solved = solve_henderson(design, *ratios)
    methods = len(sample.cells.methods)
    score, errors = np.full((2, methods), np.nan)
    moves = np.eye(len(design.codes)) - 1 / len(design.codes)
    score[design.codes] = moves @ solved.effects
    errors[design.codes] = np.sqrt(np.maximum(np.diag(moves @ solved.covariance @ moves.T), 0.0))
    groups = len(np.unique(sample.group))
    freedom = max(len(design.pair_method) - len(design.codes) - groups + 1, 1)
    reach = student_quantile(freedom, (1 + sample.confidence) / 2) * errors
    return Estimates(score, score - reach, score + reach, freedom)


def have_unequal_scales(cells: Cells) -> bool:
    """Whether Bartlett's test tells the scatter of values in cells of 3 or more results apart.

    Bartlett (1937), "Properties of sufficiency and statistical tests", Proceedings of the Royal
    Society A 160. Cells in which all are level are left out.
    """
    _, cell = np.unique(cells.cell, return_inverse=True)
    size = np.bincount(cell)
    distance = cells.value - (np.bincount(cell, cells.value) / size)[cell]
    squares, free = np.bincount(cell, distance**2), size - 1.0
    told = (size > 2) & (squares > _NO_VARIANCE)
    squares, free = squares[told], free[told]
    if len(free) < 2:
        return False
    from scipy.stats import chi2

    pooled = squares.sum() / free.sum()
    statistic = free.sum() * np.log(pooled) - (free * np.log(squares / free)).sum()
    correction = 1 + ((1 / free).sum() - 1 / free.sum()) / (3 * (len(free) - 1))
    return bool(chi2.sf(statistic / correction, len(free) - 1) < SCALES_LEVEL)


@dataclass(frozen=True, eq=False)
class Design:
    """The values, and which cell, method and pair (method and data set) each belongs to.

    `codes` are the methods that have results; `pair_method` is the place in them of the method of
    each pair.
    """

    value: Floats
    cell: NDArray[np.int64]
    pair: NDArray[np.int64]
    pair_method: NDArray[np.int64]
    codes: NDArray[np.int64]
    cells: int

    @cached_property
    def counts(self) -> Floats:
        """(pairs, cells): how many values each pair has in each cell."""
        found = np.zeros((len(self.pair_method), self.cells))
        np.add.at(found, (self.pair, self.cell), 1.0)
        return found

    @cached_property
    def pair_sizes(self) -> Floats:
        """How many values each pair has."""
        return np.bincount(self.pair, minlength=len(self.pair_method)).astype(np.float64)

    @cached_property
    def pair_sums(self) -> Floats:
        """The sum of the values of each pair."""
        return np.bincount(self.pair, self.value, len(self.pair_method)).astype(np.float64)

    @cached_property
    def by_method(self) -> Floats:
        """(methods, pairs): 1 where a pair is of the method."""
        found = np.zeros((len(self.codes), len(self.pair_method)))
        found[self.pair_method, np.arange(len(self.pair_method))] = 1.0
        return found

    @property
    def repeats(self) -> bool:
        """Whether any pair has several values, which b can be told from σ² by."""
        return bool((self.pair_sizes > 1).any())


@dataclass(frozen=True, eq=False)
class Solution:
    """What Henderson's equations give for ratios of variances.

    `effects` are û, `covariance` that of û - u, `residual` is σ² and `criterion` -2 times the
    logarithm of the restricted likelihood, without what does not depend on the ratios.
    """

    effects: Floats
    covariance: Floats
    residual: float
    criterion: float


def make_design(sample: ResultSample, value: Floats) -> Design:
    """The results of a sample as a design, with these values."""
    cells = sample.cells
    codes, method = np.unique(cells.method, return_inverse=True)
    size = sample.group_count
    pairs, pair = np.unique(method * size + sample.group, return_inverse=True)
    known, cell = np.unique(cells.cell, return_inverse=True)
    return Design(value, cell, pair, pairs // size, codes, len(known))


def find_ratios(design: Design) -> tuple[float, float]:
    """a and b of the highest penalised restricted likelihood; b = 0 where nothing tells it from σ².

    Minimises criterion(a, b) - log a - log b over the logarithms.
    """
    from scipy.optimize import minimize

    several = design.repeats

    def downhill(logarithms: Floats) -> float:
        ratios = np.exp(logarithms)
        solved = solve_henderson(design, float(ratios[0]), float(ratios[1]) if several else 0.0)
        return solved.criterion - float(logarithms.sum())

    start = np.zeros(2 if several else 1)
    found = minimize(
        downhill, start, method="L-BFGS-B", bounds=[(_LEAST_LOG, _MOST_LOG)] * len(start),
        options={"maxiter": 100},
    )  # fmt: skip
    ratios = np.exp(found.x)
    return float(ratios[0]), float(ratios[1]) if several else 0.0


def solve_henderson(design: Design, a: float, b: float) -> Solution:
    """Solve Henderson's equations for β and u, w taken into the covariance R = I + b Z_w Z_w'.

        [X'R⁻¹X   X'R⁻¹Z      ] [β]   [X'R⁻¹y]
        [Z'R⁻¹X   Z'R⁻¹Z + I/a] [u] = [Z'R⁻¹y]

    Within a pair of n values R⁻¹ = I - b / (1 + bn) J, so that nothing larger than the number of
    cells and methods is ever solved. With N values, p cells and q methods,

        σ² = y'R⁻¹(y - Xβ - Zu) / (N - p),
        criterion = (N - p) log σ² + log|R| + q log a + log|C|, C being the matrix above.
    """
    shrink = 1.0 / (1.0 + b * design.pair_sizes)
    counts, sizes, sums = design.counts, design.pair_sizes, design.pair_sums
    p, q = design.cells, len(design.codes)
    matrix = np.zeros((p + q, p + q))
    results = np.bincount(design.cell, minlength=p).astype(np.float64)
    matrix[:p, :p] = np.diag(results) - counts.T @ ((b * shrink)[:, None] * counts)
    matrix[p:, :p] = design.by_method @ (shrink[:, None] * counts)
    matrix[:p, p:] = matrix[p:, :p].T
    matrix[p:, p:] = np.diag(design.by_method @ (shrink * sizes) + 1.0 / a)
    right = np.empty(p + q)
    cell_sums = np.bincount(design.cell, design.value, p)
    right[:p] = cell_sums - counts.T @ (b * shrink * sums)
    right[p:] = design.by_method @ (shrink * sums)
    lower = np.linalg.cholesky(matrix)
    inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    solution = inverse @ right
    squares = float(design.value @ design.value) - float(b * (shrink * sums) @ sums)
    rest = max(squares - float(solution @ right), _NO_VARIANCE)
    free = max(len(design.value) - p, 1)
    residual = rest / free
    criterion = (
        free * np.log(residual) - np.log(shrink).sum() + q * np.log(a)
        + 2.0 * np.log(np.diag(lower)).sum()
    )  # fmt: skip
    return Solution(solution[p:], residual * inverse[p:, p:], residual, float(criterion))


_NO_VARIANCE = 1e-12


PRIOR_FREEDOM = 4.0
"""How many results the scale of all cells together counts for beside those of one cell."""


def estimate_scaled_mixed_model(sample: ResultSample) -> Estimates:
    """`estimate_mixed_model` of values in standard deviations of their cell.

    On some data sets methods differ by .01 and on others by .2: a model of plain values hears the
    latter only, and takes its one σ for all. With n_c results in cell c, SS_c their squared
    distances from their mean, s² = Σ SS_c / Σ (n_c - 1) and ν = 4, a value is divided by

        s_c = √((ν s² + SS_c) / (ν + n_c - 1)),

    so that a cell of two results, which says little of its own scale, is given that of the others.
    """
    cells = sample.cells
    _, cell = np.unique(cells.cell, return_inverse=True)
    size = np.bincount(cell)
    distance = cells.value - (np.bincount(cell, cells.value) / size)[cell]
    return fit_mixed_model(sample, distance / find_scales(cells, distance)[cell])


def find_scales(cells: Cells, distance: Floats) -> Floats:
    """s_c of each cell, from the distances of values from the mean of their cell."""
    _, cell = np.unique(cells.cell, return_inverse=True)
    squares = np.bincount(cell, distance**2)
    free = np.bincount(cell) - 1.0
    pooled = squares.sum() / free.sum()
    scales = np.sqrt((PRIOR_FREEDOM * pooled + squares) / (PRIOR_FREEDOM + free))
    return np.where(scales > 0, scales, 1.0)
