"""Best, the highest label among the first k documents, and winner takes all.

    Best@k = max of l_1, …, l_min(k, n)
    WTA    = [l_1 = max label]

Best is RankLib's Best@k. Unjudged documents count as 0, and so does a list without documents. Open
ties: of a group of m documents j are drawn; with the group's labels in descending order
a_1 >= a_2 >= …, the highest drawn is a_t with chance C(m - t, j - 1) / C(m, j).

Winner takes all is 1 where the document on top has the highest label of its query, else 0. On
two-level labels this is P@1. A query whose highest label is not relevant is `empty`. Open ties: the
share of the top group that has the highest label.
"""

from __future__ import annotations

from rankwise.measures.families.family import (
    AVERAGING,
    LETOR,
    ORDER,
    RELEVANT_WHOLE,
    UNBOUNDED,
    Family,
)

BEST = (
    Family(
        "Best",
        "highest label among the first documents",
        compute="rankwise_best",
        fields={"table": None, "short": "cut", **ORDER, **AVERAGING},
        range=UNBOUNDED,
        citation="RankLib 2.18",
    ),
)


WINNER_TAKES_ALL = (
    Family(
        "WTA",
        "winner takes all: is a best document on top?",
        compute="rankwise_winner_takes_all",
        cutoff="none",
        fields=RELEVANT_WHOLE,
        aliases=("winner takes all",),
        citation=LETOR,
    ),
)
