"""A hidden layer that nobody trains: nodes with weights drawn at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.network import ACTIVATIONS, Network

Floats = NDArray[np.float64]

LAYER_ACTIVATIONS = ("linear", *ACTIVATIONS)

_ROWS_IN_A_BLOCK = 512


@dataclass(frozen=True, eq=False)
class RandomLayer:
    """h_l(x) = √(3 / L) a(v_l · (x − mean) / scale + b_l) for the nodes l = 1 … L.

    v_l is uniform on [−1, 1] in every feature and b_l on [0, 1]. The factor makes the kernel of
    linear nodes, Σ_l h_l(x) h_l(x'), that of the features themselves in the mean, for any L.

    Attributes:
        weights: (nodes, features): v.
        biases: b.
        means: what is subtracted from each feature.
        scales: what it is then divided by: its standard deviation where that is above 1.
        activation: a, one of `LAYER_ACTIVATIONS`.
    """

    weights: Floats
    biases: Floats
    means: Floats
    scales: Floats
    activation: str

    @classmethod
    def draw(
        cls, train: Dataset, nodes: int, activation: str, rng: np.random.Generator
    ) -> RandomLayer:
        """Nodes for features as those of `train`."""
        weights = rng.uniform(-1.0, 1.0, (nodes, train.n_features))
        biases = rng.uniform(0.0, 1.0, nodes)
        with np.errstate(over="ignore", invalid="ignore"):
            means = train.features.mean(axis=0)
            spreads = np.sqrt(np.square(train.features - means).mean(axis=0))
        if not np.isfinite(spreads).all():
            column = int(np.flatnonzero(~np.isfinite(spreads))[0]) + 1
            raise RankwiseError(
                "features must have squares that a number can hold (below about 1e150), "
                f"found larger ones in feature {column}; scale it down first"
            )
        return cls(weights, biases, means, np.maximum(spreads, 1.0), activation)

    @property
    def factor(self) -> float:
        """√(3 / L)."""
        return float(np.sqrt(3.0 / len(self.weights)))

    def outputs(self, features: Floats) -> Floats:
        """(rows, nodes): h of every row."""
        found = np.empty((len(features), len(self.weights)))
        for first in range(0, len(features), _ROWS_IN_A_BLOCK):
            rows = slice(first, first + _ROWS_IN_A_BLOCK)
            inputs = (features[rows] - self.means) / self.scales
            # Not a matrix product, whose last bits may depend on the number of threads.
            sums = np.einsum("if,lf->il", inputs, self.weights) + self.biases
            found[rows] = self.factor * _activate(sums, self.activation)
        return found

    def scorer(self, weights: Floats, intercept: float) -> Linear | Network:
        """f(x) = Σ_l β_l h_l(x) + c; nodes that are linear add up to one weight per feature."""
        scaled = weights * self.factor
        if self.activation == "linear":
            plain = np.einsum("l,lf->f", scaled, self.weights) / self.scales
            constant = float(np.sum(scaled * self.biases)) - float(np.sum(plain * self.means))
            return Linear(plain, intercept + constant)
        return Network(
            (self.weights.shape[1], len(self.weights), 1),
            np.concatenate([self.weights.ravel(), scaled]),
            np.append(self.biases, intercept),
            self.means,
            self.scales,
            self.activation,
        )


def _activate(sums: Floats, activation: str) -> Floats:
    if activation == "sigmoid":
        return 0.5 * (1.0 + np.tanh(0.5 * sums))
    if activation == "tanh":
        return np.tanh(sums)
    return np.maximum(sums, 0.0) if activation == "relu" else sums
