"""What rankers share that follow the slopes of a loss of documents or queries.

A BestStepRanker's linear function is chosen among the steps of its training. A ClimbingRanker's
climb of a measure begins at the minimum of a convex loss, scaled.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.measure import Measure
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import ACTIVATIONS, Network
from rankwise.models.scorers.scorer import Scorer
from rankwise.native.arrays import Floats
from rankwise.rankers.gradient.torch_training import NetworkTraining, hidden_sizes
from rankwise.rankers.losses.lambdas import LogisticPairs
from rankwise.rankers.losses.listwise import (
    CentredSquares,
    Loss,
    LossFrom,
    TopOneCrossEntropy,
    centred,
    find_gain_measure,
    gains_of,
)
from rankwise.rankers.optimizers.lbfgs import Optimum, best_step, quasi_newton
from rankwise.rankers.parameters import convention, parameter, regularization, scale_large
from rankwise.rankers.ranker import Learned, Ranker, Round, Training, Watch, never_stop
from rankwise.rankers.training.model_selection import Judge, batches, best_round
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.warm_start import add_weights, linear_start


def hidden_layers(*, grid: Sequence[str] = ()) -> Any:
    """The shape of the network that takes the place of a linear function."""
    return parameter(
        "none", "widths of one to three hidden layers, such as 10 or 32-16; none: linear", grid=grid
    )


def starts(default: int) -> Any:
    """How many minima of `start_losses` a climb starts from."""
    meaning = "starts: least squares, then ListNet's, then RankNet's minimum"
    return parameter(default, meaning, lowest=1, highest=3)


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

    regularization: float = regularization(1e-2, "the loss", highest=None)
    hidden_layers: str = hidden_layers()
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
    scale_large: bool = scale_large()
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    def __post_init__(self) -> None:
        super().__post_init__()
        hidden_sizes(self.hidden_layers, self.name)

    @abstractmethod
    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> Loss:
        """The loss of scores of these documents."""

    def _learn(self, training: Training) -> Learned[Linear | Network]:
        if training.start is not None:
            return self._continued(training, training.start)
        train = training.train
        refuse_equal_labels(train, self.name)
        # A misspelt name is refused even where nothing is left to choose by it.
        find_tool(self.tool).measure(self.measure)
        if self.hidden_layers == "none":
            return self._learn_linear(training)
        steps = NetworkTraining(
            train,
            batches(train, self.queries_per_batch, training.rng),
            lambda part: self._loss(part, training.rng),
            hidden_sizes(self.hidden_layers, self.name),
            activation=self.activation,
            rate=self.learning_rate,
            regularization=self.regularization,
            rng=training.rng,
        )
        judge = self._judge(training)
        return best_round(
            steps, judge, rounds=self.rounds, patience=self.patience, watch=training.watch
        )

    def _continued(self, training: Training, start: Scorer) -> Learned[Linear]:
        """From the weights w₀: the penalty becomes λ/2 ‖w − w₀‖²."""
        if self.hidden_layers != "none":
            raise RankwiseError(
                f"{self.name} can continue linear models only, found hidden_layers "
                f"{self.hidden_layers!r}; set it to none"
            )
        refuse_equal_labels(training.train, self.name)
        begin = linear_start(start, self.name)
        loss = LossFrom(
            self._loss(training.train, training.rng), begin.score_dataset(training.train)
        )
        features, found = self._minimum(training, loss)
        return Learned(add_weights(begin, features.plain_weights(found.weights)), found.facts())

    def _learn_linear(self, training: Training) -> Learned[Linear]:
        """The minimum of the objective; validation data have no say."""
        features, found = self._minimum(training, self._loss(training.train, training.rng))
        return Learned(Linear(features.plain_weights(found.weights)), found.facts())

    def _minimum(self, training: Training, loss: Loss) -> tuple[RelativeFeatures, Optimum]:
        """The weights of least loss + λ/2 ‖w‖², and the features that they are for."""
        features = RelativeFeatures.of(training.train, self.scale_large)
        found = quasi_newton(
            loss,
            features,
            self.regularization,
            gap=self.gap,
            rounds=self.rounds,
            watch=training.watch,
        )
        return features, found

    def _judge(self, training: Training) -> Judge:
        return Judge.of(training, self.measure, self.tool)


@dataclass(frozen=True)
class BestStepRanker(GradientRanker):
    """A gradient ranker whose linear function, too, is that of the best round on validation.

    L-BFGS goes towards the minimum; of its steps the one with the best `measure` on validation
    data is taken. Without validation data it goes all the way.
    """

    patience: int = parameter(30, "rounds without a better one after which training ends", lowest=1)

    def _learn_linear(self, training: Training) -> Learned[Linear]:
        if training.validation is None:
            return super()._learn_linear(training)
        features = RelativeFeatures.of(training.train, self.scale_large)
        weights, facts = self._best(training, features, training.watch)
        return Learned(Linear(features.plain_weights(weights)), facts)

    def _best(
        self,
        training: Training,
        features: RelativeFeatures,
        watch: Watch,
        start: Floats | None = None,
    ) -> tuple[Floats, dict[str, Any]]:
        judge = self._judge(training)

        def figure(weights: Floats) -> float:
            return judge.value(Linear(features.plain_weights(weights)))

        return best_step(
            self._loss(training.train, training.rng),
            features,
            self.regularization,
            figure,
            gap=self.gap,
            rounds=self.rounds,
            patience=self.patience,
            watch=watch,
            start=start,
        )


@dataclass(frozen=True)
class ClimbingRanker(BestStepRanker):
    """A loss with many minima, descended from several starts, the best step of all taken.

    A linear function starts at the minima of up to three convex losses: least squares on the
    gains, ListNet's, RankNet's; each is scaled so that scores deviate by 1 within queries, which
    gives widths and steepnesses of smoothed measures one meaning for all data. The best step has
    the best `measure` on validation, on training data where there is none.
    """

    regularization: float = regularization(1e-3, "the loss", highest=None)
    rounds: int = parameter(100, "rounds (steps, or passes over the data) at most", lowest=1)
    starts: int = starts(2)
    start_regularization: float = parameter(
        1e-2, "the weight of ‖w‖²/2 in the objectives of the starts", lowest=1e-9
    )

    def _learn_linear(self, training: Training) -> Learned[Linear]:
        features = RelativeFeatures.of(training.train, self.scale_large)
        counted = _CountedRounds(training.watch, self.rounds * self.starts)
        found: list[tuple[Floats, dict[str, Any]]] = []
        losses = start_losses(training.train, find_gain_measure(self.tool))
        for name, loss in losses[: self.starts]:
            start = scaled_minimum(loss, features, self.start_regularization)
            weights, facts = self._best(training, features, counted, start)
            found.append((weights, {"start": name, **facts}))
            if counted.stopped:
                break
        weights, facts = max(found, key=_reached)
        return Learned(Linear(features.plain_weights(weights)), facts)


def _reached(found: tuple[Floats, dict[str, Any]]) -> float:
    """The figure of the best step; a start that no step leaves has none."""
    figure = found[1]["selection"]
    return -np.inf if figure is None else float(figure)


class _CountedRounds:
    """A watch that counts rounds on from one start to the next."""

    def __init__(self, watch: Watch, total: int) -> None:
        self._watch = watch
        self._total = total
        self._number = 0
        self.stopped = False

    def __call__(self, progress: Round) -> bool:
        self._number += 1
        self.stopped = self._watch(
            Round(self._number, self._total, progress.training, progress.validation)
        )
        return self.stopped


# The starts need no more than to be good.
_START_GAP = 1e-6
_START_STEPS = 200


def start_losses(train: Dataset, measure: Measure) -> list[tuple[str, Loss]]:
    """Least squares on the gains of `measure`, then ListNet's loss, then RankNet's."""
    return [
        ("least squares", CentredSquares.of(train, gains_of(train, measure))),
        ("listnet", TopOneCrossEntropy.of(train, "softmax")),
        ("ranknet", LogisticPairs.of(train)),
    ]


def scaled_minimum(loss: Loss, features: RelativeFeatures, regularization: float) -> Floats:
    """The minimum of loss + λ/2 ‖w‖², scaled so that scores deviate by 1 within queries."""
    found = quasi_newton(
        loss, features, regularization, gap=_START_GAP, rounds=_START_STEPS, watch=never_stop
    )
    scores = centred(features.scores(found.weights), features.query_offsets)
    deviation = np.sqrt((scores * scores).mean())
    return found.weights / deviation if deviation > 0.0 else found.weights
