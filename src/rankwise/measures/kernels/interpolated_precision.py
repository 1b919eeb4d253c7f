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

from typing import Any

import numpy as np

from rankwise.compiled import compiled
from rankwise.measures.kernels.ranked import (
    MeasureRecord,
    RankedQuery,
    count_relevant,
    is_relevant,
    relevant_between,
)


@compiled
def interpolated_precision(query: RankedQuery, measure: MeasureRecord) -> float:
    """IPrec of one ranked query."""
    relevant = count_relevant(query, measure)
    if relevant == 0:
        return measure.empty
    return _at_level(query, measure, relevant, measure.level)


@compiled
def eleven_point(query: RankedQuery, measure: MeasureRecord) -> float:
    """ElevenPoint of one ranked query."""
    relevant = count_relevant(query, measure)
    if relevant == 0:
        return measure.empty
    total = 0.0
    for tenth in range(11):
        total += _at_level(query, measure, relevant, tenth / 10.0)
    return total / 11.0


@compiled
def _at_level(query: RankedQuery, measure: MeasureRecord, relevant: int, level: float) -> float:
    needed = int(level * relevant + (0.5 if measure.level_rule == 0 else 0.9))
    needed = max(needed, 1)
    found = relevant_between(query, measure, 0, query.retrieved)
    if found < needed:
        return 0.0
    if _has_mixed_ties(query, measure):
        return _expected(query, measure, needed, found)
    highest = 0.0
    for i in range(query.retrieved - 1, -1, -1):
        if is_relevant(query.labels[i], measure):
            highest = max(highest, found / (i + 1))
            if found == needed:
                break
            found -= 1
    return highest


@compiled
def _has_mixed_ties(query: RankedQuery, measure: MeasureRecord) -> bool:
    start = 0
    while start < query.retrieved:
        end = query.ends[start]
        relevant = relevant_between(query, measure, start, end)
        if 0 < relevant < end - start:
            return True
        start = end
    return False


@compiled
def _expected(query: RankedQuery, measure: MeasureRecord, needed: int, found: int) -> float:
    """The sum over the values v_1 < v_2 < … of (v_j - v_{j-1}) P(maximum > v_{j-1})."""
    values = _values(query, measure, needed, found)
    total = 0.0
    previous = 0.0
    for value in values:
        if value > previous:
            above = 1.0 - _chance_below(query, measure, needed, previous)
            if above <= 0.0:
                break
            total += (value - previous) * above
            previous = value
    return total


@compiled
def _values(query: RankedQuery, measure: MeasureRecord, needed: int, found: int) -> Any:
    """Every t / rank that can occur, ascending."""
    values = np.empty(query.retrieved * (found - needed + 1))
    count = 0
    above = 0
    start = 0
    while start < query.retrieved:
        end = query.ends[start]
        relevant = relevant_between(query, measure, start, end)
        for i in range(start, end):
            for t in range(max(above + 1, needed), above + relevant + 1):
                values[count] = t / (i + 1)
                count += 1
        above += relevant
        start = end
    return np.sort(values[:count])


@compiled
def _chance_below(query: RankedQuery, measure: MeasureRecord, needed: int, bound: float) -> float:
    """The chance that t / rank <= bound for every relevant document from the needed-th on."""
    chance = query.work
    above = 0
    start = 0
    survived = 1.0
    while start < query.retrieved:
        end = query.ends[start]
        relevant = relevant_between(query, measure, start, end)
        for r in range(relevant + 1):
            chance[r] = 0.0
        chance[0] = 1.0
        for i in range(start, end):
            left = end - i
            for r in range(min(relevant, i - start + 1), -1, -1):
                stay = chance[r] * (left - (relevant - r)) / left
                step = chance[r - 1] * (relevant - r + 1.0) / left if r > 0 else 0.0
                if above + r >= needed and (above + r) / (i + 1) > bound:
                    step = 0.0
                chance[r] = max(stay, 0.0) + step
        survived *= chance[relevant]
        above += relevant
        start = end
    return survived
