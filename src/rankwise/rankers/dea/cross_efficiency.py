"""Cross-efficiency: every unit judged by the weights of all units, not by its own alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise.errors import RankwiseError
from rankwise.native.arrays import Floats
from rankwise.rankers.dea.efficiency import Efficiency, ccr, scale_units
from rankwise.rankers.dea.solvers import solve_narrow

GOALS = ("benevolent", "aggressive", "any")
# Weights that reach a unit's score but for this are optimal for it: scores are known no better.
_REACHED = 1e-10
_SPENT = 1e-12


@dataclass(frozen=True, eq=False)
class CrossEfficiency:
    """What all units say about all units.

    Attributes:
        scores: (units,) the mean of each column of `table`.
        table: (units, units): row n judges by the weights of unit n; NaN where these give nothing
            to divide by.
    """

    scores: Floats
    table: Floats


def cross_efficiency(
    inputs: ArrayLike, outputs: ArrayLike, goal: str = "benevolent", solver: str = "compiled"
) -> CrossEfficiency:
    """The mean over n, the unit itself included, of E_nj = μ_n·Y_j / ν_n·X_j for every unit j.

    (μ_n, ν_n) are optimal weights of n (`ccr`), of which there may be many. The goal chooses:

    | goal | among the optimal weights of n |
    |---|---|
    | benevolent | max μ·A subject to ν·B = 1 |
    | aggressive | min μ·A subject to ν·B = 1 |
    | any | those at which the solver stops: two solvers may give other scores |

    with A = Σ Y_j and B = Σ X_j over the units j != n, subject to μ·Y_j - ν·X_j <= 0 for all j and
    μ·Y_n = θ_n ν·X_n, where θ_n is the score of n. So the others, taken together as one unit, look
    as good or as bad as the weights allow.

    Sexton, Silkman and Hogan (1986). Data envelopment analysis: critique and extensions. New
    Directions for Program Evaluation 32. The goals: Doyle and Green (1994). Efficiency and
    cross-efficiency in DEA: derivations, meanings and uses. Journal of the Operational Research
    Society 45.
    """
    if goal not in GOALS:
        raise RankwiseError(f"the goal must be one of {', '.join(GOALS)}, found {goal!r}")
    own = ccr(inputs, outputs, solver)
    x, y, input_units, output_units = scale_units(inputs, outputs)
    mu, nu = own.output_weights * output_units, own.input_weights * input_units
    if goal != "any" and len(x) > 1:
        sign = 1.0 if goal == "benevolent" else -1.0
        for n in np.flatnonzero(np.isfinite(own.scores)):
            mu[n], nu[n] = _weights_of(x, y, own, int(n), sign, solver)
    produced, spent = np.einsum("ns,js->nj", mu, y), np.einsum("nm,jm->nj", nu, x)
    judges = spent > _SPENT
    table = np.where(judges, produced / np.where(judges, spent, 1.0), np.nan)
    return CrossEfficiency(_column_means(table), table)


def _weights_of(
    x: Floats, y: Floats, own: Efficiency, n: int, sign: float, solver: str
) -> tuple[Floats, Floats]:
    """The optimal weights of unit n that serve the goal."""
    others = np.arange(len(x)) != n
    taken, brought = x[others].sum(axis=0), y[others].sum(axis=0)
    if not taken.any():
        return np.zeros(y.shape[1]), np.zeros(x.shape[1])
    nothing = np.zeros(y.shape[1])
    # Weights beyond the score of n break its own row, so this side of the equation is enough.
    reached = np.concatenate([-y[n], max(0.0, own.scores[n] - _REACHED) * x[n]])
    matrix = np.vstack(
        [
            np.hstack([y, -x]),
            reached,
            np.concatenate([nothing, taken]),
            np.concatenate([nothing, -taken]),
        ]
    )
    limits = np.concatenate([np.zeros(len(x) + 1), [1.0, -1.0]])
    objective = sign * np.concatenate([brought, np.zeros(x.shape[1])])
    solution = solve_narrow(matrix, limits, objective, solver)
    return solution[: y.shape[1]], solution[y.shape[1] :]


def _column_means(table: Floats) -> Floats:
    known = np.isfinite(table)
    counts = known.sum(axis=0)
    totals = np.where(known, table, 0.0).sum(axis=0)
    means: Floats = np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
    return means
