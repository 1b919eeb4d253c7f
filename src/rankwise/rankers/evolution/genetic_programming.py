"""Genetic programming: formulas that are crossed and mutated, the fitter ones more often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers.evolution.expression_trees import ExpressionTrees, Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GeneticRates:
    """How the next generation comes from the last.

    Attributes:
        crossover: how likely a child has two parents.
        mutation: how likely a child of one parent, or of two, has a subtree drawn anew.
        tournament: formulas that are drawn, of which the fittest is a parent.
        elite: the fittest formulas, which stay as they are.
    """

    crossover: float
    mutation: float
    tournament: int
    elite: int = 1


class GeneticProgramming:
    """A population of formulas, generation by generation.

    A parent is the fittest of a few that are drawn, of equally fit ones the shortest. With
    probability `crossover` one of its subtrees is replaced by one of another parent, and with
    probability `mutation` a subtree of the child is drawn anew; what would be too deep is not made.
    The elite stays as it is, so that the best figure never falls.

    Koza (1992), Genetic Programming, MIT Press.
    """

    def __init__(
        self,
        trees: ExpressionTrees,
        start: list[Tree],
        rng: np.random.Generator,
        rates: GeneticRates,
    ) -> None:
        self._trees = trees
        self._rng = rng
        self._rates = rates
        self._ranks: NDArray[np.int64] = np.zeros(0, np.int64)
        self.population = start
        self.figures: Floats = np.full(len(start), -np.inf)

    def take_figures(self, figures: Floats) -> None:
        """Set how fit the formulas of the population are."""
        self.figures = figures
        lengths = np.array([len(tree.codes) for tree in self.population])
        order = np.lexsort((lengths, -figures))
        self._ranks = np.empty(len(order), dtype=np.int64)
        self._ranks[order] = np.arange(len(order))

    def breed(self) -> None:
        """Make the next generation, whose figures are then unknown but for the elite."""
        order = np.argsort(self._ranks)
        elite = [self.population[place] for place in order[: self._rates.elite].tolist()]
        count = len(self.population) - len(elite)
        self.population = elite + [self._child() for _ in range(count)]

    @property
    def best(self) -> Tree:
        """The fittest formula, of equally fit ones the shortest."""
        return self.population[int(np.argmin(self._ranks))]

    def _child(self) -> Tree:
        child = self._parent()
        if self._rng.random() < self._rates.crossover:
            child = self._trees.cross(self._rng, child, self._parent())
        if self._rng.random() < self._rates.mutation:
            child = self._trees.mutate(self._rng, child)
        return child

    def _parent(self) -> Tree:
        drawn = self._rng.integers(len(self.population), size=self._rates.tournament)
        return self.population[int(drawn[np.argmin(self._ranks[drawn])])]
