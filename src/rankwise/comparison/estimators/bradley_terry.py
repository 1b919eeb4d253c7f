"""Bradley-Terry log-strengths: a win over a strong rival counts for more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from rankwise.comparison.cells import Cells
from rankwise.comparison.estimators.estimate import Estimates, Floats, ResultSample
from rankwise.comparison.estimators.strength_scatter import Parts, bound_strengths
from rankwise.comparison.likelihoods import fit_pairs
from rankwise.comparison.meetings import count_meetings

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
    return bound_strengths(sample, score, _parts(sample.cells, score))


def _parts(cells: Cells, strength: Floats) -> Iterator[Parts]:
    for start, end in pairwise(cells.bounds.tolist()):
        own = strength[cells.method[start:end]]
        # exp of a large positive number would overflow; tanh does not, and is as exact.
        expected = 0.5 * (1 + np.tanh((own[:, None] - own[None, :]) / 2))
        np.fill_diagonal(expected, 0.0)
        won = cells.wins[start:end] + cells.ties[start:end] / 2
        bend = (expected * (1 - expected)).sum(axis=1)
        yield slice(start, end), won - expected.sum(axis=1), bend
