"""The walk of documents through flat trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

# LightGBM's kZeroThreshold, a single precision number.
NEARLY_ZERO = float(np.float32(1e-35))
# So many rows stay in the processor's cache while all trees pass over them.
_ROWS_IN_A_BLOCK = 256


@compiled
def add_leaves(
    features: NDArray[np.float64],
    columns: NDArray[np.int64],
    thresholds: NDArray[np.float64],
    missing: NDArray[np.int64],
    missing_left: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    roots: NDArray[np.int64],
    values: NDArray[np.float64],
    first: int,
    last: int,
    total: NDArray[np.float64],
) -> None:
    """Add the leaf that each row from `first` to before `last` reaches in each tree to `total`."""
    for begin in range(first, last, _ROWS_IN_A_BLOCK):
        end = min(begin + _ROWS_IN_A_BLOCK, last)
        for root in roots:
            for row in range(begin, end):
                node = root
                while node >= 0:
                    value = features[row, columns[node]]
                    rule = missing[node]
                    if rule != 2 and np.isnan(value):
                        value = 0.0
                    if (rule == 2 and np.isnan(value)) or (
                        rule == 1 and -NEARLY_ZERO <= value <= NEARLY_ZERO
                    ):
                        goes_left = missing_left[node] == 1
                    else:
                        goes_left = value <= thresholds[node]
                    node = left[node] if goes_left else right[node]
                total[row] += values[-1 - node]
