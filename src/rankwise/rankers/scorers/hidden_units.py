"""Matrices of hidden units in model files, which may be hostile: units by features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.json_values import numbers

Floats = NDArray[np.float64]


def read_units(
    values: Mapping[str, Any], names: tuple[str, ...], matrices: tuple[str, ...]
) -> dict[str, Floats]:
    """Lists of numbers by name; `matrices` become rows of as many numbers as there are `means`."""
    found = {name: numbers(values, name) for name in names}
    width = len(found["means"])
    for name in matrices:
        if not width or len(found[name]) % width:
            raise RankwiseError(
                f"the {name} of a model file must be rows of one number per feature ({width}), "
                f"found {len(found[name])} numbers"
            )
        found[name] = found[name].reshape(-1, width)
    return found


def check_units(what: str, matrix: Floats, weights: Floats, means: Floats, scales: Floats) -> None:
    """Refuse a matrix that has not a row a weight and a column a feature, or scales of 0."""
    if not len(means) or matrix.shape != (len(weights), len(means)) or not len(weights):
        raise RankwiseError(
            f"{what} must have a row of weights for each of its units ({len(weights)}) and a "
            f"column for each of its features ({len(means)}), found shape {matrix.shape}"
        )
    if scales.shape != means.shape or not np.all(scales > 0.0):
        raise RankwiseError(f"{what} must have a scale above 0 for each feature, found others")
