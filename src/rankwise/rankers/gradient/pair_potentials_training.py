"""A linear function with potentials of pairs, trained together by Adam."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.losses.listwise import Loss
from rankwise.rankers.optimizers.adam import AdamSteps
from rankwise.rankers.scorers.pair_potentials import PairPotentials
from rankwise.rankers.training.standard_features import draw_weights, find_standard

Floats = NDArray[np.float64]

_PAIRS = (DOUBLES, INT64, INT64S, INT64)
_add_potentials = function("rankwise_add_potentials", *_PAIRS, DOUBLES_OUT)
_add_slopes = function("rankwise_add_potential_slopes", *_PAIRS, DOUBLES, DOUBLES_OUT)


class PairPotentialsTraining:
    """Adam on w, v and a of `PairPotentials`: a round is one step over all queries.

    It begins with the linear function it is given, and with potentials of weight 0.
    """

    def __init__(
        self,
        train: Dataset,
        loss: Loss,
        linear: Floats,
        units: int,
        *,
        rate: float,
        regularization: float,
        rng: np.random.Generator,
    ) -> None:
        self._loss, self._regularization = loss, regularization
        self._offsets = train.query_offsets
        self._means, self._scales = find_standard(train)
        self._rows = (train.features - self._means) / self._scales
        drawn = draw_weights(train.n_features, units, rng)
        parts = (linear * self._scales, drawn.ravel(), np.zeros(units))
        self._weights = np.concatenate(parts)
        self._units = units
        self._adam = AdamSteps(len(self._weights), rate)

    def step(self) -> float:
        """One step; the objective before it."""
        value, slopes = self.objective(self._weights)
        self._weights = self._adam.move(self._weights, slopes)
        return value

    def scorer(self) -> PairPotentials:
        """The function as it stands."""
        return PairPotentials(*self._cut(self._weights), self._means, self._scales)

    def objective(self, weights: Floats) -> tuple[float, Floats]:
        """The loss with λ/2 ‖weights‖², and its slope in every weight."""
        linear, units, outer = self._cut(weights)
        hidden = self._rows @ units.T
        potentials, in_hidden = np.zeros(hidden.shape), np.zeros(hidden.shape)
        pairs = (hidden, self._units, self._offsets, len(self._offsets) - 1)
        _add_potentials(*pairs, potentials)
        value, in_scores = self._loss.at(self._rows @ linear + potentials @ outer)
        _add_slopes(*pairs, in_scores, in_hidden)
        in_units = (in_hidden * outer).T @ self._rows
        parts = (in_scores @ self._rows, in_units.ravel(), in_scores @ potentials)
        shrunk = self._regularization * weights
        return value + float(shrunk @ weights) / 2.0, np.concatenate(parts) + shrunk

    def _cut(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        width = self._rows.shape[1]
        linear, units, outer = np.split(weights, [width, width * (1 + self._units)])
        return linear, units.reshape(self._units, width), outer
