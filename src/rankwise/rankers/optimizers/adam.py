"""Linear functions along a descent direction that need not be the gradient of anything."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.losses.listwise import Loss
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.relative_features import RelativeFeatures

Floats = NDArray[np.float64]

_FIRST_DECAY = 0.9
_SECOND_DECAY = 0.999
_SMALLEST = 1e-8


class AdamSteps:
    """Steps of length `rate` by means m and v of slopes g and of g², which forget.

        w ← w − rate · m̂ / (√v̂ + 1e-8)

    Kingma and Ba (2015). Adam: a method for stochastic optimization. ICLR.
    """

    def __init__(self, size: int, rate: float) -> None:
        self._rate = rate
        self._first = np.zeros(size)
        self._second = np.zeros(size)
        self._steps = 0

    def move(self, weights: Floats, gradient: Floats) -> Floats:
        """The weights after the next step."""
        self._steps += 1
        self._first = _FIRST_DECAY * self._first + (1.0 - _FIRST_DECAY) * gradient
        self._second = _SECOND_DECAY * self._second + (1.0 - _SECOND_DECAY) * gradient**2
        first = self._first / (1.0 - _FIRST_DECAY**self._steps)
        second = self._second / (1.0 - _SECOND_DECAY**self._steps)
        return weights - self._rate * first / (np.sqrt(second) + _SMALLEST)


class LinearTraining:
    """Adam on the weights of w · x: a round is one pass over the batches in random order.

    The steps follow the slopes of the loss in w plus λw.
    """

    def __init__(
        self,
        parts: list[Dataset],
        loss: Callable[[Dataset], Loss],
        features: RelativeFeatures,
        *,
        rate: float,
        regularization: float,
        rng: np.random.Generator,
    ) -> None:
        self._features = features
        self._parts = [(features.of_part(part), loss(part)) for part in parts]
        self._regularization = regularization
        self._rng = rng
        self._weights = np.zeros(len(features.scales))
        self._steps = AdamSteps(len(self._weights), rate)

    def step(self) -> float:
        """One pass over the batches; their mean loss."""
        total = 0.0
        for number in self._rng.permutation(len(self._parts)):
            features, loss = self._parts[number]
            value, slopes = loss.at(features.scores(self._weights))
            gradient = features.combine(slopes) + self._regularization * self._weights
            self._weights = self._steps.move(self._weights, gradient)
            total += value
        return total / len(self._parts)

    def scorer(self) -> Linear:
        """The weights as they stand."""
        return Linear(self._features.plain_weights(self._weights))
