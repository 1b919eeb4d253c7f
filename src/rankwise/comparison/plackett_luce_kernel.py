"""The likelihood of rankings under Plackett and Luce, with its gradient, in one pass each way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled


@compiled
def log_likelihood(
    strength: NDArray[np.float64],
    method: NDArray[np.int64],
    cell_first: NDArray[np.int64],
    level_first: NDArray[np.int64],
    gradient: NDArray[np.float64],
) -> float:
    """Σ over results with something below: λ_i - log(exp(λ_i) + Σ_{j below} exp(λ_j)).

    Results rise in value inside each cell; a result's equals begin at `level_first`. The slopes
    are added to `gradient`.
    """
    total = 0.0
    below = np.zeros(len(method))
    chosen = np.zeros(len(method))
    running = 0.0
    for i in range(len(method)):
        if i == cell_first[i]:
            running = 0.0
        below[i] = running if i == level_first[i] else below[i - 1]
        weight = np.exp(strength[method[i]])
        running += weight
        if level_first[i] > cell_first[i]:
            whole = weight + below[i]
            total += strength[method[i]] - np.log(whole)
            gradient[method[i]] += below[i] / whole
            chosen[i] = 1.0 / whole
    # What lies below a choice was passed over with chance weight / whole, for every choice above.
    above = 0.0
    pending = 0.0
    for i in range(len(method) - 1, -1, -1):
        if i == len(method) - 1 or cell_first[i + 1] != cell_first[i]:
            above = 0.0
            pending = 0.0
        elif level_first[i + 1] != level_first[i]:
            above += pending
            pending = 0.0
        gradient[method[i]] -= np.exp(strength[method[i]]) * above
        pending += chosen[i]
    return total
