"""Householder reflections in a fixed order of summation: no library and no thread moves a bit.

Matrices are held column by column: `columns[j]` is column j.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.native import DOUBLE, DOUBLES_OUT, INT64, INT64S_OUT, function

Floats = NDArray[np.float64]

_absorb_rows = function("rankwise_absorb_rows", DOUBLES_OUT, INT64, INT64)
_absorb_diagonal = function("rankwise_absorb_diagonal", DOUBLES_OUT, INT64, INT64)
_minimal_norm = function(
    "rankwise_minimal_norm", DOUBLES_OUT, DOUBLES_OUT, INT64, INT64, DOUBLE, INT64S_OUT,
    DOUBLES_OUT, DOUBLES_OUT, returns=INT64,
)  # fmt: skip


def absorb(columns: Floats) -> None:
    """Reduce a triangle with more rows below it to a triangle; what lies below it is spent.

    Of n columns, the first n rows are the triangle, of which only what is on and above the
    diagonal is read. The triangle T of the result has T'T = A'A, A being what came in.
    """
    _absorb_rows(columns, *columns.shape)


def absorb_diagonal(columns: Floats) -> None:
    """As `absorb`, in half the time, where column j has nothing below the first j + 1 rows more."""
    _absorb_diagonal(columns, *columns.shape)


def minimal_norm(columns: Floats, target: Floats, tolerance: float) -> tuple[Floats, int]:
    """The x of least norm among those that minimise ‖A x − target‖, and the rank of A.

    A complete orthogonal decomposition: QR with the largest remaining column first, until what
    remains is below `tolerance` times the first, then QR of the transpose of what was found. Both
    arguments are spent.
    """
    width, length = columns.shape
    order, solution = np.empty(width, dtype=np.int64), np.empty(width)
    room = np.empty(width * (width + 2))
    rank = _minimal_norm(columns, target, width, length, tolerance, order, room, solution)
    return solution, int(rank)
