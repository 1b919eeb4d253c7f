"""The steps that several scales share, safe for values near the largest and smallest doubles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def standardized(
    values: NDArray[np.float64], center: NDArray[np.float64], spread: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(values − center) / spread, and 0 where spread is 0; NULL stays NULL.

    A quotient beyond the largest double becomes the largest double.
    """
    with np.errstate(over="ignore"):
        shifted = values - center
        if np.isinf(shifted).any():
            shifted, spread = values / 2 - center / 2, spread / 2
        np.divide(shifted, spread, out=shifted, where=spread != 0)
    largest = np.finfo(np.float64).max
    np.clip(shifted, -largest, largest, out=shifted)
    np.copyto(shifted, 0.0, where=(spread == 0) & ~np.isnan(values))
    return shifted


def power_of_two(largest: NDArray[np.float64]) -> NDArray[np.float64]:
    """The power of two p with p <= largest < 2 p; 1 where largest is 0 or NaN.

    Division by p is exact, so a scale that does not depend on the unit of its feature keeps its
    value to the bit, while sums and squares of the quotients neither overflow nor vanish.
    """
    exponent = np.frexp(largest)[1] - 1
    usual = np.isfinite(largest) & (largest > 0)
    return np.ldexp(1.0, np.where(usual, exponent, 0))
