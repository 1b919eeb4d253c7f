"""The squared hinge over listed pairs, and problems with ℓ1 terms by scipy, for sparse rankers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from rankwise.data.dataset import Dataset
from tests.rankers.svm_data import listed_pairs

Floats = NDArray[np.float64]


def differences(dataset: Dataset) -> Floats:
    """(pairs, features) x_i − x_j of the pairs with y_i > y_j."""
    pairs = listed_pairs(dataset)
    return dataset.features[pairs[:, 0]] - dataset.features[pairs[:, 1]]


def mean_squared_hinge(apart: Floats, weights: Floats) -> float:
    """1/|P| Σ max(0, 1 − w · (x_i − x_j))²."""
    return float((np.maximum(0.0, 1.0 - apart @ weights) ** 2).mean())


def cheapest(
    dataset: Dataset, rising: Floats, falling: Floats, quadratic: Floats | None = None
) -> tuple[float, Floats]:
    """The least of a · u + b · v + ½ w · Qw + mean squared hinge, w = u − v, u ≥ 0, v ≥ 0.

    Every feature beside its negative, weights not negative, by scipy's L-BFGS-B.
    """
    apart, width = differences(dataset), dataset.n_features
    bent = np.zeros((width, width)) if quadratic is None else quadratic
    prices = np.concatenate([rising, falling])

    def objective(both: Floats) -> tuple[float, Floats]:
        weights = both[:width] - both[width:]
        hinges = np.maximum(0.0, 1.0 - apart @ weights)
        value = prices @ both + weights @ bent @ weights / 2 + (hinges**2).mean()
        slopes = bent @ weights - 2.0 * (hinges @ apart) / len(apart)
        return value, prices + np.concatenate([slopes, -slopes])

    found = minimize(
        objective,
        np.zeros(2 * width),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * (2 * width),
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 20_000, "maxfun": 100_000},
    )
    return float(found.fun), found.x[:width] - found.x[width:]


def least_in_ball(dataset: Dataset, radius: float) -> float:
    """The least mean squared hinge with ‖w‖₁ ≤ r, by scipy's SLSQP on weights split by sign."""
    apart, width = differences(dataset), dataset.n_features

    def objective(both: Floats) -> tuple[float, Floats]:
        hinges = np.maximum(0.0, 1.0 - apart @ (both[:width] - both[width:]))
        slopes = -2.0 * (hinges @ apart) / len(apart)
        return float((hinges**2).mean()), np.concatenate([slopes, -slopes])

    found = minimize(
        objective,
        np.full(2 * width, radius / (4 * width)),
        jac=True,
        method="SLSQP",
        bounds=[(0.0, None)] * (2 * width),
        constraints={
            "type": "ineq",
            "fun": lambda both: radius - both.sum(),
            "jac": lambda both: -np.ones(2 * width),
        },
        options={"ftol": 1e-14, "maxiter": 2000},
    )
    assert found.success, found.message
    return float(found.fun)
