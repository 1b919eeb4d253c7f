"""Plackett-Luce log-strengths: every cell is a ranking."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from rankwise.comparison.cells import Cells
from rankwise.comparison.estimators.estimate import (
    Estimates,
    Floats,
    ResultSample,
    bound_by_spread,
    centre,
)
from rankwise.comparison.estimators.strength_scatter import Parts, sum_parts
from rankwise.comparison.likelihoods import fit_rankings
from rankwise.native.distributions import student_quantile

VIRTUAL_TIES = 1.0


def estimate_plackett_luce(sample: ResultSample) -> Estimates:
    """The λ of highest likelihood where each place of a cell is a choice among those below, less
    their mean; see `fit_plackett_luce`.

    Level methods are not compared with each other, and every method has one tie with an imagined
    method of strength 0.

    With g_ij the part of data set j in the gradient for method i and h_ij the part in its negative
    second derivative, both at the maximum, g_ij² would be h_ij in the mean if all choices were
    independent; measures of one data set are not. How many times more it is, φ = Σ g_ij² / h_ij
    over the degrees of freedom ν of `rankwise.comparison.spread`, is pooled over methods, φ_i is
    that of one alone, and an interval reaches t_ν √(max(φ, φ_i, 1) / Σ_j h_ij) to both sides. A
    method with results on one data set has none. (The scatter that Bradley-Terry strengths go by
    does not serve here: who comes last in a long ranking moves the likelihood hardly at all.)
    """
    codes = np.unique(sample.cells.method)
    strength = fit_rankings(sample.cells, codes, VIRTUAL_TIES)
    score = np.full(len(sample.cells.methods), np.nan)
    score[codes] = strength
    gradient, curvature = sum_parts(sample, _parts(sample.cells, score))
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


def _parts(cells: Cells, strength: Floats) -> Iterator[Parts]:
    for start, end in pairwise(cells.bounds.tolist()):
        worth = np.exp(strength[cells.method[start:end]])
        below = np.arange(end - start)[None, :] < cells.wins[start:end, None]
        chosen_from = (below | np.eye(end - start, dtype=bool)) * worth[None, :]
        # Row: the choice of this result; column: how likely each of those left was chosen.
        chance = chosen_from / chosen_from.sum(axis=1, keepdims=True)
        yield slice(start, end), 1 - chance.sum(axis=0), (chance * (1 - chance)).sum(axis=0)
