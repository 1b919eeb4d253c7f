"""Whether tools give the same figures of a measure on data with given labels.

Tools differ in many fields, but not every field shows on every data set: a table of gains that ends
at label 2 does nothing to labels 0, 1 and 2. `describe_convention` takes such differences away, so
that equal texts mean equal figures: as long as each query stands in one place of the file with each
document once, labels are whole numbers, and no score is a whole number beyond 2^53.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.measures.computing import gains_of
from rankwise.measures.gains import gain_table
from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool
from rankwise.measures.tools.registry import TOOLS, find_tool


def describe_convention(
    tool: str | Tool, name: str | Measure, labels: Sequence[float] = ()
) -> str | None:
    """The convention by which a tool computes a measure on these labels; None where it does not.

    Without labels nothing is known of them.
    """
    known = find_tool(tool) if isinstance(tool, str) else tool
    try:
        measure = simplify(known.measure(name), labels)
    except RankwiseError:
        return None
    own_ways = known.regroup is not None or known.skipped is not Tool.skipped
    return f"{measure} by {known.name}" if own_ways else str(measure)


def is_tool(name: str | None) -> bool:
    """Whether a tool is known by this name."""
    return name in TOOLS


def simplify(measure: Measure, labels: Sequence[float]) -> Measure:
    """The measure with every field that makes no difference on these labels as the textbook's.

    Without labels only what whole labels have in common is taken away.
    """
    changes: dict[str, Any] = {}
    if measure.comparison == "perl":
        changes["comparison"] = "double"
    if measure.cutoff is None:
        changes.update({"short": "cut"} if measure.short else {})
        changes.update({"denominator": "relevant"} if measure.family == "AP" else {})
    if measure.threshold is not None:
        lowest = _lowest_relevant(measure, labels)
        changes["threshold"] = None if _has_no_gain_below(lowest, measure) else lowest
        changes["strict"] = False
    if measure.gain is not None:
        changes["gain"] = _name_gain(measure, labels)
    if labels and measure.table is not None and measure.table >= max(labels):
        changes["table"] = None
    return measure.with_fields(**changes)


def _lowest_relevant(measure: Measure, labels: Sequence[float]) -> float:
    """The threshold by which the same labels are relevant: 1 where that is one."""
    threshold = measure.threshold or 0.0
    whole = math.floor(threshold) + 1 if measure.strict else math.ceil(threshold)
    if not labels:
        return float(whole)
    reached = [one for one in labels if (one > threshold if measure.strict else one >= threshold)]
    if reached == [label for label in labels if label >= 1]:
        return 1.0
    return float(min(reached, default=math.floor(max(labels)) + 1))


def _has_no_gain_below(lowest: float, measure: Measure) -> bool:
    """Whether a threshold takes no gain away: that of a negative label, or one that is 0."""
    if measure.gain is None or lowest > 1:
        return False
    return lowest <= 0 or gain_table(measure.gain)[0].get(0, 0.0) == 0


def find_gains(measure: Measure, labels: Sequence[float]) -> list[float]:
    """The gains of labels; a negative one has none."""
    gains = gains_of(np.array(labels, dtype=np.float64), measure)
    return [0.0 if label < 0 else gain for label, gain in zip(labels, gains.tolist(), strict=True)]


def _name_gain(measure: Measure, labels: Sequence[float]) -> str:
    if not labels:
        return "exponential" if measure.gain == "truncated" else str(measure.gain)
    own = find_gains(measure.with_fields(table=None), labels)
    for plain in ("exponential", "linear"):
        if own == find_gains(measure.with_fields(gain=plain, table=None), labels):
            return plain
    return str(measure.gain)
