"""A dense simplex method for many linear programs that share their constraints.

Every program is: maximise c · x subject to A x <= b, x >= 0. The tableau is condensed: a row for
each basic variable, a column for each other one, the limits in the last column and the reduced
costs in the last row. Variables 0 … columns - 1 are those of x, the others the slacks of the rows.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.compiled import compiled

OPTIMAL = 0
UNBOUNDED = 1
UNFINISHED = 2
INFEASIBLE = 3

# A reduced cost or a limit below this is rounding; data are scaled to 1 before they come here.
ZERO = 1e-11
# A pivot must be larger: dividing by less would make weights out of rounding.
SMALLEST_PIVOT = 1e-8
# Ratios that differ by less are tied.
TIED = 1e-10
# After so many steps without gain the lowest index decides, which cannot run in circles.
STALLED = 30
# Rounding adds up over exchanges; after so many the tableau is made anew from the data.
EXCHANGES_KEPT = 400
# How far a solution may miss a constraint, or the dual one, before it is solved anew.
ALLOWED = 1e-9


@compiled
def solve_family(
    matrix: Any, limits: Any, objectives: Any, bounds: Any, values: Any, solutions: Any, homes: Any
) -> Any:
    """Maximise every row of `objectives` over the one region matrix · x <= limits, x >= 0.

    `bounds[k]` is a limit that objective k can never exceed: where a solution reaches it, it is
    optimal for k too (Theorem 1 of DEARank), and k is not solved again; nor is an objective equal
    to an earlier one. `homes[k]` becomes the number of the program whose solution k has, -1 on
    entry for those to be solved, and still -1 where rounding kept a solution from passing the check
    even from a fresh start. Returns (INFEASIBLE, UNFINISHED or OPTIMAL for the region, programs
    solved, exchanges made, programs solved a second time from the data).
    """
    rows, columns = matrix.shape
    tableau = np.empty((rows + 1, columns + 1))
    basic = np.empty(rows, np.int64)
    other = np.empty(columns, np.int64)
    solved, exchanges, again, since = 0, 0, 0, EXCHANGES_KEPT
    for k in range(len(objectives)):
        if homes[k] != -1 or _borrowed(objectives, values, solutions, homes, k):
            continue
        if since >= EXCHANGES_KEPT:
            status, since = _start(matrix, limits, tableau, basic, other)
            exchanges += since
            since = 0
            if status != OPTIMAL:
                return status, solved, exchanges, again
        _set_objective(tableau, basic, other, objectives[k])
        status, steps = _maximise(tableau, basic, other)
        since += steps
        exchanges += steps
        _solution(matrix, limits, tableau, basic, other, solutions[k])
        if status != OPTIMAL or not _holds(
            matrix, limits, objectives[k], tableau, other, solutions[k]
        ):
            again += 1
            status, steps = _start(matrix, limits, tableau, basic, other)
            _set_objective(tableau, basic, other, objectives[k])
            status, since = _maximise(tableau, basic, other)
            exchanges += steps + since
            _solution(matrix, limits, tableau, basic, other, solutions[k])
            if status != OPTIMAL or not _holds(
                matrix, limits, objectives[k], tableau, other, solutions[k]
            ):
                since = EXCHANGES_KEPT
                continue
        solved += 1
        values[k] = _product(objectives[k], solutions[k])
        homes[k] = k
        _share(objectives, bounds, values, solutions, homes, k)
    return OPTIMAL, solved, exchanges, again


@compiled
def solve_one(matrix: Any, limits: Any, objective: Any, solution: Any, duals: Any) -> Any:
    """Maximise one objective; limits may be of either sign. Returns (status, exchanges)."""
    rows, columns = matrix.shape
    tableau = np.empty((rows + 1, columns + 1))
    basic = np.empty(rows, np.int64)
    other = np.empty(columns, np.int64)
    status, started = _start(matrix, limits, tableau, basic, other)
    if status != OPTIMAL:
        return status, started
    _set_objective(tableau, basic, other, objective)
    status, steps = _maximise(tableau, basic, other)
    _solution(matrix, limits, tableau, basic, other, solution)
    for i in range(rows):
        duals[i] = 0.0
    for j in range(columns):
        if other[j] >= columns:
            duals[other[j] - columns] = max(0.0, -tableau[rows, j])
    return status, started + steps


@compiled
def _start(matrix: Any, limits: Any, tableau: Any, basic: Any, other: Any) -> Any:
    """The tableau of a point that keeps all limits: 0, or where a limit is negative, a corner.

    The corner is that of the smallest sum of x: minus this sum is the objective of a tableau that
    the dual simplex method can begin with, which is the primal one on the tableau turned over.
    """
    rows, columns = matrix.shape
    feasible = True
    for i in range(rows):
        basic[i] = columns + i
        tableau[i, columns] = limits[i]
        feasible = feasible and limits[i] >= 0.0
        for j in range(columns):
            tableau[i, j] = matrix[i, j]
    for j in range(columns):
        other[j] = j
        tableau[rows, j] = -1.0
    tableau[rows, columns] = 0.0
    if feasible:
        return OPTIMAL, 0
    turned = np.empty((columns + 1, rows + 1))
    _turn(tableau, turned)
    status, steps = _maximise(turned, other, basic)
    _turn(turned, tableau)
    for i in range(rows):
        tableau[i, columns] = max(tableau[i, columns], 0.0)
    return (INFEASIBLE if status == UNBOUNDED else status), steps


@compiled
def _turn(tableau: Any, turned: Any) -> None:
    """Minus the transpose: rows become columns, limits become costs."""
    for i in range(tableau.shape[0]):
        for j in range(tableau.shape[1]):
            turned[j, i] = -tableau[i, j]


@compiled
def _set_objective(tableau: Any, basic: Any, other: Any, objective: Any) -> None:
    """The reduced costs of `objective` at the present corner."""
    rows, columns = len(basic), len(other)
    for j in range(columns):
        tableau[rows, j] = objective[other[j]] if other[j] < columns else 0.0
    tableau[rows, columns] = 0.0
    for i in range(rows):
        weight = objective[basic[i]] if basic[i] < columns else 0.0
        if weight != 0.0:
            for j in range(columns + 1):
                tableau[rows, j] -= weight * tableau[i, j]


@compiled
def _maximise(tableau: Any, basic: Any, other: Any) -> Any:
    """Exchange variables until no reduced cost is positive. Returns (status, exchanges)."""
    rows, columns = len(basic), len(other)
    stalled = 0
    for step in range(50 * (rows + columns) + 1000):
        column = _entering(tableau, other, stalled >= STALLED)
        if column < 0:
            return OPTIMAL, step
        row = _leaving(tableau, basic, column, stalled >= STALLED)
        if row < 0 and tableau[rows, column] > SMALLEST_PIVOT:
            return UNBOUNDED, step
        if row < 0:
            # A gain of rounding along a column of rounding: there is nothing to be had.
            tableau[rows, column] = 0.0
            continue
        stalled = stalled + 1 if tableau[row, columns] <= ZERO * tableau[row, column] else 0
        _exchange(tableau, row, column)
        basic[row], other[column] = other[column], basic[row]
    return UNFINISHED, 50 * (rows + columns) + 1000


@compiled
def _entering(tableau: Any, other: Any, lowest: bool) -> int:
    """The column of the largest reduced cost, or the variable of the lowest number; -1: none."""
    rows, columns = tableau.shape[0] - 1, tableau.shape[1] - 1
    found, highest = -1, ZERO
    for j in range(columns):
        cost = tableau[rows, j]
        if lowest:
            if cost > ZERO and (found < 0 or other[j] < other[found]):
                found = j
        elif cost > highest:
            found, highest = j, cost
    return found


@compiled
def _leaving(tableau: Any, basic: Any, column: int, lowest: bool) -> int:
    """The row whose limit is met first; the largest pivot among ties, or the lowest number."""
    rows, columns = tableau.shape[0] - 1, tableau.shape[1] - 1
    nearest = np.inf
    for i in range(rows):
        pivot = tableau[i, column]
        if pivot > SMALLEST_PIVOT and tableau[i, columns] < nearest * pivot:
            nearest = tableau[i, columns] / pivot
    found = -1
    for i in range(rows):
        pivot = tableau[i, column]
        if pivot > SMALLEST_PIVOT and tableau[i, columns] <= (nearest + TIED) * pivot:
            if found < 0:
                found = i
            elif lowest:
                if basic[i] < basic[found]:
                    found = i
            elif pivot > tableau[found, column]:
                found = i
    return found


@compiled
def _exchange(tableau: Any, row: int, column: int) -> None:
    """Let the variable of `column` take the place of that of `row`."""
    height, width = tableau.shape
    inverse = 1.0 / tableau[row, column]
    for j in range(width):
        tableau[row, j] *= inverse
    tableau[row, column] = inverse
    for i in range(height):
        factor = tableau[i, column]
        if i == row or factor == 0.0:
            continue
        tableau[i, column] = 0.0
        for j in range(width):
            tableau[i, j] -= factor * tableau[row, j]
        # Rounding must not make a limit negative; the sum of costs in the last row may be.
        if i < height - 1 and -ALLOWED < tableau[i, width - 1] < 0.0:
            tableau[i, width - 1] = 0.0


@compiled
def _solution(
    matrix: Any, limits: Any, tableau: Any, basic: Any, other: Any, solution: Any
) -> None:
    """The corner, with the rounding of the tableau taken out once.

    A row whose slack is no basic variable holds with equality; what it misses, computed from the
    data, times its column of the tableau is what the basic variables are off by.
    """
    columns = len(solution)
    for j in range(columns):
        solution[j] = 0.0
    for i in range(len(basic)):
        if basic[i] < columns:
            solution[basic[i]] = tableau[i, columns]
    missed = np.zeros(columns)
    for j in range(columns):
        if other[j] >= columns:
            row = other[j] - columns
            missed[j] = limits[row] - _product(matrix[row], solution)
    for i in range(len(basic)):
        if basic[i] < columns:
            corrected = solution[basic[i]] + _product(missed, tableau[i])
            solution[basic[i]] = max(0.0, corrected)


@compiled
def _holds(
    matrix: Any, limits: Any, objective: Any, tableau: Any, other: Any, solution: Any
) -> bool:
    """Whether the solution and its prices keep their constraints, computed from the data."""
    rows, columns = matrix.shape
    missing = np.empty(columns)
    allowed = ALLOWED
    for j in range(columns):
        missing[j] = objective[j]
        # A sum with weights in the millions is itself only known to some 1e-16 of them a term;
        # weights beyond that are not believed.
        allowed = max(allowed, min(1e-14 * solution[j], 100.0 * ALLOWED))
    for i in range(rows):
        if _product(matrix[i], solution) > limits[i] + allowed:
            return False
    worth = 0.0
    for j in range(columns):
        if other[j] >= columns:
            price = max(0.0, -tableau[rows, j])
            row = other[j] - columns
            worth += price * limits[row]
            for feature in range(columns):
                missing[feature] -= price * matrix[row, feature]
    for j in range(columns):
        if missing[j] > ALLOWED:
            return False
    return abs(worth - _product(objective, solution)) <= allowed


@compiled
def _borrowed(objectives: Any, values: Any, solutions: Any, homes: Any, k: int) -> bool:
    """Take the solution of an earlier program with the same objective, if there is one."""
    for earlier in range(k):
        if homes[earlier] == earlier and _same(objectives[earlier], objectives[k]):
            _lend(values, solutions, homes, earlier, k, values[earlier])
            return True
    return False


@compiled
def _share(
    objectives: Any, bounds: Any, values: Any, solutions: Any, homes: Any, home: int
) -> None:
    """Give the solution to all programs for which it reaches the bound."""
    for k in range(len(objectives)):
        if homes[k] == -1:
            value = _product(objectives[k], solutions[home])
            if value >= bounds[k] - ZERO:
                _lend(values, solutions, homes, home, k, value)


@compiled
def _lend(values: Any, solutions: Any, homes: Any, home: int, k: int, value: float) -> None:
    """Program k has the solution of `home`, where its objective is `value`."""
    values[k] = value
    homes[k] = home
    for j in range(solutions.shape[1]):
        solutions[k, j] = solutions[home, j]


@compiled
def _same(one: Any, other: Any) -> bool:
    j = 0
    while j < len(one) and one[j] == other[j]:
        j += 1
    return j == len(one)


@compiled
def _product(one: Any, other: Any) -> float:
    """Over the length of `one`; `other` may be longer."""
    total = 0.0
    for j in range(len(one)):
        total += one[j] * other[j]
    return total
