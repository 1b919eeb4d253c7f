"""Networks score documents by layers of hidden units.

A Network is feed-forward: standardised features, hidden layers, one score. A Comparator compares
two documents: a document scores as many as it beats in its list. PairPotentials are a linear score,
and what comparing the document with the others of its list adds to it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.models.scorers.scorer import (
    ListScorer,
    Scorer,
    check_units,
    find_slopes,
    integers,
    list_blocks,
    matrix_of,
    numbers,
    read_units,
)
from rankwise.native import DOUBLES, DOUBLES_OUT, INT32, INT64, INT64S, function

ACTIVATIONS = ("tanh", "relu", "sigmoid")
# As many as network.c takes through a layer together.
_ROWS_AT_ONCE = 8

_network_scores = function(
    "rankwise_network_scores",
    *(DOUBLES, INT64, INT64, DOUBLES, DOUBLES, INT64S, INT64, DOUBLES, DOUBLES, INT32),
    *(DOUBLES_OUT, INT64, DOUBLES_OUT),
)


@dataclass(frozen=True, eq=False)
class Network(Scorer):
    """f(x) = W_L a(… a(W_1 z + b_1) …) + b_L with z = (x − mean) / scale.

    Attributes:
        sizes: inputs, the widths of the hidden layers, and 1.
        weights: the matrices W_1 … W_L one after the other, each row by row.
        biases: b_1 … b_L one after the other.
        means: what is subtracted from each feature.
        scales: what it is then divided by.
        activation: a, one of `ACTIVATIONS`.
    """

    kind: ClassVar[str] = "network"
    sizes: tuple[int, ...]
    weights: NDArray[np.float64]
    biases: NDArray[np.float64]
    means: NDArray[np.float64]
    scales: NDArray[np.float64]
    activation: str = "tanh"

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise RankwiseError(
                f"the activation of a network must be one of {', '.join(ACTIVATIONS)}, "
                f"found {self.activation!r}"
            )
        if len(self.sizes) < 2 or min(self.sizes) < 1 or self.sizes[-1] != 1:
            raise RankwiseError(
                "the layers of a network must have sizes from the number of features down to 1, "
                f"found {list(self.sizes)}"
            )
        _check_lengths(self)

    @property
    def n_features(self) -> int:
        """The inputs of the first layer."""
        return self.sizes[0]

    def score(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """One score per row, summed in a fixed order: no library decides the last bit."""
        matrix = matrix_of(features, self.n_features)
        widest = max(self.sizes)
        scores = np.empty(len(matrix))
        _network_scores(
            matrix,
            *matrix.shape,
            self.means,
            self.scales,
            np.array(self.sizes, dtype=np.int64),
            len(self.sizes) - 1,
            self.weights,
            self.biases,
            ACTIVATIONS.index(self.activation),
            np.empty(2 * widest * _ROWS_AT_ONCE),
            widest,
            scores,
        )
        return scores

    def layers(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """W_l, a row for each of its outputs, and b_l of every layer in their order."""
        shapes = list(pairwise(self.sizes))
        ends = np.cumsum([inputs * outputs for inputs, outputs in shapes])[:-1]
        matrices = np.split(self.weights, ends)
        biases = np.split(self.biases, np.cumsum(self.sizes[1:])[:-1])
        return [
            (matrix.reshape(outputs, inputs), bias)
            for matrix, bias, (inputs, outputs) in zip(matrices, biases, shapes, strict=True)
        ]

    def importance(self) -> NDArray[np.float64]:
        """The product of the absolute weights along all paths from each feature to the score."""
        reach = np.ones(1)
        for matrix, _ in reversed(self.layers()):
            reach = (np.abs(matrix) * reach[:, np.newaxis]).sum(axis=0)
        return reach

    def as_json(self) -> dict[str, Any]:
        """`sizes`, `weights`, `biases`, `means`, `scales` and `activation`."""
        return {
            "sizes": list(self.sizes),
            "weights": self.weights.tolist(),
            "biases": self.biases.tolist(),
            "means": self.means.tolist(),
            "scales": self.scales.tolist(),
            "activation": self.activation,
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Network:
        """From what `as_json` gives."""
        return cls(
            tuple(integers(values, "sizes").tolist()),
            numbers(values, "weights"),
            numbers(values, "biases"),
            numbers(values, "means"),
            numbers(values, "scales"),
            str(values.get("activation")),
        )


def _check_lengths(network: Network) -> None:
    """As many numbers as the sizes ask for: a kernel would read past the end otherwise."""
    layers = list(pairwise(network.sizes))
    wanted = {
        "weights": sum(inputs * outputs for inputs, outputs in layers),
        "biases": sum(outputs for _, outputs in layers),
        "means": network.sizes[0],
        "scales": network.sizes[0],
    }
    for name, length in wanted.items():
        found = len(getattr(network, name))
        if found != length:
            raise RankwiseError(
                f"a network of layers {list(network.sizes)} must have {length} {name}, "
                f"found {found}"
            )
    if not np.all(network.scales > 0.0):
        raise RankwiseError("the scales of a network must be above 0, found others")


Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Comparator(ListScorer):
    """s_i = Σ_{k ≠ i} [o(z_i, z_k) > 0], half of one where it is 0, z = (x − mean) / scale and

        o(x, y) = Σ_h d_h (tanh(u_h · x + v_h · y + c_h) − tanh(u_h · y + v_h · x + c_h)),

    which is −o(y, x): who beats whom does not depend on who is named first. Comparisons need not
    be transitive; the number of wins orders the list all the same.

    Attributes:
        first: (units, features): u.
        second: (units, features): v.
        biases: c.
        weights: d.
        means: what is subtracted from each feature.
        scales: what it is then divided by.
    """

    kind: ClassVar[str] = "comparator"
    first: Floats
    second: Floats
    biases: Floats
    weights: Floats
    means: Floats
    scales: Floats

    def __post_init__(self) -> None:
        check_units("a comparator", self.first, self.weights, self.means, self.scales)
        if self.second.shape != self.first.shape or self.biases.shape != self.weights.shape:
            raise RankwiseError(
                "a comparator must have as many second weights as first ones and a bias for each "
                f"unit, found shapes {self.first.shape}, {self.second.shape} and "
                f"{self.biases.shape}"
            )

    @property
    def n_features(self) -> int:
        """The columns of u and v."""
        return len(self.means)

    def importance(self) -> Floats:
        """The slope of the wins in every standardised feature, in a list of random documents."""
        return find_slopes(self, self.means, self.scales)

    def as_json(self) -> dict[str, Any]:
        """The attributes by name, matrices row by row in one list."""
        return {one.name: getattr(self, one.name).ravel().tolist() for one in fields(self)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Comparator:
        """From what `as_json` gives."""
        return cls(
            **read_units(values, tuple(one.name for one in fields(cls)), ("first", "second"))
        )

    def _score_list(self, rows: Floats) -> Floats:
        standard = (rows - self.means) / self.scales
        own, other = standard @ self.first.T + self.biases, standard @ self.second.T
        wins = np.empty(len(rows))
        for block in list_blocks(len(rows)):
            found = np.zeros((len(rows[block]), len(rows)))
            for unit, weight in enumerate(self.weights):
                found += weight * np.tanh(own[block, unit, np.newaxis] + other[:, unit])
                found -= weight * np.tanh(other[block, unit, np.newaxis] + own[:, unit])
            # A document meets itself too, at 0, which is half a win for everybody.
            wins[block] = 0.5 * (np.sign(found).sum(axis=1) + len(rows) - 1)
        return wins


@dataclass(frozen=True, eq=False)
class PairPotentials(ListScorer):
    """s_i = w · z_i + 1/(n − 1) Σ_{k ≠ i} Σ_h a_h tanh(v_h · (z_i − z_k)), z = (x − mean) / scale.

    n is the number of documents of the list; alone, a document has the score w · z.

    Attributes:
        linear: w.
        units: (units, features): v.
        weights: a.
        means: what is subtracted from each feature.
        scales: what it is then divided by.
    """

    kind: ClassVar[str] = "pair-potentials"
    linear: Floats
    units: Floats
    weights: Floats
    means: Floats
    scales: Floats

    def __post_init__(self) -> None:
        check_units("a model of pairs", self.units, self.weights, self.means, self.scales)
        if self.linear.shape != self.means.shape:
            raise RankwiseError(
                f"a model of pairs must have {len(self.means)} linear weights, one per feature, "
                f"found {len(self.linear)}"
            )

    @property
    def n_features(self) -> int:
        """As many as linear weights."""
        return len(self.linear)

    def importance(self) -> Floats:
        """The slope of the score in every standardised feature, in a list of random documents."""
        return find_slopes(self, self.means, self.scales)

    def as_json(self) -> dict[str, Any]:
        """The attributes by name, the matrix row by row in one list."""
        return {one.name: getattr(self, one.name).ravel().tolist() for one in fields(self)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> PairPotentials:
        """From what `as_json` gives."""
        return cls(**read_units(values, tuple(one.name for one in fields(cls)), ("units",)))

    def _score_list(self, rows: Floats) -> Floats:
        standard = (rows - self.means) / self.scales
        hidden = standard @ self.units.T
        scores: Floats = standard @ self.linear
        for block in list_blocks(len(rows)):
            for unit, weight in enumerate(self.weights):
                away = hidden[block, unit, np.newaxis] - hidden[:, unit]
                scores[block] += weight / max(1, len(rows) - 1) * np.tanh(away).sum(axis=1)
        return scores
