"""What solvers of convex problems return: the point, and how far from the optimum it can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best point found.

    Attributes:
        weights: the point.
        objective: its value.
        gap: a proven bound on objective − minimum; infinite where nothing is proven.
        rounds: how many rounds it took.
    """

    weights: NDArray[np.float64]
    objective: float
    gap: float
    rounds: int

    def facts(self) -> dict[str, Any]:
        """As JSON values, for the model."""
        gap = self.gap if np.isfinite(self.gap) else None
        return {"objective": self.objective, "gap": gap, "rounds": self.rounds}
