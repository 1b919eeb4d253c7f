"""Gradient rankers whose linear function is chosen among the steps of its training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.gradient_ranker import GradientRanker
from rankwise.rankers.gradient.starts import scaled_minimum, start_losses
from rankwise.rankers.losses.discounted_gains import find_gain_measure
from rankwise.rankers.optimizers.quasi_newton import best_step
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Round, Watch
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.relative_features import RelativeFeatures

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BestStepRanker(GradientRanker):
    """A gradient ranker whose linear function, too, is that of the best round on validation.

    L-BFGS goes towards the minimum; of its steps the one with the best `measure` on validation
    data is taken. Without validation data it goes all the way.
    """

    patience: int = parameter(30, "rounds without a better one after which training ends", lowest=1)

    def _learn_linear(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        if validation is None:
            return super()._learn_linear(train, validation, rng, watch)
        features = RelativeFeatures.of(train, self.scale_large)
        weights, facts = self._best(train, validation, features, rng, watch, None)
        return Linear(features.plain_weights(weights)), facts

    def _best(
        self,
        train: Dataset,
        validation: Dataset | None,
        features: RelativeFeatures,
        rng: np.random.Generator,
        watch: Watch,
        start: Floats | None,
    ) -> tuple[Floats, dict[str, Any]]:
        judge = self._judge(train, validation)

        def figure(weights: Floats) -> float:
            return judge.value(Linear(features.plain_weights(weights)))

        return best_step(
            self._loss(train, rng),
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

    regularization: float = parameter(1e-3, "λ, the weight of ‖w‖²/2 beside the loss", lowest=1e-9)
    rounds: int = parameter(100, "rounds (steps, or passes over the data) at most", lowest=1)
    starts: int = parameter(
        2, "starts: least squares, then ListNet's, then RankNet's minimum", lowest=1, highest=3
    )
    start_regularization: float = parameter(
        1e-2, "the weight of ‖w‖²/2 in the objectives of the starts", lowest=1e-9
    )

    def _learn_linear(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Linear, dict[str, Any]]:
        features = RelativeFeatures.of(train, self.scale_large)
        counted = _CountedRounds(watch, self.rounds * self.starts)
        found: list[tuple[Floats, dict[str, Any]]] = []
        losses = start_losses(train, find_gain_measure(self.tool))
        for name, loss in losses[: self.starts]:
            start = scaled_minimum(loss, features, self.start_regularization)
            weights, facts = self._best(train, validation, features, rng, counted, start)
            found.append((weights, {"start": name, **facts}))
            if counted.stopped:
                break
        weights, facts = max(found, key=_reached)
        return Linear(features.plain_weights(weights)), facts


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
