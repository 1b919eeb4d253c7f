"""Whether a measure can choose: on some documents every order of them has the same value.

Precision and average precision see relevant documents and others. Where no document is irrelevant,
as in grades that begin at 1, MAP is 1 whatever the ranking, and the best of several rankings by it
is the first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import are_relevant, evaluate_judged
from rankwise.measures.measure import Measure
from rankwise.measures.tools.registry import find_tool

Floats = NDArray[np.float64]

# Values that differ by less are the same: sums of the same gains in another order.
_NOTHING = 1e-12
_FALLBACKS = ("NDCG@10", "NDCG", "MAP")


def explain_constant(
    labels: Floats, query_offsets: NDArray[np.int64], measure: str, tool: str
) -> str | None:
    """A sentence about a measure whose value no order of the documents changes, else None.

    Orders that are tried are those by label, falling and rising, and the rows as they stand, both
    ways: of the registered measures the first two have the highest and the lowest value.
    """
    chosen = find_tool(tool)
    wanted = chosen.measure(measure)
    first: Floats | None = None
    mean = np.nan
    for scores in _orders(labels):
        found = evaluate_judged(_judge(labels, scores, query_offsets), [wanted], chosen)[
            str(wanted)
        ]
        if first is None:
            first, mean = found.values, found.mean
        elif not np.allclose(found.values, first, rtol=0.0, atol=_NOTHING, equal_nan=True):
            return None
    seen = chosen.read(_judge(labels, labels, query_offsets))
    value = "has no value" if np.isnan(mean) else f"is {mean:.4f}"
    return f"{measure} ({chosen.name}) {value} for every ranking: {_find_reason(seen, wanted)}"


def find_deciding(
    labels: Floats, query_offsets: NDArray[np.int64], measure: str, tool: str
) -> tuple[str | None, str | None]:
    """The measure itself where it can choose, else NDCG, and why; None where no measure can.

    A tool that refuses the labels is left to say so where the measure is computed.
    """
    reason: str | None = None
    for name in dict.fromkeys((measure, *_FALLBACKS)):
        try:
            found = explain_constant(labels, query_offsets, name, tool)
        except RankwiseError:
            if name == measure:
                return measure, None
            continue
        if found is None:
            return name, reason
        reason = reason or found
    return None, reason


def _orders(labels: Floats) -> Iterator[Floats]:
    """Scores without ties, which tools break by what data may lack."""
    rows = np.arange(len(labels), dtype=np.float64)
    ranks = np.empty_like(rows)
    ranks[np.argsort(labels, kind="stable")] = rows
    yield from (ranks, -ranks, rows, -rows)


def _judge(labels: Floats, scores: Floats, query_offsets: NDArray[np.int64]) -> JudgedScores:
    numbers = [str(number) for number in range(1, len(query_offsets))]
    return JudgedScores(labels, scores, query_offsets, numbers)


def _find_reason(seen: JudgedScores, measure: Measure) -> str:
    if not len(seen.labels):
        return "there is no document"
    if measure.threshold is not None:
        relevant = are_relevant(seen.labels, measure)
        if relevant.all():
            return f"no document is irrelevant, labels begin at {seen.labels.min():g}"
        if not relevant.any():
            return f"no document is relevant, labels end at {seen.labels.max():g}"
        if not _differ(relevant.astype(np.float64), seen.query_offsets):
            return "no query has both relevant and irrelevant documents"
    if not _differ(seen.labels, seen.query_offsets):
        return "no query has documents of different labels"
    if measure.cutoff is not None and seen.lengths.max() <= measure.cutoff:
        return f"no query has more than {measure.cutoff} documents"
    return "it tells none of the labels of a query apart"


def _differ(values: Floats, query_offsets: NDArray[np.int64]) -> bool:
    filled = query_offsets[:-1][np.diff(query_offsets) > 0]
    return bool(np.any(np.maximum.reduceat(values, filled) > np.minimum.reduceat(values, filled)))
