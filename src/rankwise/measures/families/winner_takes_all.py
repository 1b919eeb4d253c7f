"""Winner takes all: 1 where the document on top has the highest label of its query, else 0.

    WTA = [l_1 = max label]

On two-level labels this is P@1. A query whose highest label is not relevant is `empty`. Open ties:
the share of the top group that has the highest label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import LETOR, RELEVANT_WHOLE
from rankwise.measures.families.terms import empty, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def winner_takes_all(ranked: RankedList, measure: Measure) -> float:
    """WTA as the equation above has it."""
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    return float(len(ranked.labels) > 0 and ranked.labels[0] == max(ranked.judged))


FAMILIES = (
    Family(
        "WTA",
        "winner takes all: is a best document on top?",
        compute="rankwise_winner_takes_all",
        formula=winner_takes_all,
        cutoff="none",
        fields=RELEVANT_WHOLE,
        aliases=("winner takes all",),
        citation=LETOR,
    ),
)
