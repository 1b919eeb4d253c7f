"""RankDE and SwarmRank search the weights of a linear function for the best measure.

RankDE's differential evolution varies candidates by the differences of others. SwarmRank's particle
swarm lies in the space of non-negative weights: candidates fly towards the best places that they
and all others have seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.models.scorers.linear import Linear
from rankwise.native.arrays import Floats
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.round_measures import SAME, selected_by
from rankwise.rankers.search.populations import LinearObjective, follow_search
from rankwise.rankers.training.model_selection import Judge
from rankwise.rankers.training.preferences import refuse_equal_labels

FEWEST = 4
"""Candidates that one needs to vary by: itself and three others."""


class DifferentialEvolution:
    """DE/rand/1/bin, which maximises a function of vectors.

        v_i = x_a + F (x_b − x_c),  a, b, c and i all different,
        u_ij = v_ij with probability C, and for one j that is drawn; x_ij otherwise,

    and u_i takes the place of x_i where its figure is not lower. All u of a generation are made
    from the generation before, so that they are judged together.

    Storn and Price (1997), Journal of Global Optimization 11.
    """

    def __init__(
        self,
        judge: Callable[[Floats], Floats],
        start: Floats,
        rng: np.random.Generator,
        *,
        factor: float,
        crossover: float,
    ) -> None:
        """`judge` gives one figure per row; `start` is (candidates, numbers)."""
        if len(start) < FEWEST:
            raise ValueError(f"at least {FEWEST} candidates are needed, found {len(start)}")
        self._judge = judge
        self._rng = rng
        self._factor = factor
        self._crossover = crossover
        self._candidates = start.copy()
        self._figures = judge(start)

    def step(self) -> float:
        """One generation; the best figure so far."""
        tried = self._tried()
        figures = self._judge(tried)
        kept = figures >= self._figures
        self._candidates[kept] = tried[kept]
        self._figures[kept] = figures[kept]
        return float(self._figures.max())

    @property
    def best(self) -> Floats:
        """The candidate with the highest figure, the first among equals."""
        found: Floats = self._candidates[int(np.argmax(self._figures))]
        return found

    def _tried(self) -> Floats:
        count, size = self._candidates.shape
        a, b, c = self._others(count)
        varied = a + self._factor * (b - c)
        taken = self._rng.random((count, size)) < self._crossover
        taken[np.arange(count), self._rng.integers(size, size=count)] = True
        return np.where(taken, varied, self._candidates)

    def _others(self, count: int) -> Floats:
        """Three candidates for each, different from it and from each other."""
        keys = self._rng.random((count, count))
        np.fill_diagonal(keys, 2.0)
        chosen = np.argsort(keys, axis=1, kind="stable")[:, :3]
        found: Floats = self._candidates[chosen.T]
        return found


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
    tool: str = convention("measures")

    def _learn(self, training: Training) -> Learned[Linear]:
        refuse_equal_labels(training.train, self.name)
        objective = LinearObjective(training.train, self.measure, self.tool)
        judge = Judge.of(training, selected_by(self.selection, self.measure), self.tool)
        search = DifferentialEvolution(
            objective.figures,
            training.rng.uniform(-1.0, 1.0, (self.population, objective.n_features)),
            training.rng,
            factor=self.factor,
            crossover=self.crossover,
        )
        return follow_search(
            search, objective, judge, generations=self.generations, watch=training.watch
        )


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
    tool: str = convention("measures")

    def _learn(self, training: Training) -> Learned[Linear]:
        refuse_equal_labels(training.train, self.name)
        objective = LinearObjective(training.train, self.measure, self.tool)
        judge = Judge.of(training, selected_by(self.selection, self.measure), self.tool)
        search = ParticleSwarm(
            objective.figures,
            training.rng.random((self.population, objective.n_features)),
            training.rng,
            inertia=self.inertia,
            own=self.own_pull,
            common=self.common_pull,
            fastest=self.fastest,
        )
        return follow_search(
            search, objective, judge, generations=self.generations, watch=training.watch
        )


class ParticleSwarm:
    """Maximises a function of vectors in [0, 1]ⁿ.

        v_i ← ω v_i + c₁ r₁ (p_i − x_i) + c₂ r₂ (g − x_i),  x_i ← x_i + v_i,

    r₁ and r₂ uniform in [0, 1] for every number, p_i the best place of particle i, g that of all.
    A particle that would leave the cube stays at its side and loses its speed in that direction;
    no speed is above `fastest`.

    Kennedy and Eberhart (1995), International Conference on Neural Networks; ω: Shi and Eberhart
    (1998), International Conference on Evolutionary Computation.
    """

    def __init__(
        self,
        judge: Callable[[Floats], Floats],
        start: Floats,
        rng: np.random.Generator,
        *,
        inertia: float,
        own: float,
        common: float,
        fastest: float,
    ) -> None:
        """`judge` gives one figure per row; `start` is (particles, numbers); c₁ and c₂ are
        `own` and `common`."""
        self._judge = judge
        self._rng = rng
        self._inertia = inertia
        self._own = own
        self._common = common
        self._fastest = fastest
        self._places = start.copy()
        self._speeds = np.zeros(start.shape)
        self._best_places = start.copy()
        self._figures = judge(start)

    def step(self) -> float:
        """One flight of all particles; the best figure so far."""
        self._fly()
        figures = self._judge(self._places)
        better = figures > self._figures
        self._best_places[better] = self._places[better]
        self._figures[better] = figures[better]
        return float(self._figures.max())

    @property
    def best(self) -> Floats:
        """g, the best place that a particle has seen, the first among equals."""
        found: Floats = self._best_places[int(np.argmax(self._figures))]
        return found

    def _fly(self) -> None:
        towards_own, towards_common = self._rng.random((2, *self._places.shape))
        speeds = (
            self._inertia * self._speeds
            + self._own * towards_own * (self._best_places - self._places)
            + self._common * towards_common * (self.best - self._places)
        )
        speeds = np.clip(speeds, -self._fastest, self._fastest)
        moved = self._places + speeds
        self._places = np.clip(moved, 0.0, 1.0)
        self._speeds = np.where(self._places == moved, speeds, 0.0)
