"""What tests of losses share: slopes by differences, queries one by one, scipy's minimum."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from rankwise.data.dataset import Dataset

Floats = NDArray[np.float64]


def slopes_by_differences(value: Callable[[Floats], float], at: Floats, step: float = 1e-6):
    """The slope of a function of numbers in each of them."""
    moves = step * np.eye(len(at))
    return np.array([(value(at + move) - value(at - move)) / (2 * step) for move in moves])


def queries_of(dataset: Dataset) -> Iterator[slice]:
    """The rows of every query."""
    offsets = dataset.query_offsets
    return map(slice, offsets[:-1], offsets[1:])


def scores_of(dataset: Dataset, seed: int = 0, scale: float = 1.0) -> Floats:
    """Some scores."""
    return scale * np.random.default_rng(seed).normal(size=dataset.n_documents)


def sigma(value):
    """The logistic function."""
    return 1 / (1 + np.exp(-value))


def lowest_objective(dataset: Dataset, loss: Callable[[Floats], float], regularization: float):
    """The minimum of λ/2 ‖w‖² + loss(Xw) as scipy finds it, from values alone."""

    def objective(weights: Floats) -> float:
        return regularization / 2 * weights @ weights + loss(dataset.features @ weights)

    start = np.zeros(dataset.n_features)
    return minimize(objective, start, method="BFGS", options={"gtol": 1e-7}).fun
