"""What rankers share that follow the slopes of a loss of documents or queries."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.gradient.networks import NetworkTraining, hidden_sizes
from rankwise.rankers.losses.listwise import Loss, LossFrom
from rankwise.rankers.optimizers.quasi_newton import quasi_newton
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Ranker, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.network import ACTIVATIONS, Network
from rankwise.rankers.scorers.scorer import Scorer
from rankwise.rankers.training.continued import add_weights, linear_start
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.rounds import Judge, batches, best_round


@dataclass(frozen=True)
class GradientRanker(Ranker):
    """A loss of the scores, minimised over a linear function or a small neural network.

    Without hidden layers the function is w · x and L-BFGS minimises loss + λ/2 ‖w‖². With hidden
    layers Adam follows the slopes (torch, the extra `neural`), λ shrinks the weights, and the
    round is the one with the best `measure` on validation data.
    """

    uses_measure: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True
    random: ClassVar[bool] = True

    regularization: float = parameter(1e-2, "λ, the weight of ‖w‖²/2 beside the loss", lowest=1e-9)
    hidden_layers: str = parameter(
        "none", "widths of one to three hidden layers, such as 10 or 32-16; none: linear"
    )
    activation: str = parameter(
        "tanh", "what hidden layers apply to their sums", choices=ACTIVATIONS
    )
    learning_rate: float = parameter(
        0.01, "length of Adam's steps, with hidden layers", lowest=1e-9, highest=10.0
    )
    queries_per_batch: int = parameter(0, "queries to a step of Adam; 0: all of them", lowest=0)
    rounds: int = parameter(1000, "rounds (steps, or passes over the data) at most", lowest=1)
    patience: int = parameter(
        50, "with hidden layers, rounds without a better one after which training ends", lowest=1
    )
    gap: float = parameter(
        1e-8, "without hidden layers, training ends this near to the minimum", lowest=1e-14
    )
    scale_large: bool = parameter(
        True, "divide features by their spread within queries where it is above 1"
    )
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = parameter("definition", "whose convention of the measure is followed")

    def __post_init__(self) -> None:
        super().__post_init__()
        hidden_sizes(self.hidden_layers, self.name)

    @abstractmethod
    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> Loss:
        """The loss of scores of these documents."""

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear | Network, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        # A misspelt name is refused even where nothing is left to choose by it.
        find_tool(self.tool).measure(self.measure)
        if self.hidden_layers == "none":
            return self._learn_linear(train, validation, rng, watch)
        training = NetworkTraining(
            train,
            batches(train, self.queries_per_batch, rng),
            lambda part: self._loss(part, rng),
            hidden_sizes(self.hidden_layers, self.name),
            activation=self.activation,
            rate=self.learning_rate,
            regularization=self.regularization,
            rng=rng,
        )
        judge = self._judge(train, validation)
        return best_round(training, judge, rounds=self.rounds, patience=self.patience, watch=watch)

    def _learn_from(
        self,
        start: Scorer,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Scorer, dict[str, Any]]:
        """The penalty becomes λ/2 ‖w − w₀‖², w₀ being the weights to start from."""
        if not self.takes_start:
            return super()._learn_from(start, train, validation, rng, watch)
        if self.hidden_layers != "none":
            raise RankwiseError(
                f"{self.name} can continue linear models only, found hidden_layers "
                f"{self.hidden_layers!r}; set it to none"
            )
        refuse_equal_labels(train, self.name)
        begin = linear_start(start, self.name)
        features = RelativeFeatures.of(train, self.scale_large)
        loss = LossFrom(self._loss(train, rng), begin.score_dataset(train))
        found = quasi_newton(
            loss, features, self.regularization, gap=self.gap, rounds=self.rounds, watch=watch
        )
        return add_weights(begin, features.plain_weights(found.weights)), found.facts()

    def _learn_linear(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        """The minimum of the objective; validation data have no say."""
        features = RelativeFeatures.of(train, self.scale_large)
        found = quasi_newton(
            self._loss(train, rng),
            features,
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            watch=watch,
        )
        return Linear(features.plain_weights(found.weights)), found.facts()

    def _judge(self, train: Dataset, validation: Dataset | None) -> Judge:
        return Judge.of(train, validation, self.measure, self.tool)
