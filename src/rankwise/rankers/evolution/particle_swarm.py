"""Particle swarm: candidates fly towards the best places that they and all others have seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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
