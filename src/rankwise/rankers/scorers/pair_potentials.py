"""A linear score, and what comparing the document with the others of its list adds to it."""

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
class PairPotentials(ListScorer):
    """s_i = w · z_i + 1/(n − 1) Σ_{k ≠ i} Σ_h a_h tanh(v_h · (z_i − z_k)), z = (x − mean) / scale.

    n is the number of documents of the list; alone, a document has the score w · z.

    Attributes:
        linear: w.
        units: (units, features): v.
        weights: a.
        means: what is subtracted from each feature.
        scales: what it is then divided by.
    """

    kind: ClassVar[str] = "pair-potentials"
    linear: Floats
    units: Floats
    weights: Floats
    means: Floats
    scales: Floats

    def __post_init__(self) -> None:
        check_units("a model of pairs", self.units, self.weights, self.means, self.scales)
        if self.linear.shape != self.means.shape:
            raise RankwiseError(
                f"a model of pairs must have {len(self.means)} linear weights, one per feature, "
                f"found {len(self.linear)}"
            )

    @property
    def n_features(self) -> int:
        """As many as linear weights."""
        return len(self.linear)

    def importance(self) -> Floats:
        """The slope of the score in every standardised feature, in a list of random documents."""
        return find_slopes(self, self.means, self.scales)

    def as_json(self) -> dict[str, Any]:
        """The attributes by name, the matrix row by row in one list."""
        return {one.name: getattr(self, one.name).ravel().tolist() for one in fields(self)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> PairPotentials:
        """From what `as_json` gives."""
        return cls(**read_units(values, tuple(one.name for one in fields(cls)), ("units",)))

    def _score_list(self, rows: Floats) -> Floats:
        standard = (rows - self.means) / self.scales
        hidden = standard @ self.units.T
        scores: Floats = standard @ self.linear
        for block in list_blocks(len(rows)):
            for unit, weight in enumerate(self.weights):
                away = hidden[block, unit, np.newaxis] - hidden[:, unit]
                scores[block] += weight / max(1, len(rows) - 1) * np.tanh(away).sum(axis=1)
        return scores
