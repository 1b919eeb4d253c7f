"""Linear functions by steps along first-order directions: Adam, and truncated gradients.

Adam follows a descent direction that need not be the gradient of anything. Truncated gradient steps
leave weights that are exactly 0: Langford, Li, Zhang (2009). Sparse online learning via truncated
gradient. JMLR 10.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats
from rankwise.rankers.losses.listwise import Loss
from rankwise.rankers.training.relative_features import RelativeFeatures

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


@dataclass(frozen=True)
class TruncationRules:
    """How weights are drawn to 0.

    Attributes:
        rate: η, the length of the steps.
        gravity: g, how much a step draws small weights to 0.
        threshold: θ, the size above which weights are left alone.
        every: K, after how many steps they are drawn.
    """

    rate: float
    gravity: float
    threshold: float
    every: int


class TruncatedGradient:
    """w ← w − η ∇; after every K steps w ← T(w, K η g, θ). A round is one pass over the batches.

    T(v, a, θ) draws v by a towards 0, not beyond it, where |v| ≤ θ, and leaves v alone elsewhere.
    """

    def __init__(
        self,
        parts: list[Dataset],
        loss: Callable[[Dataset], Loss],
        features: RelativeFeatures,
        rules: TruncationRules,
        rng: np.random.Generator,
    ) -> None:
        self._features = features
        self._parts = [(features.of_part(part), loss(part)) for part in parts]
        self._rules = rules
        self._rng = rng
        self._weights = np.zeros(len(features.scales))
        self._steps = 0

    def step(self) -> float:
        """One pass over the batches in random order; their mean loss."""
        total = 0.0
        for number in self._rng.permutation(len(self._parts)):
            features, loss = self._parts[number]
            value, slopes = loss.at(features.scores(self._weights))
            self._move(features.combine(slopes))
            total += value
        return total / len(self._parts)

    def scorer(self) -> Linear:
        """The weights as they stand."""
        return Linear(self._features.plain_weights(self._weights))

    def _move(self, gradient: Floats) -> None:
        rules = self._rules
        self._steps += 1
        self._weights = self._weights - rules.rate * gradient
        if self._steps % rules.every == 0:
            drawn = rules.every * rules.rate * rules.gravity
            self._weights = truncate(self._weights, drawn, rules.threshold)


def truncate(weights: Floats, drawn: float, threshold: float) -> Floats:
    """T(v, a, θ) of every weight."""
    sizes = np.abs(weights)
    smaller = np.sign(weights) * np.maximum(sizes - drawn, 0.0)
    return np.where(sizes <= threshold, smaller, weights)
