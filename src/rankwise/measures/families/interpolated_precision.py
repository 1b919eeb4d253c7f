"""Interpolated precision at a level of recall, and its mean over eleven levels.

    IPrec(level) = max over ranks i with at least c relevant documents of (relevant up to i) / i
    ElevenPoint  = mean of IPrec over the levels 0, .1, …, 1

c = level R as a whole number by the `level_rule`: trec_eval 10 takes the nearest one (halves up),
trec_eval 9 int(level R + 0.9), so the two versions differ. 0 where fewer than c are retrieved.

Precision is highest at relevant ranks, so IPrec is the largest t / (rank of the t-th relevant
document) with t >= max(c, 1). Open ties: the chance that this stays at or below v is counted
exactly for every value v that it can take: a walk down the list keeps the chance of each number of
relevant documents so far, and drops the walks that pass v. That is O(n R) steps for each of up to
n R values; lists without mixed ties take one walk up the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.measures.families.family import Family
from rankwise.measures.families.fields import RELEVANT_WHOLE, TREC_BOOK
from rankwise.measures.families.terms import count, empty, relevant_judged

if TYPE_CHECKING:
    from rankwise.measures.measure import Measure
    from rankwise.measures.ranked_list import RankedList


def interpolated_precision(ranked: RankedList, measure: Measure) -> float:
    """IPrec as the equation above has it."""
    R = relevant_judged(ranked, measure)
    return _at_level(ranked, measure, measure.level or 0.0, R) if R else empty(measure)


def eleven_point(ranked: RankedList, measure: Measure) -> float:
    """ElevenPoint as the equation above has it."""
    R = relevant_judged(ranked, measure)
    if R == 0:
        return empty(measure)
    return sum(_at_level(ranked, measure, tenth / 10, R) for tenth in range(11)) / 11


def _at_level(ranked: RankedList, measure: Measure, level: float, R: int) -> float:
    c = int(level * R + (0.5 if measure.level_rule == "nearest" else 0.9))
    counts = [count(ranked.labels[:rank], measure) for rank in range(1, len(ranked.labels) + 1)]
    return max((found / rank for rank, found in enumerate(counts, 1) if found >= c), default=0.0)


FAMILIES = (
    Family(
        "IPrec",
        "interpolated precision at a level of recall",
        compute="rankwise_interpolated_precision",
        formula=interpolated_precision,
        cutoff="none",
        fields={**RELEVANT_WHOLE, "level": 0.0, "level_rule": "nearest"},
        aliases=("iprec_at_recall",),
        citation=TREC_BOOK,
    ),
    Family(
        "ElevenPoint",
        "mean of the interpolated precision at recall 0, .1, …, 1",
        compute="rankwise_eleven_point",
        formula=eleven_point,
        cutoff="none",
        fields={**RELEVANT_WHOLE, "level_rule": "nearest"},
        aliases=("11pt_avg", "eleven_point"),
        citation=TREC_BOOK,
    ),
)
