"""The two solvers behind one contract: the compiled simplex method, and HiGHS."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.native.arrays import Floats, Integers

# Of scipy's outcomes, in the numbers of the kernel.
_OUTCOMES = {0: 0, 2: 3, 3: 1}
_FAILURES = {1: "is unbounded", 2: "was not finished", 3: "is infeasible"}


def solve_family(
    matrix: Floats,
    limits: Floats,
    objectives: Floats,
    bounds: Floats,
    values: Floats,
    solutions: Floats,
    homes: Integers,
    solver: str,
) -> None:
    """Maximise each row of `objectives` over matrix · x <= limits, x >= 0.

    Fills `values`, `solutions` and `homes` for every program whose home is -1; see
    `simplex.solve_family` for what programs share. The few whose rounding the compiled
    solver cannot master (none with the CCR models on LETOR data) go to scipy.
    """
    run = _module(solver).solve_family
    status, *_ = run(matrix, limits, objectives, bounds, values, solutions, homes)
    _refuse_failure(status)
    for k in np.flatnonzero(homes == -1):
        solutions[k] = _solved_alone(matrix, limits, objectives[k])
        values[k], homes[k] = np.einsum("j,j->", objectives[k], solutions[k]), k


def solve_one(
    matrix: Floats, limits: Floats, objective: Floats, solver: str
) -> tuple[Floats, Floats]:
    """The maximum of one objective as (solution, prices of the rows)."""
    solution, prices = np.zeros(matrix.shape[1]), np.zeros(len(matrix))
    run = _module(solver).solve_one
    status, _ = run(matrix, limits, objective, solution, prices)
    _refuse_failure(status)
    return solution, prices


def find_maximum(matrix: Floats, limits: Floats, objective: Floats, solver: str) -> float:
    """The maximum of one objective; infinite where the program is unbounded."""
    solution, prices = np.zeros(matrix.shape[1]), np.zeros(len(matrix))
    status, _ = _module(solver).solve_one(matrix, limits, objective, solution, prices)
    if _FAILURES.get(status) == "is unbounded":
        return np.inf
    _refuse_failure(status)
    return float(np.einsum("j,j->", objective, solution))


def solve_narrow(matrix: Floats, limits: Floats, objective: Floats, solver: str) -> Floats:
    """The solution over a region without an inside, in which rounding can lose the compiled way.

    What does not keep its limits to 1e-7 is solved by scipy.
    """
    solution, prices = np.zeros(matrix.shape[1]), np.zeros(len(matrix))
    status, _ = _module(solver).solve_one(matrix, limits, objective, solution, prices)
    if status == 0 and (np.einsum("ij,j->i", matrix, solution) <= limits + 1e-7).all():
        return solution
    return _solved_alone(matrix, limits, objective)


def _solved_alone(matrix: Floats, limits: Floats, objective: Floats) -> Floats:
    from scipy.optimize import linprog

    solved = linprog(
        -objective,
        matrix,
        limits,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    _refuse_failure(_OUTCOMES.get(solved.status, 2))
    return np.maximum(np.asarray(solved.x, dtype=np.float64), 0.0)


def _module(solver: str) -> Any:
    if solver == "highs":
        from rankwise.rankers.dea import highs

        return highs
    from rankwise.rankers.dea import simplex

    return simplex


def _refuse_failure(status: int) -> None:
    """The programs of this package have optima; numbers beyond float64's precision may hide it."""
    if status in _FAILURES:
        raise RankwiseError(
            f"a linear program of data envelopment analysis {_FAILURES[status]}: its numbers must "
            "lie within about ten orders of magnitude; normalize the features first"
        )
