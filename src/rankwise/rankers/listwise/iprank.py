"""IPRank: immune programming of formulas over features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.evolution.expression_trees import ExpressionTrees
from rankwise.rankers.evolution.immune_programming import ImmuneProgramming, ImmuneRates
from rankwise.rankers.evolution.population_measure import PopulationMeasure
from rankwise.rankers.evolution.tree_training import OnePopulation, follow_trees, make_judge
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.round_measures import SAME, selected_by
from rankwise.rankers.scorers.expression import Expression
from rankwise.rankers.training.label_levels import refuse_equal_labels

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
    tool: str = parameter("definition", "whose convention of the measures is followed")

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Expression, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        trees = ExpressionTrees(train.n_features, self.depth, logarithms=False)
        rates = ImmuneRates(self.replacement, self.mutation)
        evolution = ImmuneProgramming(trees, trees.populate(rng, self.population), rng, rates)
        measure = PopulationMeasure.of(train, self.measure, self.tool)
        selection = selected_by(self.selection, self.measure)
        judge = make_judge(train, validation, selection, self.tool, self.choice)
        training = OnePopulation(evolution, measure, train.n_features)
        return follow_trees(training, judge, generations=self.generations, watch=watch)
