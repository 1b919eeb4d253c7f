"""RankELM: least squares over the nodes of a hidden layer that nobody trains.

RankELM (pointwise) fits the labels, RankELM (pairwise) the differences between documents. The
weights of the nodes are drawn at random.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import ACTIVATIONS, Network
from rankwise.native.arrays import Floats
from rankwise.rankers.optimizers.least_squares import LeastSquares
from rankwise.rankers.parameters import parameter, regularization
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.training.preferences import refuse_equal_labels, weigh_by_pairs
from rankwise.rankers.training.relative_features import refuse_huge

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
        refuse_huge(spreads)
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
            found[rows] = self.factor * _activate_nodes(sums, self.activation)
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


def _activate_nodes(sums: Floats, activation: str) -> Floats:
    if activation == "sigmoid":
        return 0.5 * (1.0 + np.tanh(0.5 * sums))
    if activation == "tanh":
        return np.tanh(sums)
    return np.maximum(sums, 0.0) if activation == "relu" else sums


@dataclass(frozen=True)
class RandomLayerRanker(Ranker):
    """f(x) = β · h(x) + c, h a hidden layer drawn at random, β by least squares with λ ‖β‖².

    Nodes that are linear leave a linear function of the features; others make a network.
    """

    random: ClassVar[bool] = True

    regularization: float = regularization(
        0.1, "the mean squared error", norm="‖β‖²", grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
    )
    nodes: int = parameter(200, "L, the nodes of the hidden layer", lowest=1, highest=4096)
    activation: str = parameter("linear", "what a node does to its sum", choices=LAYER_ACTIVATIONS)

    @abstractmethod
    def _squares(self, hidden: Dataset) -> LeastSquares:
        """The squared errors to minimise, of data whose features are the outputs of the nodes."""

    def _learn(self, training: Training) -> Learned[Linear | Network]:
        layer = RandomLayer.draw(training.train, self.nodes, self.activation, training.rng)
        hidden = training.train.with_features(layer.outputs(training.train.features))
        found, rank = self._squares(hidden).solution(self.regularization)
        return Learned(layer.scorer(found.weights, found.intercept), {"rank": rank})


@dataclass(frozen=True)
class RankELMPointwise(RandomLayerRanker):
    """Minimise 1/n Σ_i (β · h(x_i) + c − y_i)² + λ ‖β‖² over all n documents of all queries.

    h is a hidden layer with weights drawn at random (an extreme learning machine), of linear nodes
    as the paper proposes for ranking; with these f is ridge regression whose penalty the drawn
    weights turn a little.

    Deviations: the intercept c is not penalised; nodes are scaled by √(3 / L), and 1/C of the paper
    is λ n, so that λ means the same for any number of nodes and documents. Not
    `ridge-regression`, which has no nodes, and not `rankelm-pairwise`.

    Zong, Huang (2014). Learning to rank with extreme learning machine. Neural Processing Letters
    39.
    """

    name: ClassVar[str] = "rankelm-pointwise"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Zong and Huang (2014), Neural Processing Letters 39(2)"

    def _squares(self, hidden: Dataset) -> LeastSquares:
        return LeastSquares.of(hidden, hidden.labels, centre_in_query=False, scale_large=False)


@dataclass(frozen=True)
class RankELMPairwise(RandomLayerRanker):
    """Minimise 1/|P| Σ_{(i,j) ∈ P} ((y_i − y_j) − β · (h(x_i) − h(x_j)))² + λ ‖β‖².

    P holds all pairs of documents of one query, whose Laplacian is the paper's L: β = (H' L H +
    I / C)⁻¹ H' L y. h is a hidden layer with weights drawn at random (an extreme learning
    machine), of linear nodes as the paper proposes for ranking; with these f is `rankrls` whose
    penalty the drawn weights turn a little.

    Deviations: nodes are scaled by √(3 / L), and the sum over pairs is divided by |P|, so that λ
    means the same for any number of nodes and pairs. Not `rankelm-pointwise`, whose errors are
    those of documents.

    Zong, Huang (2014). Learning to rank with extreme learning machine. Neural Processing Letters
    39.
    """

    name: ClassVar[str] = "rankelm-pairwise"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Zong and Huang (2014), Neural Processing Letters 39(2)"

    def _squares(self, hidden: Dataset) -> LeastSquares:
        refuse_equal_labels(hidden, self.name)
        return LeastSquares.of(
            hidden,
            hidden.labels,
            centre_in_query=True,
            scale_large=False,
            weights=weigh_by_pairs(hidden),
        )
