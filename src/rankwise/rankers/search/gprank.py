"""GPRank and RankMGP find formulas over features by genetic programming.

Formulas are crossed and mutated, the fitter ones more often. RankMGP's populations stand in layers
of several: the best formulas of one layer are features of the next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.models.scorers.expression import Expression
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.round_measures import SAME, selected_by
from rankwise.rankers.search.formula_trees import ExpressionTrees, Tree, substitute
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
from rankwise.rankers.training.training_measure import TrainingMeasure


@dataclass(frozen=True)
class GPRank(Ranker):
    """Maximise M(f(x)) over formulas f of features, constants, +, −, ·, ÷ and log.

    See `GeneticProgramming` for how formulas vary. The first generation is Koza's ramped
    half-and-half; the generation whose best formula has the best M, or another `selection`, on
    validation is taken (on training data where there is none). Ties count what they are worth on
    average: a constant formula would otherwise earn the figure of the file's order.

    That formulas over all evidence are evolved by average precision and chosen on validation is the
    paper's; population, rates and depth are guesses. Not `iprank`, whose formulas are never
    crossed, and not the method GP of the comparison, which puts term weighting formulas together.

    Silva, Gonçalves, Laender, Modesto, Cristo, Ziviani (2009). Finding what is missing from a
    digital library: a case study in the computer science field. Information Processing and
    Management 45; as a ranker in Torkestani (2012).
    """

    name: ClassVar[str] = "gprank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Silva and others (2009), Information Processing and Management 45"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "population, generations and the rates of variation",
        "the depth of formulas",
    )

    population: int = parameter(100, "formulas at a time", lowest=2, highest=100_000)
    generations: int = parameter(30, "generations; the best is chosen on validation", lowest=1)
    depth: int = parameter(6, "levels of a formula at most", grid=(4, 6), lowest=1, highest=12)
    crossover: float = parameter(0.9, "how likely a child has two parents", lowest=0.0, highest=1.0)
    mutation: float = parameter(
        0.1, "how likely a subtree of a child is drawn anew", lowest=0.0, highest=1.0
    )
    tournament: int = parameter(
        4, "formulas drawn, of which the best is a parent", lowest=1, highest=1000
    )
    measure: str = parameter("MAP", "the measure M")
    selection: str = parameter(SAME, "the measure that chooses the generation; same: M")
    tool: str = convention("measures")

    def _learn(self, training: Training) -> Learned[Expression]:
        train = training.train
        refuse_equal_labels(train, self.name)
        trees = ExpressionTrees(train.n_features, self.depth)
        rates = GeneticRates(self.crossover, self.mutation, self.tournament)
        evolution = GeneticProgramming(
            trees, trees.populate(training.rng, self.population), training.rng, rates
        )
        measure = PopulationMeasure.of(train, self.measure, self.tool)
        judge = make_judge(training, selected_by(self.selection, self.measure), self.tool)
        steps = OnePopulation(evolution, measure, train.n_features)
        return follow_trees(steps, judge, generations=self.generations, watch=training.watch)


@dataclass(frozen=True)
class RankMGP(Ranker):
    """Maximise M(f(x)) over formulas f that are made of formulas found before.

    Several populations evolve apart from each other in a layer; their best formulas are further
    features of the next, and the last layer, a single population, has the function. See
    `LayeredPopulations`, and `GeneticProgramming` for how formulas vary. The generation whose best
    formula has the best M, or another `selection`, on validation is taken, of whatever layer (on
    training data where there is none).

    Layers of several populations are the paper's; how many, what is handed on, and all rates are
    guesses. With one layer it is `gprank`.

    Lin, Yeh, Ke, Yang (2012). Learning to rank for information retrieval using layered
    multi-population genetic programming. IEEE International Conference on Computational
    Intelligence and Cybernetics.
    """

    name: ClassVar[str] = "rankmgp"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Lin, Yeh, Ke and Yang (2012), CyberneticsCom"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "the number of layers and populations",
        "what a layer hands to the next",
        "the rates of variation and the depth of formulas",
    )

    layers: int = parameter(2, "layers; the last has one population", lowest=1, highest=5)
    populations: int = parameter(
        3, "populations of the layers before the last", lowest=1, highest=50
    )
    population: int = parameter(50, "formulas in each of them", lowest=2, highest=100_000)
    generations: int = parameter(25, "generations of every layer", lowest=1)
    depth: int = parameter(
        5, "levels of a formula at most, in each layer", grid=(3, 5), lowest=1, highest=8
    )
    crossover: float = parameter(0.9, "how likely a child has two parents", lowest=0.0, highest=1.0)
    mutation: float = parameter(
        0.1, "how likely a subtree of a child is drawn anew", lowest=0.0, highest=1.0
    )
    tournament: int = parameter(
        4, "formulas drawn, of which the best is a parent", lowest=1, highest=1000
    )
    measure: str = parameter("MAP", "the measure M")
    selection: str = parameter(SAME, "the measure that chooses the generation; same: M")
    tool: str = convention("measures")

    def _learn(self, training: Training) -> Learned[Expression]:
        train = training.train
        refuse_equal_labels(train, self.name)
        rates = GeneticRates(self.crossover, self.mutation, self.tournament)

        def make_population(width: int, start: list[Tree]) -> GeneticProgramming:
            trees = ExpressionTrees(width, self.depth)
            drawn = trees.populate(training.rng, max(0, self.population - len(start)))
            return GeneticProgramming(trees, [*start, *drawn], training.rng, rates)

        steps = LayeredPopulations(
            train.features,
            TrainingMeasure.of(train, self.measure, self.tool, ties="expected"),
            make_population,
            layers=self.layers,
            populations=self.populations,
            generations=self.generations,
        )
        judge = make_judge(training, selected_by(self.selection, self.measure), self.tool)
        generations = self.layers * self.generations
        return follow_trees(steps, judge, generations=generations, watch=training.watch)


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
        self._ranks: Integers = np.zeros(0, np.int64)
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


MakePopulation = Callable[[int, list[Tree]], Evolution]
"""A population over so many features that begins with the given formulas among others."""


class LayeredPopulations:
    """Layer after layer, each of several populations that know nothing of each other.

    A population of layer l + 1 sees the features and, as further ones, the best formula of every
    population of layer l, from which it also begins: what a layer has reached is not lost. All
    populations of a layer are judged in one pass; the last layer has a single one.
    """

    def __init__(
        self,
        features: Floats,
        measure: TrainingMeasure,
        make: MakePopulation,
        *,
        layers: int,
        populations: int,
        generations: int,
    ) -> None:
        """`features` are (documents, features); each layer has so many generations."""
        self._features = features
        self._judged = measure
        self._make = make
        self._layers = layers
        self._count = populations
        self._generations = generations
        self._generation = 0
        # The formulas, over the features alone, that the layer before handed on.
        self._inputs: list[Tree] = []
        self._open_layer(0)

    def step(self) -> float:
        """One generation of all populations of the layer; their best figure."""
        layer, place = divmod(self._generation, self._generations)
        if layer and place == 0:
            self._inputs = [self._written_out(one.best) for one in self._populations]
            self._open_layer(layer)
        elif place:
            for one in self._populations:
                one.breed()
        self._generation += 1
        trees = [tree for one in self._populations for tree in one.population]
        figures = judge_trees(self._measure, trees)
        ends = np.cumsum([len(one.population) for one in self._populations])
        parts = np.split(figures, ends[:-1])
        for one, own in zip(self._populations, parts, strict=True):
            one.take_figures(own)
        self._leader = self._populations[int(np.argmax([own.max() for own in parts]))]
        return float(figures.max())

    def scorer(self) -> Expression:
        """The best formula of the layer, over the features alone."""
        width = self._features.shape[1]
        if not self._generation:
            return make_scorer(self._leader.population[0], width)
        return make_scorer(self._written_out(self._leader.best), width)

    def _open_layer(self, layer: int) -> None:
        width = self._features.shape[1]
        scores = [make_scorer(tree, width).score(self._features) for tree in self._inputs]
        columns = np.vstack([self._features.T, *scores])
        self._measure = PopulationMeasure(self._judged, columns)
        start = [Tree((width + place,), (0.0,)) for place in range(len(scores))]
        count = 1 if layer == self._layers - 1 else self._count
        self._populations = [self._make(len(columns), start) for _ in range(count)]
        self._leader = self._populations[0]

    def _written_out(self, tree: Tree) -> Tree:
        return substitute(tree, self._inputs, self._features.shape[1])
