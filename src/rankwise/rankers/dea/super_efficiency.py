"""Super-efficiency: how far an efficient unit lies beyond the frontier of all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankwise.native.arrays import Floats
from rankwise.rankers.dea.efficiency import ccr, scale_units
from rankwise.rankers.dea.solvers import find_maximum

# A score this near to 1 is that of an efficient unit.
_EFFICIENT = 1.0 - 1e-9


def super_efficiency(inputs: ArrayLike, outputs: ArrayLike, solver: str = "compiled") -> Floats:
    """The score of every unit n against all others:

        max over μ, ν of μ·Y_n subject to μ·Y_i - ν·X_i <= 0 for all i != n, ν·X_n = 1,
        μ >= 0, ν >= 0.

    This is `ccr` without the unit's own constraint, so that efficient units, which tie at 1 there,
    are told apart: a score of 1.2 stays efficient with up to 1.2 times its inputs. Below 1 it is
    the score of `ccr`, whose own constraint is not tight then. Infinite where the others together
    have nothing of an output that the unit has, or take an input that it does without; NaN for a
    unit without inputs.

    Andersen and Petersen (1993). A procedure for ranking efficient units in data envelopment
    analysis. Management Science 39.
    """
    scores = ccr(inputs, outputs, solver).scores.copy()
    x, y, _, _ = scale_units(inputs, outputs)
    for n in np.flatnonzero(scores >= _EFFICIENT):
        scores[n] = _against_others(x, y, int(n), solver)
    return scores


def _against_others(x: Floats, y: Floats, n: int, solver: str) -> float:
    others = np.arange(len(x)) != n
    own = np.concatenate([np.zeros(y.shape[1]), x[n]])
    matrix = np.vstack([np.hstack([y[others], -x[others]]), own])
    limits = np.append(np.zeros(len(matrix) - 1), 1.0)
    objective = np.concatenate([y[n], np.zeros(x.shape[1])])
    return find_maximum(matrix, limits, objective, solver)
