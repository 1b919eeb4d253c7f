"""Root of the mean squared difference of scores and labels; the order plays no part.

    RMSE = sqrt((1 / n) sum over documents of (score - label)^2)

Yahoo's tool takes the mean over all documents of the file, not over queries: `average=pooled`.
Unjudged documents count as label 0.
"""

from __future__ import annotations

from rankwise.measures.families.family import UNBOUNDED, Family

FAMILIES = (
    Family(
        "RMSE",
        "root of the mean squared error of the scores",
        compute="rankwise_root_mean_square_error",
        cutoff="none",
        fields={"table": None, "average": "pooled", "rounding": "none"},
        range=UNBOUNDED,
        lower_is_better=True,
        reads_scores=True,
        citation="Chapelle and Chang, JMLR W&CP 14, 2011",
    ),
)
