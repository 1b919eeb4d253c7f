"""RankDE: differential evolution of the weights of a linear function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.evolution.differential_evolution import FEWEST, DifferentialEvolution
from rankwise.rankers.evolution.linear_training import LinearObjective, follow_search
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.round_measures import SAME, selected_by
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.rounds import Judge


@dataclass(frozen=True)
class RankDE(Ranker):
    """Maximise M(w · x) over w, M any measure, by differential evolution.

    See `DifferentialEvolution` for how weights vary. They begin uniform in [−1, 1]; the generation
    whose best w has the best M, or another `selection`, on validation is taken (on training data
    where there is none).

    The variant (DE/rand/1/bin) is the usual one; where weights begin, the number of generations and
    the settings of the variation are guesses. Features whose spread within queries is above 1 are
    divided by it during the search. Not `swarmrank`, whose candidates have speeds.

    Bollegala, Noman, Iba (2011). RankDE: learning a ranking function for information retrieval
    using differential evolution. GECCO.
    """

    name: ClassVar[str] = "rankde"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Bollegala, Noman and Iba (2011), GECCO"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "where weights begin",
        "population, generations, F and C",
    )

    population: int = parameter(50, "candidates at a time", lowest=FEWEST, highest=10_000)
    generations: int = parameter(100, "generations; the best one is chosen on validation", lowest=1)
    factor: float = parameter(
        0.5, "F, how much of the difference of two others is added", lowest=0.0, highest=2.0
    )
    crossover: float = parameter(
        0.9,
        "C, how likely a weight is the varied one",
        grid=(0.5, 0.9),
        lowest=0.0,
        highest=1.0,
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
    ) -> tuple[Linear, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        objective = LinearObjective(train, self.measure, self.tool)
        judge = Judge.of(train, validation, selected_by(self.selection, self.measure), self.tool)
        search = DifferentialEvolution(
            objective.figures,
            rng.uniform(-1.0, 1.0, (self.population, objective.n_features)),
            rng,
            factor=self.factor,
            crossover=self.crossover,
        )
        return follow_search(search, objective, judge, generations=self.generations, watch=watch)
