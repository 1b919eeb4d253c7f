"""Measures as numbers: what the compiled pass reads instead of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.measures.gains import TABLE_LENGTH, gain_table
from rankwise.measures.measure import Measure, find_family

CODES = {
    name: code
    for code, name in enumerate(
        (
            "NDCG",
            "DCG",
            "MeanNDCG",
            "P",
            "AP",
            "RR",
            "ERR",
            "Recall",
            "Success",
            "Hits",
            "F1",
            "RPrecision",
            "RBP",
            "Bpref",
            "PairwiseAccuracy",
            "KendallTau",
            "WTA",
            "Best",
            "IPrec",
            "ElevenPoint",
            "SetP",
            "SetRecall",
            "SetAP",
            "SetF",
            "RMSE",
            "Retrieved",
            "Relevant",
            "RelevantRetrieved",
            "Queries",
        )
    )
}

ABSENT = -np.inf
SKIPPED = np.nan

_GAIN_RULES = {"exponential": 0, "linear": 1, "truncated": 2, "zero": 3}
_DISCOUNTS = {"log2": 0, "letor": 1, "position": 2}
_SHORT = {"cut": 0, "zero": 1, "absent": 2}

RECORD = np.dtype(
    [
        ("family", np.int64),
        ("cutoff", np.int64),
        ("gain", np.int64),
        ("gain_rule", np.int64),
        ("monotone", np.int64),
        ("discount", np.int64),
        ("threshold", np.float64),
        ("strict", np.int64),
        ("empty", np.float64),
        ("short", np.int64),
        ("denominator", np.int64),
        ("scale", np.float64),
        ("persistence", np.float64),
        ("level", np.float64),
        ("level_rule", np.int64),
    ]
)


@dataclass(frozen=True, eq=False)
class Plan:
    """What one compiled pass computes: a record per measure, and the tables they point to."""

    records: NDArray[np.void]
    gains: NDArray[np.float64]
    weights: NDArray[np.float64]
    divisors: NDArray[np.float64]


def make_plan(measures: Sequence[Measure], longest: int) -> Plan:
    """The plan for these measures on lists of up to `longest` documents."""
    records = np.zeros(len(measures), RECORD)
    gains = np.zeros((max(1, len(measures)), TABLE_LENGTH))
    for number, measure in enumerate(measures):
        records[number] = _record(number, measure)
        if measure.gain is not None:
            gains[number] = _gains(measure)
            records[number]["monotone"] = measure.gain in ("exponential", "linear", "truncated")
    weights, divisors = discount_tables(_reach(measures, longest))
    return Plan(records, gains, weights, divisors)


def discount_tables(length: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights and divisors of every discount at ranks 1 … length."""
    ranks = np.arange(1, length + 1, dtype=np.float64)
    ones = np.ones(length)
    letor_weights = np.where(ranks <= 2, 1.0, np.log(2.0))
    letor_divisors = np.where(ranks <= 2, 1.0, np.log(np.maximum(ranks, 2.0)))
    weights = np.stack([1.0 / (np.log(ranks + 1.0) / np.log(2.0)), letor_weights, 1.0 / ranks])
    return weights, np.stack([ones, letor_divisors, ones])


def _record(number: int, measure: Measure) -> tuple[float, ...]:
    rule = 0 if measure.gain is None else _GAIN_RULES[gain_table(measure.gain)[1]]
    threshold = -np.inf if measure.threshold is None else measure.threshold
    return (
        CODES[measure.family],
        measure.cutoff or 0,
        number,
        rule,
        1,
        _DISCOUNTS[measure.discount or "log2"],
        threshold,
        measure.strict,
        SKIPPED if measure.empty == "skip" else float(measure.empty or 0.0),
        _SHORT[measure.short or "cut"],
        _denominator(measure),
        _scale(measure),
        measure.persistence or 0.0,
        measure.level or 0.0,
        measure.level_rule == "nine-tenths",
    )


def _denominator(measure: Measure) -> int:
    """The place of the chosen divisor among the family's."""
    known = find_family(measure.family).denominators
    return known.index(measure.denominator) if measure.denominator in known else 0


def _scale(measure: Measure) -> float:
    """What ERR divides the gain by."""
    highest = measure.highest or 1
    return float(highest) if measure.gain == "linear" else 2.0**highest


def _gains(measure: Measure) -> NDArray[np.float64]:
    """The gains of whole labels; 0 for those that the threshold leaves out."""
    labels = np.arange(TABLE_LENGTH, dtype=np.float64)
    listed, rule = gain_table(measure.gain or "exponential")
    table = {"linear": labels.copy(), "zero": np.zeros(TABLE_LENGTH)}.get(rule, 2.0**labels - 1.0)
    for label, value in listed.items():
        table[label] = value
    if measure.threshold is None:
        return table
    reached = labels > measure.threshold if measure.strict else labels >= measure.threshold
    return np.where(reached, table, 0.0)


def _reach(measures: Sequence[Measure], longest: int) -> int:
    """The last rank whose discount is needed."""
    discounted = [measure.cutoff or longest for measure in measures if measure.discount]
    return min(longest, max(discounted, default=0))
