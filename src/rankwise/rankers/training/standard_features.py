"""Features counted from their mean in their deviation: what networks start from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError

Floats = NDArray[np.float64]


def find_standard(train: Dataset) -> tuple[Floats, Floats]:
    """The mean of every feature, and its deviation from it; 1 for a constant feature."""
    with np.errstate(over="ignore", invalid="ignore"):
        means = train.features.mean(axis=0)
        scales = np.sqrt(((train.features - means) ** 2).mean(axis=0))
    if not np.isfinite(scales).all():
        column = int(np.flatnonzero(~np.isfinite(scales))[0]) + 1
        raise RankwiseError(
            "features must have squares that a number can hold (below about 1e150), "
            f"found larger ones in feature {column}; scale it down first"
        )
    # The mean of equal numbers may differ from them in the last bits.
    constant = scales <= 1e-12 * np.abs(means)
    return means, np.where(constant, 1.0, scales)


def draw_weights(inputs: int, outputs: int, rng: np.random.Generator) -> Floats:
    """(outputs, inputs), uniform within √(6 / (inputs + outputs)): Glorot and Bengio (2010)."""
    bound = np.sqrt(6.0 / (inputs + outputs))
    return rng.uniform(-bound, bound, (outputs, inputs))
