"""How many clicks decide, where each has a weight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Weights explode where the clicks are worth a smaller share of as many of equal weight.
SMALL_SHARE = 0.05


def weigh(weights: Floats) -> tuple[float, float]:
    """As many clicks of equal weight would tell as much, and the share of the heaviest."""
    if len(weights) == 0:
        return 0.0, 0.0
    shares = weights / weights.max()
    total = float(shares.sum())
    return total**2 / float((shares**2).sum()), 1.0 / total
