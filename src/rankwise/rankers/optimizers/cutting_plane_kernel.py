"""The small quadratic program of cutting planes, by sequential minimal optimisation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled


@compiled
def simplex_program(
    products: NDArray[np.float64],
    offsets: NDArray[np.float64],
    start: NDArray[np.float64],
    tolerance: float,
    steps: int,
) -> NDArray[np.float64]:
    """Minimise ½ αᵀQα − bᵀα over α ≥ 0, Σ α = 1, from a feasible start.

    Each step moves weight from one part to another: to the part of the lowest gradient, from the
    part that promises the largest fall (Fan, Chen, Lin 2005, JMLR 6). Ends where no exchange has a
    slope above the tolerance, which then bounds the distance to the minimum.
    """
    shares = start.copy()
    gradient = -offsets
    size = len(offsets)
    for row in range(size):
        if shares[row] > 0.0:
            for column in range(size):
                gradient[column] += products[row, column] * shares[row]
    for _ in range(steps):
        gainer = int(np.argmin(gradient))
        loser, widest = _loser(products, gradient, shares, gainer)
        if widest <= tolerance:
            break
        curvature = _curvature(products, gainer, loser)
        moved = min(shares[loser], (gradient[loser] - gradient[gainer]) / curvature)
        # The whole share is set to 0, not subtracted: rounding would leave a rest.
        shares[loser] = 0.0 if moved == shares[loser] else shares[loser] - moved
        shares[gainer] += moved
        for row in range(size):
            gradient[row] += moved * (products[row, gainer] - products[row, loser])
    shares /= shares.sum()
    return shares


@compiled
def _loser(
    products: NDArray[np.float64],
    gradient: NDArray[np.float64],
    shares: NDArray[np.float64],
    gainer: int,
) -> tuple[int, float]:
    """The part to take weight from, and the steepest slope of any exchange with `gainer`."""
    loser = gainer
    promised = 0.0
    widest = 0.0
    for row in range(len(gradient)):
        slope = gradient[row] - gradient[gainer]
        if shares[row] > 0.0 and slope > 0.0:
            widest = max(widest, slope)
            fall = slope * slope / _curvature(products, gainer, row)
            if fall > promised:
                promised = fall
                loser = row
    return loser, widest


@compiled
def _curvature(products: NDArray[np.float64], one: int, other: int) -> float:
    squares = products[one, one] + products[other, other]
    # Equal cuts differ by rounding only; any small positive number lets the step be clipped.
    return float(max(squares - 2.0 * products[one, other], 1e-15 * squares + 1e-300))
