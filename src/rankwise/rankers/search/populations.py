"""Populations of ranking functions that vary and are selected by a measure.

The weights of a linear function are found by a search that only asks for figures; formulas are
selected by a measure, generation by generation. The training measure of a whole population is
computed in one compiled pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.document_order import raise_if_failed
from rankwise.measures.prepared import PreparedMeasure
from rankwise.models.scorers.expression import Expression
from rankwise.models.scorers.linear import Linear
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.ranker import Learned, Training, Watch
from rankwise.rankers.search.formula_trees import Tree
from rankwise.rankers.training.model_selection import Judge, Steps, best_round
from rankwise.rankers.training.relative_features import RelativeFeatures
from rankwise.rankers.training.training_measure import TrainingMeasure


class WeightSearch(Protocol):
    """A population of weights that gets better generation by generation."""

    def step(self) -> float:
        """One generation; the best figure so far."""

    @property
    def best(self) -> Floats:
        """The best weights so far."""


class LinearObjective:
    """M(w · z) of many w at once, z the features as `RelativeFeatures` has them.

    Ties count what they are worth on average: weights that are all 0 would otherwise earn the
    figure of the file's order.
    """

    def __init__(self, train: Dataset, measure: str, tool: str) -> None:
        self._features = RelativeFeatures.of(train, scale_large=True)
        judged = TrainingMeasure.of(train, measure, tool, ties="expected")
        self._population = PopulationMeasure(judged, self._features.columns())

    @property
    def n_features(self) -> int:
        """How many weights there are."""
        return self._population.n_features

    def figures(self, weights: Floats) -> Floats:
        """One figure per row of weights."""
        return self._population.of_weights(weights)

    def scorer(self, weights: Floats) -> Linear:
        """The function for features as they stand in files; Σ |w_j| is 1 before scaling."""
        size = float(np.abs(weights).sum())
        return Linear(self._features.plain_weights(weights / size if size > 0.0 else weights))


class _SearchSteps:
    """A search as `best_round` follows it."""

    def __init__(self, search: WeightSearch, objective: LinearObjective) -> None:
        self._search = search
        self._objective = objective
        self.reached = -np.inf

    def step(self) -> float:
        self.reached = self._search.step()
        return self.reached

    def scorer(self) -> Linear:
        return self._objective.scorer(self._search.best)


def follow_search(
    search: WeightSearch,
    objective: LinearObjective,
    judge: Judge,
    *,
    generations: int,
    watch: Watch,
) -> Learned[Linear]:
    """The best weights of the generation that the judge chooses, and facts about it."""
    steps = _SearchSteps(search, objective)
    found, facts = best_round(steps, judge, rounds=generations, patience=generations, watch=watch)
    return Learned(found, facts | {"training": steps.reached})


class Evolution(Protocol):
    """A population of formulas and how its next generation is made."""

    population: list[Tree]

    def take_figures(self, figures: Floats) -> None:
        """Set the figures of the population."""

    def breed(self) -> None:
        """Make the next generation."""

    @property
    def best(self) -> Tree:
        """The best formula whose figure is known."""


@dataclass(eq=False)
class OnePopulation:
    """One population on the features of a data set, as `best_round` follows it."""

    evolution: Evolution
    measure: PopulationMeasure
    width: int
    generation: int = 0

    def step(self) -> float:
        """Judge the first generation, or make the next and judge it."""
        if self.generation:
            self.evolution.breed()
        self.generation += 1
        figures = judge_trees(self.measure, self.evolution.population)
        self.evolution.take_figures(figures)
        return float(figures.max())

    def scorer(self) -> Expression:
        """The best formula of the generation."""
        if not self.generation:
            return make_scorer(self.evolution.population[0], self.width)
        return make_scorer(self.evolution.best, self.width)


@dataclass(frozen=True, eq=False)
class MixedJudge(Judge):
    """Chooses by training and validation figures at once.

    `sum` is t + v − σ and `average` (t + v) / 2 − σ, t the figure on training data, v that on
    validation data, σ = |t − v| / 2 their deviation from the mean: a formula that is good on one
    of them by luck falls behind.

    De Almeida, Gonçalves, Cristo and Calado (2007), SIGIR.
    """

    other: Judge
    choice: str

    def value(self, scorer: Any) -> float:
        """The mixed figure of a formula."""
        first, second = super().value(scorer), self.other.value(scorer)
        weight = 1.0 if self.choice == "sum" else 0.5
        return weight * (first + second) - abs(first - second) / 2.0

    def facts(self, scorer: Any, value: float) -> dict[str, float]:
        """The measure on validation data, as of all rankers, and the mixed figure that chose."""
        return {"selection": super().value(scorer), "mixed": float(value)}


def judge_trees(measure: PopulationMeasure, trees: list[Tree]) -> Floats:
    """One figure per formula, all in one pass."""
    return measure.of_formulas(Formulas.of(trees))


def make_scorer(tree: Tree, width: int) -> Expression:
    """The function that a formula over `width` features is."""
    codes = np.array(tree.codes, dtype=np.int64)
    return Expression(codes, np.array(tree.constants, dtype=np.float64), width)


def make_judge(training: Training, measure: str, tool: str, choice: str = "validation") -> Judge:
    """Who chooses the generation; without validation data that is the training measure."""
    judge = Judge.of(training, measure, tool)
    if training.validation is None or choice == "validation":
        return judge
    other = Judge.of(Training(training.train), measure, tool)
    return MixedJudge(judge.dataset, judge.measure, other, choice)


def follow_trees(
    steps: Steps[Expression], judge: Judge, *, generations: int, watch: Watch
) -> Learned[Expression]:
    """The formula of the generation that the judge chooses, and facts about it."""
    found, facts = best_round(steps, judge, rounds=generations, patience=generations, watch=watch)
    kept = len(np.unique(found.codes[found.codes >= 0]))
    return Learned(found, facts | {"places": len(found.codes), "features_kept": kept})


_CANDIDATES = (DOUBLES, INT64, INT64, INT64, ADDRESS, INT64S, DOUBLES, INT64, INT64S)
_measure_population = function(
    "rankwise_measure_population", ADDRESS, *_CANDIDATES, DOUBLES_OUT, DOUBLES_OUT, returns=INT64
)
_score_population = function("rankwise_score_population", *_CANDIDATES, DOUBLES_OUT, returns=INT64)


@dataclass(frozen=True, eq=False)
class Formulas:
    """Formulas in postfix order, one after the other; see `models.scorers.expression`.

    Attributes:
        codes: the codes of all formulas.
        constants: as long as the codes.
        ends: where each formula ends.
    """

    codes: Integers
    constants: Floats
    ends: Integers

    @classmethod
    def of(cls, formulas: Sequence[tuple[Sequence[int], Sequence[float]]]) -> Formulas:
        """From the codes and the constants of each."""
        return cls(
            np.array([code for codes, _ in formulas for code in codes], dtype=np.int64),
            np.array([one for _, constants in formulas for one in constants], dtype=np.float64),
            np.cumsum([len(codes) for codes, _ in formulas], dtype=np.int64),
        )


_NO_FORMULAS = Formulas(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64))


class PopulationMeasure:
    """M(f(x)) of every candidate f: weights, f(x) = w · x, or formulas.

    Every query is met once, scored and ranked by all candidates while its features are at hand.
    Figures have the bits of `rankwise.evaluate` on the scores of `Linear` and `Expression`. Where
    the scores are not compared as they are (ties by document id, single precision, …), they are
    computed in one pass and measured in another.
    """

    def __init__(self, measure: TrainingMeasure, columns: Floats) -> None:
        """`columns` are the features of the measure's documents, (features, documents)."""
        self.measure = measure
        self._columns = np.ascontiguousarray(columns, dtype=np.float64)
        self._prepared = measure.prepared() if measure.compares_scores_as_they_are else None
        self._scores = np.empty(self._columns.shape[1])

    @classmethod
    def of(cls, dataset: Dataset, measure: str, tool: str) -> PopulationMeasure:
        """On the features of a data set as they stand.

        Ties count what they are worth on average: a formula that gives all documents one score
        would otherwise earn the figure of the file's order.
        """
        judged = TrainingMeasure.of(dataset, measure, tool, ties="expected")
        return cls(judged, dataset.features.T)

    @property
    def n_features(self) -> int:
        """How many weights a candidate has, and how many features a formula may name."""
        return len(self._columns)

    def of_weights(self, weights: Floats) -> Floats:
        """One figure per row of weights: (candidates, features)."""
        rows = np.ascontiguousarray(weights, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise ValueError(f"{self.n_features} weights are needed, found shape {rows.shape}")
        return self._figures(len(rows), rows, _NO_FORMULAS)

    def of_formulas(self, formulas: Formulas) -> Floats:
        """One figure per formula."""
        if len(formulas.codes) != len(formulas.constants):
            raise ValueError("codes and constants must be equally many")
        return self._figures(len(formulas.ends), None, formulas)

    def _figures(self, count: int, weights: Floats | None, formulas: Formulas) -> Floats:
        candidates = (
            self._columns,
            *self._columns.shape[::-1],
            count,
            None if weights is None else weights.ctypes.data,
            formulas.codes,
            formulas.constants,
            len(formulas.codes),
            formulas.ends,
        )
        if self._prepared is None:
            scores = np.empty((count, self._columns.shape[1]))
            raise_if_failed(_score_population(*candidates, scores))
            return self.measure.figures(self.measure.values(scores))
        return self.measure.figures(self._values(self._prepared, count, candidates))

    def _values(self, measure: PreparedMeasure, count: int, candidates: tuple[Any, ...]) -> Floats:
        out = np.empty((count, measure.queries))
        raise_if_failed(_measure_population(measure.address, *candidates, self._scores, out))
        return self.measure.without_skipped(out)
