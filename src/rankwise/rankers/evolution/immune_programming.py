"""Immune programming: formulas as antibodies that are cloned, hypermutated and replaced."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.rankers.evolution.expression_trees import ExpressionTrees, Tree

Floats = NDArray[np.float64]

# What the lowest affinity counts when clones are drawn.
_LEAST_SHARE = 0.1
# How fast mutation falls with affinity.
_FALL = 2.0


@dataclass(frozen=True)
class ImmuneRates:
    """How the next repertoire comes from the last.

    Attributes:
        replacement: the share of antibodies that are drawn anew.
        mutation: how likely an antibody of the lowest affinity mutates at each of its places.
    """

    replacement: float
    mutation: float


class ImmuneProgramming:
    """A repertoire of formulas, generation by generation.

    The affinity a of an antibody is its figure, stretched over the repertoire so that the lowest is
    0 and the highest 1. The next repertoire has the best antibody as it is, a share of random new
    ones, and clones of the others, drawn in proportion to a + 0.1. A clone mutates once for every
    place of it that is hit, each with probability μ exp(−2 a): the better an antibody, the less
    its clones differ. A mutation changes one place or draws a subtree anew, equally likely.

    After Musilek, Lau, Reformat and Wyard-Scott (2006), Information Sciences 176; the exponential
    is that of de Castro and von Zuben (2002), IEEE Transactions on Evolutionary Computation 6.
    """

    def __init__(
        self,
        trees: ExpressionTrees,
        start: list[Tree],
        rng: np.random.Generator,
        rates: ImmuneRates,
    ) -> None:
        self._trees = trees
        self._rng = rng
        self._rates = rates
        self.population = start
        self.figures: Floats = np.full(len(start), -np.inf)

    def take_figures(self, figures: Floats) -> None:
        """Set the figures of the repertoire."""
        self.figures = figures

    def breed(self) -> None:
        """Make the next repertoire, whose figures are then unknown but for the best."""
        count = len(self.population)
        new = round(self._rates.replacement * (count - 1))
        affinities = self._affinities()
        shares = np.cumsum(affinities + _LEAST_SHARE)
        drawn = np.searchsorted(shares, self._rng.random(count - 1 - new) * shares[-1], "right")
        clones = [
            self._clone(self.population[place], float(affinities[place]))
            for place in drawn.tolist()
        ]
        self.population = [self.best, *clones, *self._trees.populate(self._rng, new)]

    @property
    def best(self) -> Tree:
        """The antibody with the highest figure, of equals the shortest."""
        highest = np.flatnonzero(self.figures == self.figures.max()).tolist()
        return min((self.population[place] for place in highest), key=lambda one: len(one.codes))

    def _affinities(self) -> Floats:
        lowest, highest = float(self.figures.min()), float(self.figures.max())
        if highest == lowest:
            return np.ones(len(self.figures))
        found: Floats = (self.figures - lowest) / (highest - lowest)
        return found

    def _clone(self, antibody: Tree, affinity: float) -> Tree:
        rate = self._rates.mutation * math.exp(-_FALL * affinity)
        for _ in range(int(self._rng.binomial(len(antibody.codes), rate))):
            change = self._trees.change_point if self._rng.random() < 0.5 else self._trees.mutate
            antibody = change(self._rng, antibody)
        return antibody
