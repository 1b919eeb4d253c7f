"""IPRank and CCRank find formulas over features by immune programming.

Formulas are antibodies that are cloned, hypermutated and replaced. CCRank's formulas have parts
that evolve in populations of their own, together: cooperative coevolution, in which parts are
judged by what they add to the others' winners.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.models.scorers.expression import Expression
from rankwise.native.arrays import Floats
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.round_measures import SAME, selected_by
from rankwise.rankers.search.formula_trees import ExpressionTrees, Tree, join
from rankwise.rankers.search.populations import (
    Evolution,
    OnePopulation,
    PopulationMeasure,
    follow_trees,
    judge_trees,
    make_judge,
    make_scorer,
)
from rankwise.rankers.training.preferences import refuse_equal_labels

CHOICES = ("sum", "average", "validation")


@dataclass(frozen=True)
class IPRank(Ranker):
    """Maximise M(f(x)) over formulas f of features, constants, +, −, · and ÷.

    Formulas are antibodies whose affinity is M on the training queries; see `ImmuneProgramming` for
    how they are cloned, hypermutated and replaced. Of the best formula of each generation the one
    is taken that is best by training and validation figures together: `sum` is t + v − σ,
    `average` (t + v) / 2 − σ with σ = |t − v| / 2, `validation` v alone. Without validation data
    the training figure decides. A model says v, as those of other rankers, and the mixed figure.

    The outline, and that training and validation choose together by one of two formulas, are the
    paper's; which formulas these are, rates, depth and sizes are guesses. Not `gprank`, which
    crosses formulas and has logarithms.

    Wang, Ma, Liu (2009). Learning to rank using evolutionary computation: immune programming or
    genetic programming? CIKM.
    """

    name: ClassVar[str] = "iprank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Wang, Ma and Liu (2009), CIKM"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "the rates of cloning, mutation and replacement",
        "the depth of formulas",
        "the two formulas that choose among generations",
    )

    population: int = parameter(100, "antibodies at a time", lowest=2, highest=100_000)
    generations: int = parameter(30, "generations of antibodies", lowest=1)
    depth: int = parameter(6, "levels of a formula at most", lowest=1, highest=12)
    replacement: float = parameter(
        0.1, "the share of antibodies that are drawn anew", lowest=0.0, highest=1.0
    )
    mutation: float = parameter(
        0.3,
        "μ, how likely each place of the worst antibody mutates",
        grid=(0.3, 0.6),
        lowest=0.0,
        highest=1.0,
    )
    choice: str = parameter(
        "sum", "what chooses among generations: t + v - σ, its mean form, or v", choices=CHOICES
    )
    measure: str = parameter("MAP", "the measure M")
    selection: str = parameter(SAME, "the measure that chooses the generation; same: M")
    tool: str = convention("measures")

    def _learn(self, training: Training) -> Learned[Expression]:
        train = training.train
        refuse_equal_labels(train, self.name)
        trees = ExpressionTrees(train.n_features, self.depth, logarithms=False)
        rates = ImmuneRates(self.replacement, self.mutation)
        evolution = ImmuneProgramming(
            trees, trees.populate(training.rng, self.population), training.rng, rates
        )
        measure = PopulationMeasure.of(train, self.measure, self.tool)
        selection = selected_by(self.selection, self.measure)
        judge = make_judge(training, selection, self.tool, self.choice)
        steps = OnePopulation(evolution, measure, train.n_features)
        return follow_trees(steps, judge, generations=self.generations, watch=training.watch)


@dataclass(frozen=True)
class CCRank(Ranker):
    """Maximise M(Σ_k f_k(x)) over formulas f_1 … f_K, each from a population of its own.

    A formula of population k is judged by M of its sum with the winners of the other populations in
    the generation before; so no population waits for another, and all are judged in one pass. The
    winners of a generation are the best of each population where their sum is the best of all sums
    at hand, and otherwise the parts of the best sum. Populations evolve by `ImmuneProgramming`; the
    generation whose winners have the best M, or another `selection`, on validation is taken (on
    training data where there is none).

    Cooperation with the winners of the generation before and immune programming are the paper's;
    that parts are added, their number, and all rates are guesses. Here one process judges all
    populations: the paper's parallel machine changes no figure.

    Wang, Gao, Wang, Lauw (2011). CCRank: parallel learning to rank with cooperative coevolution.
    AAAI.
    """

    name: ClassVar[str] = "ccrank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Wang, Gao, Wang and Lauw (2011), AAAI"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "that the parts are added",
        "the number of populations and their sizes",
        "the rates of cloning, mutation and replacement",
    )

    parts: int = parameter(
        4, "K, the populations whose formulas are added", grid=(4, 8), lowest=1, highest=50
    )
    population: int = parameter(30, "formulas in each of them", lowest=2, highest=100_000)
    generations: int = parameter(30, "generations; the best is chosen on validation", lowest=1)
    depth: int = parameter(4, "levels of a part at most", lowest=1, highest=12)
    replacement: float = parameter(
        0.1, "the share of antibodies that are drawn anew", lowest=0.0, highest=1.0
    )
    mutation: float = parameter(
        0.3, "μ, how likely each place of the worst antibody mutates", lowest=0.0, highest=1.0
    )
    measure: str = parameter("MAP", "the measure M")
    selection: str = parameter(SAME, "the measure that chooses the generation; same: M")
    tool: str = convention("measures")

    def _learn(self, training: Training) -> Learned[Expression]:
        train = training.train
        refuse_equal_labels(train, self.name)
        trees = ExpressionTrees(train.n_features, self.depth, logarithms=False)
        rates = ImmuneRates(self.replacement, self.mutation)
        populations = [
            ImmuneProgramming(
                trees, trees.populate(training.rng, self.population), training.rng, rates
            )
            for _ in range(self.parts)
        ]
        measure = PopulationMeasure.of(train, self.measure, self.tool)
        judge = make_judge(training, selected_by(self.selection, self.measure), self.tool)
        steps = CooperativePopulations(populations, measure, train.n_features)
        return follow_trees(steps, judge, generations=self.generations, watch=training.watch)


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
