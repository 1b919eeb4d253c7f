"""The exponential loss on pairs, and the stump that lowers it most: what RankBoost follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.boosting.stump_boosting import Step
from rankwise.rankers.boosting.thresholds import best_stump
from rankwise.rankers.training.label_levels import LabelLevels

Floats = NDArray[np.float64]

_HIGHEST_EDGE = 1.0 - 1e-9
_exponential_potentials = function(
    "rankwise_exponential_potentials",
    *(DOUBLES, INT64S, INT64S, INT64, INT64, INT64, DOUBLES_OUT, DOUBLES_OUT),
    returns=DOUBLE,
)


@dataclass(frozen=True, eq=False)
class ExponentialLoss:
    """Σ exp(F(x0) − F(x1)) over all pairs, divided by their number."""

    preferences: LabelLevels

    def next_stump(self, codes: NDArray[np.uint8], scores: Floats, count: int) -> Step:
        """The loss of the scores, and the threshold function that joins them next."""
        loss, potentials = self.potentials(scores)
        stump = best_stump(codes, potentials, count)
        r = min(max(stump.edge, -_HIGHEST_EDGE), _HIGHEST_EDGE)
        return Step(loss, stump, 0.5 * float(np.log((1.0 + r) / (1.0 - r))))

    def potentials(self, scores: Floats) -> tuple[float, Floats]:
        """The loss, and π of every document."""
        known = self.preferences
        offsets = known.query_offsets
        found = np.empty(len(known.levels))
        if len(scores) != len(found):
            raise ValueError(f"{len(found)} scores are needed, found {len(scores)}")
        longest = int(np.diff(offsets).max())
        total = _exponential_potentials(
            scores,
            known.levels,
            offsets,
            len(offsets) - 1,
            len(scores),
            longest,
            np.empty(4 * longest + 2),
            found,
        )
        if total < 0.0:
            raise ValueError(
                "query offsets must rise, levels be fewer than the documents of a query"
            )
        return total / float(known.pairs.sum()), found / total
