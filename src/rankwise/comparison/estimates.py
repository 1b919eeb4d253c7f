"""Ways to score methods by a table with holes, each with intervals.

- The Normalized Winning Number, which the comparison of 87 methods ranks by.
- The mean rank over cells, as a share of the rivals in each.
- Bradley-Terry log-strengths: a win over a strong rival counts for more.
- Plackett-Luce log-strengths: every cell is a ranking.

How far strengths would move with other data sets is what each data set alone asks for. The gradient
of the likelihood is a sum over data sets. With g_ij the part of data set j in the gradient for
method i and h_ij the part in its negative second derivative, both at the maximum, λ_i + g_ij / h_ij
is where one Newton step on that data set alone would move method i. These g_ij / h_ij, of weight
h_ij, take the place of the shares of wins in `rankwise.comparison.resampling`: λ_i is their
weighted mean as NWN is that of shares. What the curvature of the likelihood gives instead takes all
comparisons as independent, and covers too little (docs/comparison.md).

The strengths of the rivals are taken as known, so that intervals are a little too narrow where
rivals have few results themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.cells import Cells, IdealRule, sum_by_part
from rankwise.comparison.resampling import (
    LEAST_DATASETS,
    Spread,
    compute_spread,
    find_confidences,
    spread_shares,
)
from rankwise.comparison.strengths import count_meetings, fit_pairs, fit_rankings
from rankwise.native.distributions import student_quantile

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ResultSample:
    """Results to estimate from.

    `groups` has a number for each data set of `cells` that its versions share: data sets are taken
    as a sample of all there could be, and versions of one are not independent.
    """

    cells: Cells
    groups: NDArray[np.int64]
    ideal: IdealRule = "observed"
    confidence: float = 0.95

    @property
    def group(self) -> NDArray[np.int64]:
        """The group of the data set of each result."""
        return self.groups[self.cells.dataset]

    @property
    def group_count(self) -> int:
        """One more than the highest number of a group."""
        return int(self.groups.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False)
class Estimates:
    """A score for each method of `Cells.methods`, higher being better, and its interval.

    NaN stands for a method without a result that has a rival, and for an interval that cannot be
    given. `freedom` are the degrees of freedom of the scatter that the intervals rest on, 0 where
    there are no intervals. `doubt` says in a few words why the intervals cover less than they
    claim, where that is known, and `fewest` on how many data sets a method must have results.
    """

    score: Floats
    lower: Floats
    upper: Floats
    freedom: int
    doubt: str | None = None
    fewest: int = 2


@dataclass(frozen=True)
class Estimator:
    """A way to score methods, by name.

    Scores of a `relative` estimator have the mean 0 over the methods that it scores: only their
    differences mean something. `title` is for people, `intervals` says how these are made.
    """

    name: str
    title: str
    relative: bool
    intervals: str
    estimate: Callable[[ResultSample], Estimates]


def bound_by_spread(
    score: Floats, spread: Spread | None, confidence: float, ends: tuple[float, float]
) -> Estimates:
    """Scores with what the scatter over data sets reaches to both sides, within `ends`.

    The intervals hold for methods that are read because of their places (see `spread`).
    """
    if spread is None:
        nothing = np.full(len(score), np.nan)
        return Estimates(score, nothing, nothing, 0)
    reach = spread.half_widths(confidence, find_confidences(score, confidence))
    return Estimates(
        score, np.maximum(score - reach, ends[0]), np.minimum(score + reach, ends[1]),
        spread.freedom, fewest=LEAST_DATASETS,
    )  # fmt: skip


def centre(score: Floats) -> Floats:
    """The scores less their mean over the methods that have one."""
    known = ~np.isnan(score)
    return score - score[known].mean() if known.any() else score


def estimate_winning_number(sample: ResultSample) -> Estimates:
    """NWN_i = WN_i / IWN_i over all cells, with the intervals of `rankwise.comparison.resampling`.

    A tie is no win, and a cell counts by its number of rivals. A method with results on one data
    set has no interval: nothing can vary there.
    """
    cells = sample.cells
    wins, ideals = cells.per_method(cells.wins), cells.per_method(cells.ideal(sample.ideal))
    score = np.where(ideals > 0, wins / np.maximum(ideals, 1), np.nan)
    spread = compute_spread(sum_by_part(cells, sample.group, sample.ideal), len(cells.methods))
    return bound_by_spread(score, spread, sample.confidence, (0.0, 1.0))


def estimate_mean_rank(sample: ResultSample) -> Estimates:
    """The mean over a method's cells of how far up it stands there, from 0 (last) to 1 (first).

    With rank r among the n results of a cell, level results sharing the mean of their ranks,

        score_i = mean over cells of 1 - (r - 1) / (n - 1) = (wins + ties / 2) / (n - 1).

    Ranks as such cannot be averaged over cells of 3 and of 40 results. Other than NWN it gives
    every cell the same weight, and half a win for a tie. Its intervals come from the scatter over
    data sets as those of NWN do, each data set weighing as many cells as the method has there.
    """
    cells = sample.cells
    share = (cells.wins + cells.ties / 2) / cells.rivals
    methods = len(cells.methods)
    results = np.bincount(cells.method, minlength=methods)
    sums = np.bincount(cells.method, share, methods)
    score = np.where(results > 0, sums / np.maximum(results, 1), np.nan)
    size = sample.group_count
    keys, inverse = np.unique(cells.method * size + sample.group, return_inverse=True)
    won = np.bincount(inverse, share, len(keys)).astype(np.float64)
    weight = np.bincount(inverse, minlength=len(keys)).astype(np.float64)
    spread = spread_shares(keys // size, won, weight, methods)
    return bound_by_spread(score, spread, sample.confidence, (0.0, 1.0))


VIRTUAL_TIES = 1.0


def estimate_bradley_terry(sample: ResultSample) -> Estimates:
    """The λ of highest likelihood in P(i beats j) = 1 / (1 + exp(λ_j - λ_i)), less their mean.

    A tie is half a win for each, and every method has one tie with an imagined method of strength
    0, which pulls those with few results towards it (see `fit_bradley_terry`). Intervals are those
    of `strength_scatter`.
    """
    met = count_meetings(sample.cells)
    strength, _ = fit_pairs(met.wins + met.ties / 2, VIRTUAL_TIES)
    score = np.full(len(sample.cells.methods), np.nan)
    score[met.codes] = strength
    return bound_strengths(sample, score, _bradley_terry_parts(sample.cells, score))


def _bradley_terry_parts(cells: Cells, strength: Floats) -> Iterator[Parts]:
    for start, end in pairwise(cells.bounds.tolist()):
        own = strength[cells.method[start:end]]
        # exp of a large positive number would overflow; tanh does not, and is as exact.
        expected = 0.5 * (1 + np.tanh((own[:, None] - own[None, :]) / 2))
        np.fill_diagonal(expected, 0.0)
        won = cells.wins[start:end] + cells.ties[start:end] / 2
        bend = (expected * (1 - expected)).sum(axis=1)
        yield slice(start, end), won - expected.sum(axis=1), bend


def estimate_plackett_luce(sample: ResultSample) -> Estimates:
    """The λ of highest likelihood where each place of a cell is a choice among those below, less
    their mean; see `fit_plackett_luce`.

    Level methods are not compared with each other, and every method has one tie with an imagined
    method of strength 0.

    With g_ij the part of data set j in the gradient for method i and h_ij the part in its negative
    second derivative, both at the maximum, g_ij² would be h_ij in the mean if all choices were
    independent; measures of one data set are not. How many times more it is, φ = Σ g_ij² / h_ij
    over the degrees of freedom ν of `rankwise.comparison.resampling`, is pooled over methods, φ_i
    is that of one alone, and an interval reaches t_ν √(max(φ, φ_i, 1) / Σ_j h_ij) to both sides. A
    method with results on one data set has none. (The scatter that Bradley-Terry strengths go by
    does not serve here: who comes last in a long ranking moves the likelihood hardly at all.)
    """
    codes = np.unique(sample.cells.method)
    strength = fit_rankings(sample.cells, codes, VIRTUAL_TIES)
    score = np.full(len(sample.cells.methods), np.nan)
    score[codes] = strength
    gradient, curvature = sum_parts(sample, _plackett_luce_parts(sample.cells, score))
    score = centre(score)
    there = curvature > 0
    datasets = there.sum(axis=1)
    freedom = int((1 - 1 / len(codes)) * np.maximum(datasets - 1, 0).sum())
    if freedom < 1:
        return bound_by_spread(score, None, sample.confidence, (0.0, 0.0))
    excess = (gradient**2 / np.where(there, curvature, 1.0)).sum(axis=1)
    own = excess / np.maximum(datasets - 1, 1)
    dispersion = np.maximum(own, max(excess[datasets > 1].sum() / freedom, 1.0))
    error = np.sqrt(dispersion / np.where(datasets > 1, curvature.sum(axis=1), np.nan))
    reach = student_quantile(freedom, (1 + sample.confidence) / 2) * error
    return Estimates(score, score - reach, score + reach, freedom)


def _plackett_luce_parts(cells: Cells, strength: Floats) -> Iterator[Parts]:
    for start, end in pairwise(cells.bounds.tolist()):
        worth = np.exp(strength[cells.method[start:end]])
        below = np.arange(end - start)[None, :] < cells.wins[start:end, None]
        chosen_from = (below | np.eye(end - start, dtype=bool)) * worth[None, :]
        # Row: the choice of this result; column: how likely each of those left was chosen.
        chance = chosen_from / chosen_from.sum(axis=1, keepdims=True)
        yield slice(start, end), 1 - chance.sum(axis=0), (chance * (1 - chance)).sum(axis=0)


Parts = tuple[slice, Floats, Floats]
"""A cell as a slice of the results, and for each of these its gradient and curvature."""


def bound_strengths(sample: ResultSample, score: Floats, parts: Iterable[Parts]) -> Estimates:
    """Log-strengths by method code, with mean 0, and their intervals."""
    methods, size = len(sample.cells.methods), sample.group_count
    gradient, curvature = (part.ravel() for part in sum_parts(sample, parts))
    known = np.flatnonzero(curvature > 0)
    spread = spread_shares(known // size, gradient[known], curvature[known], methods)
    return bound_by_spread(centre(score), spread, sample.confidence, (-np.inf, np.inf))


def sum_parts(sample: ResultSample, parts: Iterable[Parts]) -> tuple[Floats, Floats]:
    """(methods, data sets): gradients and curvatures, summed over the cells of each data set."""
    shape = (len(sample.cells.methods), sample.group_count)
    gradient, curvature = np.zeros((2, *shape))
    for cell, slope, bend in parts:
        # A method is in a cell once, so that adding through an index adds every part.
        place = sample.cells.method[cell], sample.group[cell]
        gradient[place] += slope
        curvature[place] += bend
    return gradient, curvature
