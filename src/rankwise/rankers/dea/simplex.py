"""A dense simplex method for many linear programs that share their constraints.

Every program is: maximise c · x subject to A x <= b, x >= 0. simplex.c says how.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S_OUT, function
from rankwise.native.arrays import Floats, Integers

OPTIMAL = 0
UNBOUNDED = 1
UNFINISHED = 2
INFEASIBLE = 3

_REGION = (DOUBLES, DOUBLES, INT64, INT64)
_ROOM = (DOUBLES_OUT, INT64S_OUT, INT64S_OUT)
_solve_family = function(
    "rankwise_solve_family",
    *(*_REGION, DOUBLES, DOUBLES, INT64, DOUBLES_OUT, DOUBLES_OUT, INT64S_OUT, *_ROOM),
    returns=INT64,
)
_solve_one = function(
    "rankwise_solve_one",
    *(*_REGION, DOUBLES, DOUBLES_OUT, DOUBLES_OUT, *_ROOM),
    returns=INT64,
)


def solve_family(
    matrix: Floats,
    limits: Floats,
    objectives: Floats,
    bounds: Floats,
    values: Floats,
    solutions: Floats,
    homes: Integers,
) -> tuple[int, int, int, int]:
    """Maximise every row of `objectives` over the one region matrix · x <= limits, x >= 0.

    `bounds[k]` is a limit that objective k can never exceed: where a solution reaches it, it is
    optimal for k too (Theorem 1 of DEARank), and k is not solved again; nor is an objective equal
    to an earlier one. `homes[k]` becomes the number of the program whose solution k has, -1 on
    entry for those to be solved, and still -1 where rounding kept a solution from passing the check
    even from a fresh start. Returns (INFEASIBLE, UNFINISHED or OPTIMAL for the region, programs
    solved, exchanges made, programs solved a second time from the data).
    """
    count, columns = objectives.shape
    shapes = {"objectives": (count, matrix.shape[1]), "bounds": (count,), "values": (count,),
              "solutions": (count, columns), "homes": (count,)}  # fmt: skip
    _require_shapes(shapes, objectives=objectives, bounds=bounds, values=values,
                    solutions=solutions, homes=homes)  # fmt: skip
    room, places = _room(matrix, limits)
    counts = np.empty(3, np.int64)
    status = _solve_family(
        *_region(matrix, limits),
        np.ascontiguousarray(objectives),
        np.ascontiguousarray(bounds),
        count,
        values,
        solutions,
        homes,
        room,
        places,
        counts,
    )
    solved, exchanges, again = counts.tolist()
    return status, solved, exchanges, again


def solve_one(
    matrix: Floats, limits: Floats, objective: Floats, solution: Floats, duals: Floats
) -> tuple[int, int]:
    """Maximise one objective; limits may be of either sign. Returns (status, exchanges)."""
    rows, columns = matrix.shape
    shapes = {"objective": (columns,), "solution": (columns,), "duals": (rows,)}
    _require_shapes(shapes, objective=objective, solution=solution, duals=duals)
    exchanges = np.empty(1, np.int64)
    status = _solve_one(
        *_region(matrix, limits),
        np.ascontiguousarray(objective),
        solution,
        duals,
        *_room(matrix, limits),
        exchanges,
    )
    return status, int(exchanges[0])


def _region(matrix: Floats, limits: Floats) -> tuple[Floats, Floats, int, int]:
    rows, columns = matrix.shape
    return np.ascontiguousarray(matrix), np.ascontiguousarray(limits), rows, columns


def _room(matrix: Floats, limits: Floats) -> tuple[Floats, Integers]:
    """For the tableau, the same turned over, and a row; for the variables of both sides."""
    rows, columns = matrix.shape
    _require_shapes({"limits": (rows,)}, limits=limits)
    return np.empty(2 * (rows + 1) * (columns + 1) + columns), np.empty(rows + columns, np.int64)


def _require_shapes(shapes: Mapping[str, tuple[int, ...]], **arrays: NDArray[np.generic]) -> None:
    for name, array in arrays.items():
        if array.shape != shapes[name]:
            raise ValueError(f"{name} of the shape {shapes[name]} are needed, found {array.shape}")
