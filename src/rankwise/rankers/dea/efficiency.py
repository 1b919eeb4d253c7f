"""The general CCR model: how efficiently units turn several inputs into several outputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise.errors import RankwiseError
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.dea.solvers import solve_one

# A constraint whose two sides differ by less, in units of the virtual input 1, is met exactly.
TIGHT = 1e-9


@dataclass(frozen=True, eq=False)
class Efficiency:
    """What the CCR model says about each unit.

    Attributes:
        scores: (units,) in [0, 1]; NaN for a unit without inputs, which the model does not judge.
        input_weights: (units, inputs) ν of each unit's program.
        output_weights: (units, outputs) μ of each.
        intensities: (units, units) λ: row n holds the mixture of units that unit n is measured
            against; the dual solution.
        reference_sets: for each unit the units that are efficient under its weights.
    """

    scores: Floats
    input_weights: Floats
    output_weights: Floats
    intensities: Floats
    reference_sets: tuple[Integers, ...]


def ccr(inputs: ArrayLike, outputs: ArrayLike, solver: str = "compiled") -> Efficiency:
    """Solve the CCR model of every unit n (Eq. 4 of Jiang and Lin 2014).

    max over μ, ν of μ·Y_n subject to μ·Y_i - ν·X_i <= 0 for all i, ν·X_n = 1, μ >= 0, ν >= 0.

    The efficiency reference set of n (Definition 1) is {i : μ·Y_i = ν·X_i > 0} under its optimal
    weights; these weights are then optimal for every i in it (Theorem 1). ν·X_n <= 1 is solved in
    place of the equation: scaling (μ, ν) up never lowers the score, so both have the same optimum,
    and where the score is 0 all weights are.

    Charnes, Cooper and Rhodes (1978). Measuring the efficiency of decision making units. European
    Journal of Operational Research 2.
    """
    x, y, input_units, output_units = scale_units(inputs, outputs)
    solved = [_unit(x, y, n, solver) for n in range(len(x))]
    weights = np.array([solution for solution, _ in solved]).reshape(len(x), -1)
    mu, nu = weights[:, : y.shape[1]], weights[:, y.shape[1] :]
    scores = np.where(x.any(axis=1), np.einsum("ns,ns->n", mu, y), np.nan)
    return Efficiency(
        scores=scores,
        input_weights=nu / input_units,
        output_weights=mu / output_units,
        intensities=np.array([prices for _, prices in solved]),
        reference_sets=tuple(_reference_set(x, y, mu[n], nu[n]) for n in range(len(x))),
    )


def scale_units(inputs: ArrayLike, outputs: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """Inputs and outputs with a largest value of 1 in every column, and their units."""
    consumed, produced = _units(inputs, "inputs"), _units(outputs, "outputs")
    if len(consumed) != len(produced):
        raise RankwiseError(
            "inputs and outputs must have a row for every unit, found "
            f"{len(consumed)} and {len(produced)} rows"
        )
    input_units, output_units = _largest(consumed), _largest(produced)
    return consumed / input_units, produced / output_units, input_units, output_units


def _unit(x: Floats, y: Floats, n: int, solver: str) -> tuple[Floats, Floats]:
    """(μ and ν, λ) of unit n; all 0 where it has no inputs."""
    if not x[n].any():
        return np.zeros(y.shape[1] + x.shape[1]), np.zeros(len(x))
    own = np.concatenate([np.zeros(y.shape[1]), x[n]])
    matrix = np.vstack([np.hstack([y, -x]), own])
    limits = np.append(np.zeros(len(x)), 1.0)
    objective = np.concatenate([y[n], np.zeros(x.shape[1])])
    solution, prices = solve_one(matrix, limits, objective, solver)
    return solution, prices[:-1]


def _reference_set(x: Floats, y: Floats, mu: Floats, nu: Floats) -> Integers:
    output, spent = np.einsum("is,s->i", y, mu), np.einsum("im,m->i", x, nu)
    return np.flatnonzero((spent > TIGHT) & (spent - output <= TIGHT * np.maximum(spent, 1.0)))


def _largest(values: Floats) -> Floats:
    highest = values.max(axis=0)
    return np.where(highest > 0.0, highest, 1.0)


def _units(values: ArrayLike, what: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or not array.size:
        raise RankwiseError(
            f"{what} must be a table with a row for every unit, found shape {array.shape}"
        )
    if not np.isfinite(array).all() or array.min() < 0.0:
        raise RankwiseError(f"{what} must be finite and not negative, found {array.min():g}")
    return array
