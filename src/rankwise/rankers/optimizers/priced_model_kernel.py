"""The minimum of a parabola with prices on the size of each weight, one weight after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled


@compiled
def minimise_model(
    hessian: NDArray[np.float64],
    gradient: NDArray[np.float64],
    rising: NDArray[np.float64],
    falling: NDArray[np.float64],
    weights: NDArray[np.float64],
    slope: float,
    sweeps: int,
) -> NDArray[np.float64]:
    """The v of least g · (v − w) + ½ (v − w) · H(v − w) + Σ_j (a_j max(0, v_j) + b_j max(0, −v_j)).

    Each weight in turn takes the value that is best while the others stay; sweeps end where no
    weight would change the gradient by more than `slope`.
    """
    found = weights.copy()
    slopes = gradient.copy()
    for _ in range(sweeps):
        largest = 0.0
        for j in range(len(found)):
            bend = hessian[j, j]
            if bend <= 0.0:
                continue
            target = bend * found[j] - slopes[j]
            value = 0.0
            if target > rising[j]:
                value = (target - rising[j]) / bend
            elif target < -falling[j]:
                value = (target + falling[j]) / bend
            change = value - found[j]
            if change != 0.0:
                found[j] = value
                for k in range(len(found)):
                    slopes[k] += change * hessian[j, k]
                largest = max(largest, abs(change) * bend)
        if largest <= slope:
            break
    return found
