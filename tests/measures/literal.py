"""The literal formulas of the families, applied to any list: what the compiled pass must give."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankwise.measures.families.family import RankedList
from rankwise.measures.measure import Measure, find_family


def literal_value(
    measure: Measure, ranked: Sequence[float], judged: Sequence[float], scores: Sequence[float]
) -> float:
    """The value of `measure` for labels in rank order, all judged labels, scores in rank order."""
    if measure.table is not None:
        ranked = [0.0 if label > measure.table else label for label in ranked]
        judged = [0.0 if label > measure.table else label for label in judged]
    if measure.short != "cut" and measure.short and (measure.cutoff or 0) > len(ranked):
        return 0.0 if measure.short == "zero" else -math.inf
    known = sorted((label for label in judged if not math.isnan(label)), reverse=True)
    cut = RankedList(
        labels=list(ranked)[: measure.cutoff],
        scores=list(scores)[: measure.cutoff],
        judged=known,
        ideal=known,
        cutoff=measure.cutoff,
        retrieved=len(ranked),
        measure=measure,
    )
    family = find_family(measure.family)
    if family.formula is None:
        assert callable(family.compute)
        return float(family.compute(cut))
    return family.formula(cut, measure)
