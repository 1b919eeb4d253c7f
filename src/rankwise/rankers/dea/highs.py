"""HiGHS as the reference solver: one model a query, kept warm while the objective changes.

Needs the optional library highspy. Same contract as `simplex`. Tolerances are those of the
compiled solver's check, since HiGHS's own 1e-7 would hide differences in the optimal value.

Huangfu and Hall (2018). Parallelizing the dual revised simplex method. Mathematical Programming
Computation 10.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from rankwise.errors import MissingExtra
from rankwise.native.arrays import Floats, Integers

_OPTIMAL, _UNBOUNDED, _UNFINISHED, _INFEASIBLE = 0, 1, 2, 3
_REACHED = 1e-9
_OPTIONS = {
    "output_flag": False,
    "threads": 1,
    "presolve": "off",
    "solver": "simplex",
    # Only the objective changes, so the last corner stays feasible for the primal method.
    "simplex_strategy": 4,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}


def solve_family(
    matrix: Floats,
    limits: Floats,
    objectives: Floats,
    bounds: Floats,
    values: Floats,
    solutions: Floats,
    homes: Integers,
) -> tuple[int, int, int, int]:
    """As `simplex.solve_family`; returns (status, programs solved, iterations, 0)."""
    model = _Model(matrix, limits)
    solved, iterations = 0, 0
    for k in range(len(objectives)):
        if homes[k] != -1:
            continue
        status, solution = model.maximise(objectives[k])
        iterations += model.iterations()
        if status != _OPTIMAL:
            return status, solved, iterations, 0
        solved += 1
        reached = np.einsum("kj,j->k", objectives, solution)
        shared = (homes == -1) & (
            (reached >= bounds - _REACHED) | (objectives == objectives[k]).all(axis=1)
        )
        shared[k] = True
        values[shared], solutions[shared], homes[shared] = reached[shared], solution, k
    return _OPTIMAL, solved, iterations, 0


def solve_one(
    matrix: Floats, limits: Floats, objective: Floats, solution: Floats, duals: Floats
) -> tuple[int, int]:
    """As `simplex.solve_one`."""
    model = _Model(matrix, limits)
    status, solution[:] = model.maximise(objective)
    duals[:] = np.maximum(model.prices(), 0.0)
    return status, model.iterations()


class _Model:
    """maximise c · x, matrix · x <= limits, x >= 0 in HiGHS's memory."""

    def __init__(self, matrix: Floats, limits: Floats) -> None:
        self._library = _highspy()
        self._highs = self._library.Highs()
        for name, value in _OPTIONS.items():
            self._highs.setOptionValue(name, value)
        self._highs.passModel(self._program(matrix, limits))
        self._columns = np.arange(matrix.shape[1], dtype=np.int32)

    def maximise(self, objective: Floats) -> tuple[int, Floats]:
        """(status, solution) of the present region and this objective."""
        self._highs.changeColsCost(len(self._columns), self._columns, objective)
        status = self._run()
        if status != _OPTIMAL:
            # From a warm start HiGHS can take rounding for an unbounded ray (query 13923 of MQ2008
            # with the BCC model): only what it says from scratch counts.
            self._highs.clearSolver()
            status = self._run()
        solution = np.array(self._highs.getSolution().col_value)
        return status, np.maximum(solution, 0.0)

    def _run(self) -> int:
        self._highs.run()
        states = self._library.HighsModelStatus
        outcomes = {
            states.kOptimal: _OPTIMAL,
            states.kUnbounded: _UNBOUNDED,
            states.kInfeasible: _INFEASIBLE,
        }
        return outcomes.get(self._highs.getModelStatus(), _UNFINISHED)

    def prices(self) -> Floats:
        """The dual values of the rows."""
        return np.array(self._highs.getSolution().row_dual)

    def iterations(self) -> int:
        """Of the last program."""
        return int(self._highs.getInfo().simplex_iteration_count)

    def _program(self, matrix: Floats, limits: Floats) -> Any:
        infinity = self._library.kHighsInf
        program = self._library.HighsLp()
        rows, columns = matrix.shape
        program.num_row_, program.num_col_ = rows, columns
        program.col_cost_ = np.zeros(columns)
        program.col_lower_ = np.zeros(columns)
        program.col_upper_ = np.full(columns, infinity)
        program.row_lower_ = np.full(rows, -infinity)
        program.row_upper_ = limits
        program.sense_ = self._library.ObjSense.kMaximize
        filled = matrix != 0.0
        program.a_matrix_.format_ = self._library.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.append(0, filled.sum(axis=1).cumsum()).astype(np.int32)
        program.a_matrix_.index_ = np.nonzero(filled)[1].astype(np.int32)
        program.a_matrix_.value_ = matrix[filled]
        return program


def _highspy() -> Any:
    try:
        return importlib.import_module("highspy")
    except ModuleNotFoundError as error:
        raise MissingExtra("solving linear programs with HiGHS", "dea") from error
