"""A network that compares two documents: a document scores as many as it beats in its list."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.hidden_units import check_units, read_units
from rankwise.rankers.scorers.list_scorer import ListScorer, find_slopes, list_blocks

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Comparator(ListScorer):
    """s_i = Σ_{k ≠ i} [o(z_i, z_k) > 0], half of one where it is 0, z = (x − mean) / scale and

        o(x, y) = Σ_h d_h (tanh(u_h · x + v_h · y + c_h) − tanh(u_h · y + v_h · x + c_h)),

    which is −o(y, x): who beats whom does not depend on who is named first. Comparisons need not
    be transitive; the number of wins orders the list all the same.

    Attributes:
        first: (units, features): u.
        second: (units, features): v.
        biases: c.
        weights: d.
        means: what is subtracted from each feature.
        scales: what it is then divided by.
    """

    kind: ClassVar[str] = "comparator"
    first: Floats
    second: Floats
    biases: Floats
    weights: Floats
    means: Floats
    scales: Floats

    def __post_init__(self) -> None:
        check_units("a comparator", self.first, self.weights, self.means, self.scales)
        if self.second.shape != self.first.shape or self.biases.shape != self.weights.shape:
            raise RankwiseError(
                "a comparator must have as many second weights as first ones and a bias for each "
                f"unit, found shapes {self.first.shape}, {self.second.shape} and "
                f"{self.biases.shape}"
            )

    @property
    def n_features(self) -> int:
        """The columns of u and v."""
        return len(self.means)

    def importance(self) -> Floats:
        """The slope of the wins in every standardised feature, in a list of random documents."""
        return find_slopes(self, self.means, self.scales)

    def as_json(self) -> dict[str, Any]:
        """The attributes by name, matrices row by row in one list."""
        return {one.name: getattr(self, one.name).ravel().tolist() for one in fields(self)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Comparator:
        """From what `as_json` gives."""
        return cls(
            **read_units(values, tuple(one.name for one in fields(cls)), ("first", "second"))
        )

    def _score_list(self, rows: Floats) -> Floats:
        standard = (rows - self.means) / self.scales
        own, other = standard @ self.first.T + self.biases, standard @ self.second.T
        wins = np.empty(len(rows))
        for block in list_blocks(len(rows)):
            found = np.zeros((len(rows[block]), len(rows)))
            for unit, weight in enumerate(self.weights):
                found += weight * np.tanh(own[block, unit, np.newaxis] + other[:, unit])
                found -= weight * np.tanh(other[block, unit, np.newaxis] + own[:, unit])
            # A document meets itself too, at 0, which is half a win for everybody.
            wins[block] = 0.5 * (np.sign(found).sum(axis=1) + len(rows) - 1)
        return wins
