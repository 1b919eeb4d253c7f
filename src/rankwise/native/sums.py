"""Sums in one order of summation, which no library and no thread changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def dot(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """The inner product, in an order of summation that no BLAS library decides."""
    return float((left * right).sum())
