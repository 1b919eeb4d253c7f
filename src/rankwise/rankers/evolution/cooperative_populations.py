"""Cooperative coevolution: populations of parts, judged by what they add to the others' winners."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankwise.rankers.evolution.expression_trees import Tree, join
from rankwise.rankers.evolution.population_measure import PopulationMeasure
from rankwise.rankers.evolution.tree_training import Evolution, judge_trees, make_scorer
from rankwise.rankers.scorers.expression import Expression


class CooperativePopulations:
    """f = Σ_k f_k, the k-th part from population k.

    Attributes:
        winners: the parts of the best sum so far.
        reached: its figure; −∞ before the first generation.
    """

    def __init__(
        self, populations: Sequence[Evolution], measure: PopulationMeasure, width: int
    ) -> None:
        self._populations = populations
        self._measure = measure
        self._width = width
        self.winners = [one.population[0] for one in populations]
        self.reached = -np.inf

    def step(self) -> float:
        """One generation of all populations; the figure of the winners' sum."""
        if self.reached > -np.inf:
            for one in self._populations:
                one.breed()
        sums = [
            self._sum_with(place, tree)
            for place, one in enumerate(self._populations)
            for tree in one.population
        ]
        figures = judge_trees(self._measure, sums)
        ends = np.cumsum([len(one.population) for one in self._populations])
        for one, own in zip(self._populations, np.split(figures, ends[:-1]), strict=True):
            one.take_figures(own)
        self._choose_winners(float(figures.max()))
        return self.reached

    def scorer(self) -> Expression:
        """The sum of the winners."""
        return make_scorer(join(self.winners), self._width)

    def _choose_winners(self, highest: float) -> None:
        """All new ones where their sum is as good as the best with one of them, else that one."""
        best = [one.best for one in self._populations]
        together = float(judge_trees(self._measure, [join(best)])[0])
        if together >= max(highest, self.reached):
            self.winners, self.reached = best, together
            return
        singly = [self._sum_with(place, tree) for place, tree in enumerate(best)]
        figures = judge_trees(self._measure, singly)
        place = int(np.argmax(figures))
        if figures[place] >= self.reached:
            self.winners = [*self.winners]
            self.winners[place] = best[place]
            self.reached = float(figures[place])

    def _sum_with(self, place: int, tree: Tree) -> Tree:
        """The winners' sum with another part in one place."""
        return join([*self.winners[:place], tree, *self.winners[place + 1 :]])
