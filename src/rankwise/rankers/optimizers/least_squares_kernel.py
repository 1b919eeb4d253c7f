"""Householder reflections in a fixed order of summation: no library and no thread moves a bit.

Matrices are held column by column: `columns[j]` is column j, so that all loops run along memory.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]


@compiled
def absorb(columns: Floats) -> None:
    """Reduce a triangle with more rows below it to a triangle; what lies below it is spent.

    Of n columns, the first n rows are the triangle, of which only what is on and above the
    diagonal is read. The triangle T of the result has T'T = A'A, A being what came in.
    """
    width = len(columns)
    for column in range(width):
        _reflect(columns, column, width)


@compiled
def minimal_norm(columns: Floats, target: Floats, tolerance: float) -> tuple[Floats, int]:
    """The x of least norm among those that minimise ‖A x − target‖, and the rank of A.

    A complete orthogonal decomposition: QR with the largest remaining column first, until what
    remains is below `tolerance` times the first, then QR of the transpose of what was found. Both
    arguments are spent.
    """
    width = len(columns)
    order = np.arange(width)
    rank = _pivoted_triangle(columns, target, order, tolerance)
    transposed = np.zeros((rank, width))
    for row in range(rank):
        for column in range(row, width):
            transposed[row, column] = columns[column, row]
    factors = np.zeros(rank)
    for row in range(rank):
        factors[row] = _reflect(transposed, row, row + 1)
    found = np.zeros(width)
    for row in range(rank):
        rest = target[row]
        for other in range(row):
            rest -= transposed[row, other] * found[other]
        found[row] = rest / transposed[row, row]
    for row in range(rank - 1, -1, -1):
        _apply(found, transposed[row], row, row + 1, factors[row])
    solution = np.zeros(width)
    for place in range(width):
        solution[order[place]] = found[place]
    return solution, rank


@compiled
def _pivoted_triangle(
    columns: Floats, target: Floats, order: NDArray[np.int64], tolerance: float
) -> int:
    """QR in place with pivoting; `order` tells which columns came where. Returns the rank."""
    width = len(columns)
    largest = 0.0
    for step in range(width):
        best = step
        best_squares = -1.0
        for column in range(step, width):
            squares = _dot(columns[column], columns[column], step)
            if squares > best_squares:
                best, best_squares = column, squares
        norm = math.sqrt(best_squares)
        largest = max(largest, norm)
        if norm <= tolerance * largest:
            return step
        for row in range(columns.shape[1]):
            kept = columns[step, row]
            columns[step, row] = columns[best, row]
            columns[best, row] = kept
        order[step], order[best] = order[best], order[step]
        factor = _reflect(columns, step, step + 1)
        _apply(target, columns[step], step, step + 1, factor)
    return width


@compiled
def _reflect(columns: Floats, column: int, start: int) -> float:
    """Zero the entries of a column from row `start` on by reflecting them onto its diagonal.

    The reflection is I − τ v v', v being 1 at the diagonal; its other entries take the place of
    the zeros. It is applied to all later columns. Returns τ.
    """
    own = columns[column]
    squares = _dot(own, own, start)
    if squares == 0.0:
        return 0.0
    before = float(own[column])
    after = -math.copysign(math.sqrt(before * before + squares), before)
    for row in range(start, len(own)):
        own[row] /= before - after
    own[column] = after
    factor = (after - before) / after
    # Two columns at a time: the sums of one wait less while those of the other are added.
    last = len(columns) - 1
    for other in range(column + 1, last, 2):
        _apply_to_two(columns[other], columns[other + 1], own, column, start, factor)
    if (last - column) % 2:
        _apply(columns[last], own, column, start, factor)
    return factor


@compiled
def _apply(target: Floats, mirror: Floats, diagonal: int, start: int, factor: float) -> None:
    total = (target[diagonal] + _dot(mirror, target, start)) * factor
    target[diagonal] -= total
    for row in range(start, len(target)):
        target[row] -= total * mirror[row]


@compiled
def _apply_to_two(
    target: Floats, second: Floats, mirror: Floats, diagonal: int, start: int, factor: float
) -> None:
    """`_apply` to two columns, with the same sums in the same order."""
    a = b = c = d = 0.0
    e = f = g = h = 0.0
    length = len(mirror)
    whole = start + (length - start) // 4 * 4
    for row in range(start, whole, 4):
        a += mirror[row] * target[row]
        b += mirror[row + 1] * target[row + 1]
        c += mirror[row + 2] * target[row + 2]
        d += mirror[row + 3] * target[row + 3]
        e += mirror[row] * second[row]
        f += mirror[row + 1] * second[row + 1]
        g += mirror[row + 2] * second[row + 2]
        h += mirror[row + 3] * second[row + 3]
    for row in range(whole, length):
        a += mirror[row] * target[row]
        e += mirror[row] * second[row]
    total = (target[diagonal] + ((a + b) + (c + d))) * factor
    other = (second[diagonal] + ((e + f) + (g + h))) * factor
    target[diagonal] -= total
    second[diagonal] -= other
    for row in range(start, length):
        target[row] -= total * mirror[row]
        second[row] -= other * mirror[row]


@compiled
def _dot(left: Floats, right: Floats, start: int) -> float:
    """Σ left_i right_i from row `start` on; four sums, as one alone waits for each addition."""
    first = second = third = fourth = 0.0
    length = len(left)
    whole = start + (length - start) // 4 * 4
    for row in range(start, whole, 4):
        first += left[row] * right[row]
        second += left[row + 1] * right[row + 1]
        third += left[row + 2] * right[row + 2]
        fourth += left[row + 3] * right[row + 3]
    for row in range(whole, length):
        first += left[row] * right[row]
    return (first + second) + (third + fourth)
