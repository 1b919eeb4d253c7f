"""Formulas that a measure selects, generation by generation: what their rankers share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.evolution.expression_trees import Tree
from rankwise.rankers.evolution.population_measure import Formulas, PopulationMeasure
from rankwise.rankers.ranker import Watch
from rankwise.rankers.scorers.expression import Expression
from rankwise.rankers.training.rounds import Judge, best_round

Floats = NDArray[np.float64]


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


class TreeTraining(Protocol):
    """A formula that gets better round by round; see `Training`."""

    def step(self) -> float:
        """Do one generation; the best figure."""

    def scorer(self) -> Expression:
        """The best formula."""


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


def make_judge(
    train: Dataset, validation: Dataset | None, measure: str, tool: str, choice: str = "validation"
) -> Judge:
    """Who chooses the generation; without validation data that is the training measure."""
    judge = Judge.of(train, validation, measure, tool)
    if validation is None or choice == "validation":
        return judge
    other = Judge.of(train, None, measure, tool)
    return MixedJudge(judge.dataset, judge.measure, other, choice)


def follow_trees(
    training: TreeTraining, judge: Judge, *, generations: int, watch: Watch
) -> tuple[Expression, dict[str, Any]]:
    """The formula of the generation that the judge chooses, and facts about it."""
    found, facts = best_round(
        training, judge, rounds=generations, patience=generations, watch=watch
    )
    kept = len(np.unique(found.codes[found.codes >= 0]))
    return found, facts | {"places": len(found.codes), "features_kept": kept}
