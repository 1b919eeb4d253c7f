"""SwarmRank: a particle swarm in the space of non-negative weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.evolution.linear_training import LinearObjective, follow_search
from rankwise.rankers.evolution.particle_swarm import ParticleSwarm
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.round_measures import SAME, selected_by
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.rounds import Judge


@dataclass(frozen=True)
class SwarmRank(Ranker):
    """Maximise M(w · x) over w in [0, 1]ⁿ, M any measure, by a particle swarm.

    See `ParticleSwarm` for how particles fly. They begin uniform in the cube, at rest; the weights
    of the model are divided by their sum. The flight whose best place has the best M, or another
    `selection`, on validation is taken (on training data where there is none).

    That weights lie in [0, 1] is the paper's; the settings of the flight and what happens at the
    sides of the cube are guesses. A feature of which less is better counts nothing. Features whose
    spread within queries is above 1 are divided by it during the search.

    Diaz-Aviles, Nejdl, Schmidt-Thieme (2009). Swarming to rank for information retrieval. GECCO.
    """

    name: ClassVar[str] = "swarmrank"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Diaz-Aviles, Nejdl and Schmidt-Thieme (2009), GECCO"
    uses_measure: ClassVar[bool] = True
    follows_tool: ClassVar[bool] = True
    random: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "inertia, pulls and the highest speed",
        "what happens at the sides of the cube",
    )

    population: int = parameter(50, "particles", lowest=1, highest=10_000)
    generations: int = parameter(80, "flights; the best one is chosen on validation", lowest=1)
    inertia: float = parameter(
        0.729,
        "ω, how much of its speed a particle keeps",
        grid=(0.5, 0.729),
        lowest=0.0,
        highest=1.0,
    )
    own_pull: float = parameter(
        1.494, "c₁, the pull of the best place of the particle", lowest=0.0, highest=10.0
    )
    common_pull: float = parameter(
        1.494, "c₂, the pull of the best place of all", lowest=0.0, highest=10.0
    )
    fastest: float = parameter(
        0.5, "the highest speed, in sides of the cube", lowest=1e-6, highest=1.0
    )
    measure: str = parameter("MAP", "the measure M")
    selection: str = parameter(SAME, "the measure that chooses the flight; same: M")
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
        search = ParticleSwarm(
            objective.figures,
            rng.random((self.population, objective.n_features)),
            rng,
            inertia=self.inertia,
            own=self.own_pull,
            common=self.common_pull,
            fastest=self.fastest,
        )
        return follow_search(search, objective, judge, generations=self.generations, watch=watch)
