"""What rankers share that regress on the nodes of a random hidden layer: both RankELM."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.optimizers.least_squares import LeastSquares
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.network import Network
from rankwise.rankers.training.random_layer import LAYER_ACTIVATIONS, RandomLayer


@dataclass(frozen=True)
class RandomLayerRanker(Ranker):
    """f(x) = β · h(x) + c, h a hidden layer drawn at random, β by least squares with λ ‖β‖².

    Nodes that are linear leave a linear function of the features; others make a network.
    """

    random: ClassVar[bool] = True

    regularization: float = parameter(
        0.1,
        "λ, the weight of ‖β‖² beside the mean squared error",
        grid=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0),
        lowest=1e-9,
        highest=1e9,
    )
    nodes: int = parameter(200, "L, the nodes of the hidden layer", lowest=1, highest=4096)
    activation: str = parameter("linear", "what a node does to its sum", choices=LAYER_ACTIVATIONS)

    @abstractmethod
    def _squares(self, hidden: Dataset) -> LeastSquares:
        """The squared errors to minimise, of data whose features are the outputs of the nodes."""

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear | Network, dict[str, Any]]:
        layer = RandomLayer.draw(train, self.nodes, self.activation, rng)
        hidden = train.with_features(layer.outputs(train.features))
        found, rank = self._squares(hidden).solution(self.regularization)
        return layer.scorer(found.weights, found.intercept), {"rank": rank}
