"""DirectRank: one weight after the other, each to the exact best place on its line.

The measure along single coordinates is found exactly: the best of all intervals between crossings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.computation import make_plan
from rankwise.measures.measure import Measure
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.linear import Linear
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, INT64S_OUT, function
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.losses.listwise import DiscountedGains, OrderLikelihood, seen_labels
from rankwise.rankers.optimizers.lbfgs import quasi_newton
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Training, never_stop
from rankwise.rankers.round_measures import DEFINITION, SAME, objective_facts, selected_by
from rankwise.rankers.training.model_selection import Judge, best_round
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.training_measure import TrainingMeasure

# The start needs no more than to be good.
_START_GAP = 1e-6
_START_STEPS = 200
_DRAWS = 10


@dataclass(frozen=True)
class DirectRank(Ranker):
    """Maximise M(w · x) over w with Σ |w_j| = 1, M being MAP or NDCG, by exact line searches.

    Along one weight M(s + t x_j) changes only where two documents cross, s_a + t x_aj = s_b +
    t x_bj. All crossings of documents with a gain are found and followed in the order of t with the
    change of M at each; w_j goes to the middle of the best interval within `reach` of it, of
    equally good ones the widest, unless M would fall. The weights are then divided by Σ |w_j|. A
    round is a sweep over all weights in random order. The search begins at the most likely
    weights of the order of the labels (as `listmle`), which is the first round; that with the best
    M, or another `selection`, on validation is taken (on training data where there is none). A
    tool that cuts MAP off by itself, as XGBoost at 32, judges rounds by its own; weights follow the
    definition's, and the model says so.

    The exact line search and the likelihood that steadies it on small data are the paper's; its
    regression trees as further coordinates are left out, and where the search begins, how far a
    weight may go in a step and the order of coordinates are guesses. Not `coordinate-ascent`, which
    tries steps of a few lengths. Time and memory of a line search grow with the pairs of documents.

    Tan, Xia, Guo, Wang (2013). Direct optimization of ranking measures for learning to rank models.
    KDD.
    """

    name: ClassVar[str] = "directrank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Tan, Xia, Guo and Wang (2013), KDD"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "where the search begins",
        "the order of coordinates and the length of a step",
        "a linear function instead of trees as further coordinates",
    )

    rounds: int = parameter(4, "the start and sweeps over all weights", lowest=1)
    reach: float = parameter(
        1.0, "how far a weight may go in a step, in parts of Σ |w|", lowest=1e-6, highest=1e6
    )
    regularization: float = parameter(1e-2, "λ of the start, as listmle has it", lowest=1e-9)
    measure: str = parameter("MAP", "the measure M: MAP, or NDCG with or without a cut-off")
    selection: str = parameter(SAME, "the measure that chooses the round; same: M")
    tool: str = convention("measures")

    def _learn(self, training: Training) -> Learned[Linear]:
        refuse_equal_labels(training.train, self.name)
        search = _Search(self, training.train, training.rng)
        judge = Judge.of(training, selected_by(self.selection, self.measure), self.tool)
        found, facts = best_round(
            search, judge, rounds=self.rounds, patience=self.rounds, watch=training.watch
        )
        facts |= objective_facts(search.objective, self.tool)
        return Learned(found, facts | {"training": search.reached, "steps": search.steps})


class _Search:
    """The weights, sweep by sweep.

    Attributes:
        objective: the tool whose M is followed.
        reached: M of the weights on training data.
        steps: how often a weight has moved.
    """

    def __init__(self, ranker: DirectRank, train: Dataset, rng: np.random.Generator) -> None:
        self._rng = rng
        self._reach = ranker.reach
        self.objective = followed_tool(ranker.measure, ranker.tool)
        self._line = LineMeasure.of(train, ranker.measure, self.objective)
        self._measure = TrainingMeasure.of(train, ranker.measure, self.objective, ties="expected")
        self._features = RelativeFeatures.of(train, scale_large=True)
        self._columns = self._features.columns()
        likelihood = OrderLikelihood.of(train, _DRAWS, rng)
        start = quasi_newton(likelihood, self._features, ranker.regularization, gap=_START_GAP,
                             rounds=_START_STEPS, watch=never_stop)  # fmt: skip
        self._weights = _scaled(start.weights)
        self._begun = False
        self.reached = self._figure(self._weights)
        self.steps = 0

    def step(self) -> float:
        """The start, or one sweep; M of the weights."""
        if self._begun:
            for column in self._rng.permutation(len(self._weights)).tolist():
                self._move(column)
        self._begun = True
        return self.reached

    def scorer(self) -> Linear:
        """The function for features as they stand in files."""
        return Linear(self._features.plain_weights(self._weights))

    def _move(self, column: int) -> None:
        """Bring one weight to its best place, unless the measure, ties included, would fall."""
        values = self._columns[column]
        if not values.any():
            return
        scores = self._features.scores(self._weights)
        step, rise = self._line.best_step(scores, values, self._reach)
        moved = self._weights.copy()
        moved[column] += step
        if rise <= 0.0 or not moved.any():
            return
        moved = _scaled(moved)
        figure = self._figure(moved)
        if figure > self.reached:
            self._weights, self.reached = moved, figure
            self.steps += 1

    def _figure(self, weights: Floats) -> float:
        return self._measure.mean(self._features.scores(weights))


def _scaled(weights: Floats) -> Floats:
    size = float(np.abs(weights).sum())
    return weights / size if size > 0.0 else weights


_find_crossings = function(
    "rankwise_find_crossings", DOUBLES, DOUBLES, DOUBLES, INT64S, INT64, DOUBLE,
    INT64, DOUBLES_OUT, INT64S_OUT, INT64S_OUT, INT64S_OUT, INT64S_OUT, returns=INT64,
)  # fmt: skip
_follow_crossings = function(
    "rankwise_follow_crossings", INT64S, INT64, DOUBLES, INT64S, INT64S, DOUBLES, DOUBLES, INT64,
    INT64S_OUT, INT64S_OUT, DOUBLE, DOUBLES_OUT,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class LineMeasure:
    """MAP or NDCG of s + t x as a sum over documents, followed along t.

    Attributes:
        gains: what a document adds, times the discount of its rank, or times the precision there.
        discounts: by rank from 0; none for average precision.
        query_offsets: as in the data set.
    """

    gains: Floats
    discounts: Floats
    query_offsets: Integers

    @classmethod
    def of(cls, dataset: Dataset, measure: str, tool: str) -> LineMeasure:
        """MAP or NDCG, with or without a cut-off, as the tool has it; others are refused."""
        wanted = find_tool(tool).measure(measure)
        if wanted.family == "NDCG":
            parts = DiscountedGains.of(dataset, wanted)
            return cls(parts.gains, parts.discounts, dataset.query_offsets)
        if wanted.family == "AP" and wanted.cutoff is None:
            return cls(_line_shares(dataset, wanted), np.zeros(0), dataset.query_offsets)
        raise RankwiseError(
            f"directrank must be given MAP or NDCG, with or without a cut-off of NDCG, as its "
            f"measure, found {measure}: along a line it follows sums over documents"
        )

    def best_step(self, scores: Floats, column: Floats, reach: float) -> tuple[float, float]:
        """The t in [−reach, reach] at which s + t x is best, and by how much it is better.

        The middle of an interval in which no two documents change places.
        """
        queries = len(self.query_offsets) - 1
        ranks, better = np.empty((2, len(scores)), dtype=np.int64)

        def find(count: int) -> tuple[int, Floats, Integers, Integers]:
            times, (above, below) = np.empty(count), np.empty((2, count), dtype=np.int64)
            found = _find_crossings(
                scores, column, self.gains, self.query_offsets, queries, reach,
                count, times, above, below, ranks, better,
            )  # fmt: skip
            return found, times, above, below

        # Counted first: a list that grows, or room for all pairs, would be larger than the data.
        count, times, above, below = find(find(0)[0])
        order = np.argsort(times, kind="stable")
        best = np.empty(2)
        _follow_crossings(
            order, count, times, above, below, self.gains, self.discounts, len(self.discounts),
            ranks, better, reach, best,
        )  # fmt: skip
        return float(best[0]), float(best[1]) / queries


def followed_tool(measure: str, tool: str) -> str:
    """The tool, or the definition where the tool cuts a MAP off for which no cut-off was asked.

    XGBoost's MAP looks at 32 documents, and what is cut off is no sum that a line can follow.
    """
    wanted = find_tool(tool).measure(measure)
    cut = wanted.family == "AP" and wanted.cutoff is not None
    asked = find_tool(DEFINITION).measure(measure).cutoff if cut else None
    return DEFINITION if cut and asked is None else tool


def _line_shares(dataset: Dataset, measure: Measure) -> Floats:
    """1 / R of the query for relevant documents, 0 for others."""
    record = make_plan([measure], 1).records[0]
    labels = seen_labels(dataset, measure)
    threshold = record["threshold"]
    relevant = labels > threshold if record["strict"] else labels >= threshold
    counts = np.add.reduceat(relevant, dataset.query_offsets[:-1], dtype=np.int64)
    shares: Floats = relevant / np.repeat(np.maximum(counts, 1), dataset.query_lengths)
    return shares
