"""A comparing network trained on the pairs that it misplaces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.optimizers.adam import AdamSteps
from rankwise.rankers.scorers.comparator import Comparator
from rankwise.rankers.training.standard_features import draw_weights, find_standard

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_comparison_errors = function(
    "rankwise_comparison_errors", DOUBLES, DOUBLES, DOUBLES, INT64, INT64S, INT64S, INT64,
    DOUBLES_OUT, DOUBLES_OUT, DOUBLES_OUT, DOUBLES_OUT, returns=DOUBLE,
)  # fmt: skip


class ComparatorTraining:
    """A round sorts the training queries, adds pairs that are misplaced, and goes some steps.

    Pairs stay once they are added. Steps are Adam's, along the slopes of the mean error of all
    pairs plus λ/2 ‖weights‖², from the last weights on.
    """

    def __init__(
        self,
        train: Dataset,
        units: int,
        *,
        steps: int,
        pairs_per_query: int,
        rate: float,
        regularization: float,
        rng: np.random.Generator,
    ) -> None:
        self._train, self._rng = train, rng
        self._steps, self._pairs_per_query = steps, pairs_per_query
        self._regularization = regularization
        self._means, self._scales = find_standard(train)
        self._rows = (train.features - self._means) / self._scales
        width = train.n_features
        # u and v, c, then the weights of a unit and of its mirrored twin, and the bias.
        self._shapes = [(2 * units, width), (1, units), (3, units)]
        first = [draw_weights(width, 2 * units, rng), np.zeros(units), draw_weights(units, 3, rng)]
        self._weights = np.concatenate([one.ravel() for one in first])
        self._adam = AdamSteps(len(self._weights), rate)
        self._pairs = np.empty(0, dtype=np.int64)

    def step(self) -> float:
        """One round; the mean error of its last step."""
        self._add_misplaced()
        value = 0.0
        for _ in range(self._steps if len(self._pairs) else 0):
            value, slopes = self.error(self._weights)
            self._weights = self._adam.move(self._weights, slopes)
        return value

    def scorer(self) -> Comparator:
        """The comparison as it stands: a twin's weight counts against its unit's."""
        inner, biases, outer = self._cut(self._weights)
        first, second = np.split(inner, 2)
        weights = outer[0] - outer[1]
        return Comparator(first, second, biases[0], weights, self._means, self._scales)

    def error(self, weights: Floats) -> tuple[float, Floats]:
        """The mean error of all pairs with λ/2 ‖weights‖², and its slope in every weight."""
        inner, biases, outer = self._cut(weights)
        first, second = np.split(inner, 2)
        own, other = self._rows @ first.T + biases, self._rows @ second.T
        in_own, in_other, in_outer = np.zeros(own.shape), np.zeros(own.shape), np.zeros(outer.shape)
        better, worse = np.divmod(self._pairs, self._train.n_documents)
        total = _comparison_errors(
            own, other, outer, outer.shape[1], better, worse, len(better),
            np.empty(2 * outer.shape[1]), in_own, in_other, in_outer,
        )  # fmt: skip
        parts = (in_own.T @ self._rows, in_other.T @ self._rows, in_own.sum(axis=0), in_outer)
        slopes = np.concatenate([one.ravel() for one in parts]) / len(self._pairs)
        shrunk = self._regularization * weights
        return float(total / len(self._pairs) + shrunk @ weights / 2.0), slopes + shrunk

    def _cut(self, weights: Floats) -> list[Floats]:
        ends = np.cumsum([rows * columns for rows, columns in self._shapes])[:-1]
        parts = np.split(weights, ends)
        return [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    def _add_misplaced(self) -> None:
        """Of every query some pairs whose better document does not win more often."""
        train, wins = self._train, self.scorer().score_dataset(self._train)
        found = [self._pairs]
        for start, end in zip(train.query_offsets[:-1], train.query_offsets[1:], strict=True):
            labels, own = train.labels[start:end], wins[start:end]
            misplaced = (labels[:, np.newaxis] > labels) & (own[:, np.newaxis] <= own)
            better, worse = np.nonzero(misplaced)
            if len(better) > self._pairs_per_query:
                drawn = self._rng.choice(len(better), self._pairs_per_query, replace=False)
                better, worse = better[drawn], worse[drawn]
            found.append((better + start) * train.n_documents + worse + start)
        self._pairs = np.unique(np.concatenate(found))
