"""Root of the mean squared difference of scores and labels; the order plays no part.

    RMSE = sqrt((1 / n) sum over documents of (score - label)^2)

Yahoo's tool takes the mean over all documents of the file, not over queries: `average=pooled`.
Unjudged documents count as label 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankwise.measures.families.family import UNBOUNDED, Family, known

if TYPE_CHECKING:
    from rankwise.measures.families.family import RankedList
    from rankwise.measures.measure import Measure


def root_mean_square_error(ranked: RankedList, measure: Measure) -> float:
    """RMSE as the equation above has it."""
    pairs = zip(ranked.scores, ranked.labels, strict=True)
    squares = [(score - known(label)) ** 2 for score, label in pairs]
    return math.sqrt(sum(squares) / len(squares)) if squares else 0.0


FAMILIES = (
    Family(
        "RMSE",
        "root of the mean squared error of the scores",
        compute="rankwise_root_mean_square_error",
        formula=root_mean_square_error,
        cutoff="none",
        fields={"table": None, "average": "pooled", "rounding": "none"},
        range=UNBOUNDED,
        lower_is_better=True,
        reads_scores=True,
        citation="Chapelle and Chang, JMLR W&CP 14, 2011",
    ),
)
