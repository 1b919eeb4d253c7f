"""RankMGP: genetic programming in layers of several populations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.evolution.expression_trees import ExpressionTrees, Tree
from rankwise.rankers.evolution.genetic_programming import GeneticProgramming, GeneticRates
from rankwise.rankers.evolution.layered_populations import LayeredPopulations
from rankwise.rankers.evolution.tree_training import follow_trees, make_judge
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.round_measures import SAME, selected_by
from rankwise.rankers.scorers.expression import Expression
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.training_measure import TrainingMeasure


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
    tool: str = parameter("definition", "whose convention of the measures is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Expression, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        rates = GeneticRates(self.crossover, self.mutation, self.tournament)

        def make_population(width: int, start: list[Tree]) -> GeneticProgramming:
            trees = ExpressionTrees(width, self.depth)
            drawn = trees.populate(rng, max(0, self.population - len(start)))
            return GeneticProgramming(trees, [*start, *drawn], rng, rates)

        training = LayeredPopulations(
            train.features,
            TrainingMeasure.of(train, self.measure, self.tool, ties="expected"),
            make_population,
            layers=self.layers,
            populations=self.populations,
            generations=self.generations,
        )
        judge = make_judge(train, validation, selected_by(self.selection, self.measure), self.tool)
        generations = self.layers * self.generations
        return follow_trees(training, judge, generations=generations, watch=watch)
