"""SortNet: a network that compares two documents, by which lists are sorted.

The comparing network is trained on the pairs that it misplaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.networks import Comparator
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.native.arrays import Floats
from rankwise.rankers.optimizers.first_order import AdamSteps
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.training.model_selection import Judge, best_round
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.relative_features import draw_weights, find_standard


@dataclass(frozen=True)
class SortNet(Ranker):
    """Minimise 1/|P| Σ_{(x,y) ∈ P} (1 − N(x, y))² + N(y, x)² + λ/2 ‖weights‖², x better than y.

    N(x, y), how far x precedes y, is the logistic function of

        Σ_h a_h tanh(u_h · x + v_h · y + c_h) + a'_h tanh(u_h · y + v_h · x + c_h) + b :

    each hidden unit has a twin that sees the documents exchanged, so that what the second output
    of the paper's network says of (x, y) is N(y, x). P begins empty; each round sorts the training
    queries, adds pairs that are misplaced and trains on from the last weights, and the round with
    the best `measure` on validation data is taken.

    Deviations: the comparison need not be transitive, so that a list is sorted by the number of
    wins (`Comparator`), which needs all pairs instead of a sorting algorithm's and does not depend
    on the order in the file. A query adds `pairs_per_query` misplaced pairs at most, drawn at
    random. Adam over all pairs takes the place of plain back-propagation.

    Rigutini, Papini, Maggini, Scarselli (2008). SortNet: learning to rank by a neural-based sorting
    algorithm. SIGIR workshop on learning to rank.
    """

    name: ClassVar[str] = "sortnet"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Rigutini et al. (2008), SIGIR workshop on learning to rank"
    uses_measure: ClassVar[bool] = True
    random: ClassVar[bool] = True

    hidden: int = parameter(10, "hidden units, each with its twin", lowest=1, highest=4096)
    learning_rate: float = parameter(0.003, "length of Adam's steps", lowest=1e-9, highest=10.0)
    regularization: float = parameter(
        3e-2,
        "λ, the weight of ‖weights‖²/2 beside the mean error",
        grid=(1e-2, 3e-2, 1e-1),
        lowest=0.0,
    )
    rounds: int = parameter(30, "rounds at most: sorting, adding pairs, training", lowest=1)
    steps: int = parameter(10, "steps of Adam in a round", lowest=1)
    pairs_per_query: int = parameter(50, "misplaced pairs that a query adds in a round", lowest=1)
    patience: int = parameter(10, "rounds without a better one after which training ends", lowest=1)
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    def _learn(self, training: Training) -> Learned[Comparator]:
        refuse_equal_labels(training.train, self.name)
        find_tool(self.tool).measure(self.measure)
        steps = ComparatorTraining(
            training.train,
            self.hidden,
            steps=self.steps,
            pairs_per_query=self.pairs_per_query,
            rate=self.learning_rate,
            regularization=self.regularization,
            rng=training.rng,
        )
        judge = Judge.of(training, self.measure, self.tool)
        return best_round(
            steps, judge, rounds=self.rounds, patience=self.patience, watch=training.watch
        )


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
