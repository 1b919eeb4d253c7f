"""CCRank: formulas whose parts evolve in populations of their own, together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.evolution.cooperative_populations import CooperativePopulations
from rankwise.rankers.evolution.expression_trees import ExpressionTrees
from rankwise.rankers.evolution.immune_programming import ImmuneProgramming, ImmuneRates
from rankwise.rankers.evolution.population_measure import PopulationMeasure
from rankwise.rankers.evolution.tree_training import follow_trees, make_judge
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.round_measures import SAME, selected_by
from rankwise.rankers.scorers.expression import Expression
from rankwise.rankers.training.label_levels import refuse_equal_labels


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
        populations = [
            ImmuneProgramming(trees, trees.populate(rng, self.population), rng, rates)
            for _ in range(self.parts)
        ]
        measure = PopulationMeasure.of(train, self.measure, self.tool)
        judge = make_judge(train, validation, selected_by(self.selection, self.measure), self.tool)
        training = CooperativePopulations(populations, measure, train.n_features)
        return follow_trees(training, judge, generations=self.generations, watch=watch)
