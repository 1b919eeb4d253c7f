"""GPRank: genetic programming of formulas over features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.evolution.expression_trees import ExpressionTrees
from rankwise.rankers.evolution.genetic_programming import GeneticProgramming, GeneticRates
from rankwise.rankers.evolution.population_measure import PopulationMeasure
from rankwise.rankers.evolution.tree_training import OnePopulation, follow_trees, make_judge
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.round_measures import SAME, selected_by
from rankwise.rankers.scorers.expression import Expression
from rankwise.rankers.training.label_levels import refuse_equal_labels


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
    tool: str = parameter("definition", "whose convention of the measures is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Expression, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        trees = ExpressionTrees(train.n_features, self.depth)
        rates = GeneticRates(self.crossover, self.mutation, self.tournament)
        evolution = GeneticProgramming(trees, trees.populate(rng, self.population), rng, rates)
        measure = PopulationMeasure.of(train, self.measure, self.tool)
        judge = make_judge(train, validation, selected_by(self.selection, self.measure), self.tool)
        training = OnePopulation(evolution, measure, train.n_features)
        return follow_trees(training, judge, generations=self.generations, watch=watch)
