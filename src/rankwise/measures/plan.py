"""Measures as numbers: what the C functions of the families read instead of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.measures.families.family import Function
from rankwise.measures.gains import RULES, TABLE_LENGTH, gain_table
from rankwise.measures.measure import Measure, find_family
from rankwise.measures.own_measures import is_own, load_family
from rankwise.native import function_address

ABSENT = -np.inf
SKIPPED = np.nan

_GAIN_RULES = {"exponential": 0, "linear": 1, "truncated": 2, "zero": 3}
_DISCOUNTS = {"log2": 0, "letor": 1, "position": 2, None: -1}
_SHORT = {"cut": 0, "zero": 1, "absent": 2}

# `struct measure_record` of ranked_query.h.
RECORD = np.dtype(
    [
        ("compute", np.int64),
        ("number", np.int64),
        ("cutoff", np.int64),
        ("gain_rule", np.int64),
        ("monotone", np.int64),
        ("discount", np.int64),
        ("threshold", np.float64),
        ("strict", np.int64),
        ("empty", np.float64),
        ("short_rule", np.int64),
        ("denominator", np.int64),
        ("scale", np.float64),
        ("persistence", np.float64),
        ("level", np.float64),
        ("level_rule", np.int64),
    ]
)


@dataclass(frozen=True, eq=False)
class MeasurePlan:
    """What one pass computes.

    Attributes:
        measures: the measures, in the order of the values.
        records: one of `RECORD` for each of them.
        functions: by place in `measures`, those that a Python function computes.
        gains: (measures, TABLE_LENGTH), the gains of whole labels.
        weights, divisors: (discounts, ranks), what gains are multiplied and divided by.
    """

    measures: tuple[Measure, ...]
    records: NDArray[np.void]
    functions: Mapping[int, Function]
    gains: NDArray[np.float64]
    weights: NDArray[np.float64]
    divisors: NDArray[np.float64]


def make_plan(measures: Sequence[Measure], longest: int) -> MeasurePlan:
    """The plan for these measures on lists of up to `longest` documents."""
    records = np.zeros(len(measures), RECORD)
    functions: dict[int, Function] = {}
    gains = np.zeros((max(1, len(measures)), TABLE_LENGTH))
    for number, measure in enumerate(measures):
        compute = _computation(measure)
        if not isinstance(compute, str):
            functions[number] = compute
        address = function_address(compute) if isinstance(compute, str) else 0
        records[number] = (address, number, *_numbers(measure))
        if measure.gain is not None:
            gains[number] = _gains(measure)
    weights, divisors = discount_tables(_reach(measures, longest))
    return MeasurePlan(tuple(measures), records, functions, gains, weights, divisors)


def discount_tables(length: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights and divisors of every discount at ranks 1 … length."""
    ranks = np.arange(1, length + 1, dtype=np.float64)
    ones = np.ones(length)
    letor_weights = np.where(ranks <= 2, 1.0, np.log(2.0))
    letor_divisors = np.where(ranks <= 2, 1.0, np.log(np.maximum(ranks, 2.0)))
    weights = np.stack([1.0 / (np.log(ranks + 1.0) / np.log(2.0)), letor_weights, 1.0 / ranks])
    return weights, np.stack([ones, letor_divisors, ones])


def check_computed(measure: Measure) -> None:
    """Refuse a measure that is only known from publications."""
    if find_family(measure.family).compute is None:
        raise RankwiseError(
            f"{measure.family} is known from publications only: it can stand in tables of results, "
            "but nothing here computes it"
        )


def _computation(measure: Measure) -> str | Function:
    """The name of a C function, or a Python function."""
    check_computed(measure)
    own = is_own(measure.family)
    compute = (load_family if own else find_family)(measure.family).compute
    if compute is None:
        raise TypeError(f"{measure.family} has nothing that computes it")
    return compute


def _numbers(measure: Measure) -> tuple[float, ...]:
    """The record of a measure, after its function and its number."""
    rule = "exponential" if measure.gain is None else gain_table(measure.gain)[1]
    return (
        measure.cutoff or 0,
        _GAIN_RULES[rule],
        measure.gain is None or measure.gain in RULES,
        _DISCOUNTS[measure.discount],
        -np.inf if measure.threshold is None else measure.threshold,
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
