"""Differential evolution: candidates vary by the differences of others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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
