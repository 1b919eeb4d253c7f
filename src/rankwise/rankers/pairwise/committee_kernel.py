"""How long a linear function orders pairs as they should be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def first_mistake(
    features: Floats, weights: Floats, better: Integers, worse: Integers, start: int
) -> int:
    """The first pair from `start` on with w · (x_better − x_worse) ≤ 0; their number if none."""
    for pair in range(start, len(better)):
        apart = 0.0
        for column in range(len(weights)):
            difference = features[better[pair], column] - features[worse[pair], column]
            apart += weights[column] * difference
        if not apart > 0.0:
            return pair
    return len(better)
