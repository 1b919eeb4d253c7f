"""The pass over ranked lists: every query is sorted once, all measures are taken from that order.

Flat arrays in, `out[measure, query]` out. The work is C's (evaluating.c and a file beside each
family), which reads measures as numbers instead of names: their plan. Large data are split over
threads by query. Measures that are Python functions follow, one call for every ranked list.

The tie rules `worst` and `best` order documents by what each is worth to the measure. Every measure
here but one rises, or stays, when of two neighbours the one that is worth more comes first,
whatever else the list holds: the ends of what orders of tied documents can give are then the
documents in ascending and in descending order of their worth. That is

* the gain, where gains are listed label by label and need not rise with it (`gain=0/5/1`);
* being relevant, where the threshold makes label 0 relevant and unjudged documents not;
* the label elsewhere, an unjudged document having 0 (WTA: less than any label).

ERR is the exception. Of neighbours with chances a and b at ranks i and i + 1, below documents with
chances R_j, exchanging them changes it by (a - b) (1/i - 1/(i + 1)) Π (1 - R_j): the higher chance
should come first where all R_j are at most 1, and the lower one behind an odd number of documents
with R_j > 1. No order by worth is then the end, and the rules are refused. For measures of your own
the rules go by the label, and are the ends where your measure rises with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.measures.document_order import NONE, raise_if_failed, ranked_rows, tied_rows
from rankwise.measures.families.family import Function, RankedList, relevant
from rankwise.measures.families.registry import is_own, load_family
from rankwise.measures.measure import GAIN_RULES, TABLE_LENGTH, Measure, find_family, gain_table
from rankwise.native import ADDRESS, DOUBLES, DOUBLES_OUT, INT64, INT64S, function, function_address
from rankwise.processes import processors

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROWS_WORTH_A_THREAD = 200_000

STRICT, EXPECTED, UNDEFINED = 0, 1, 2


class Lists(NamedTuple):
    """The input of a pass, flat.

    Rows offsets[q] … offsets[q] + retrieved[q] - 1 are the documents of query q that have scores;
    the rest up to offsets[q + 1] are judged but were not retrieved. `ideal_of[q]` is the query
    whose judged documents make the ideal list of q, nearly always q itself; `ideal_labels`, where
    it is not empty, holds their labels.
    """

    labels: Floats
    scores: Floats
    priority: Floats
    offsets: Integers
    retrieved: Integers
    ideal_of: Integers
    ideal_labels: Floats


def tie_mode(rule: str | None) -> int:
    """How a pass treats ties under a rule of `rankwise.measures.document_order`."""
    return {"expected": EXPECTED, "undefined": UNDEFINED}.get(rule or "input", STRICT)


def make_lists(
    labels: Floats,
    scores: Floats,
    offsets: Integers,
    *,
    priority: Floats = NONE,
    retrieved: Integers | None = None,
    ideal_of: Integers | None = None,
    ideal_labels: Floats | None = None,
) -> Lists:
    """The input of a pass, as arrays of the kinds that C reads."""
    return Lists(
        _doubles(labels),
        _doubles(scores),
        _doubles(priority),
        _integers(offsets),
        _integers(np.diff(offsets) if retrieved is None else retrieved),
        _integers(np.arange(len(offsets) - 1) if ideal_of is None else ideal_of),
        NONE if ideal_labels is None else _doubles(ideal_labels),
    )


def evaluate_lists(lists: Lists, plan: MeasurePlan, tie_mode: int = STRICT) -> Floats:
    """The value of every measure of the plan for every query: (measures, queries).

    A query that a measure leaves out is NaN (`SKIPPED`); one that has no value of its own but
    counts as 0 in the mean is -inf (`ABSENT`).
    """
    values: Floats = evaluate_candidates(lists, plan, tie_mode, lists.scores[np.newaxis])[0]
    return values


def evaluate_candidates(lists: Lists, plan: MeasurePlan, tie_mode: int, scores: Floats) -> Floats:
    """As `evaluate_lists` under many vectors of scores: (candidates, measures, queries).

    `scores` is (candidates, documents); those of `lists` are not read. What does not depend on
    the scores, such as the ideal list of a query, is computed once.
    """
    queries, documents = len(lists.offsets) - 1, len(lists.labels)
    candidates = np.ascontiguousarray(scores, np.float64)
    priority, ideal_labels = _doubles(lists.priority), _doubles(lists.ideal_labels)
    _check_lists(lists, candidates)
    if tie_mode == EXPECTED:
        refuse_open_ties(plan)
    out = np.empty((len(candidates), len(plan.records), queries))

    def work(first: int, last: int) -> None:
        raise_if_failed(
            _evaluate(
                first,
                last,
                queries,
                documents,
                lists.offsets,
                lists.retrieved,
                lists.ideal_of,
                lists.labels,
                _optional(priority),
                _optional(ideal_labels),
                plan.records.ctypes.data,
                RECORD.itemsize,
                len(plan.records),
                plan.gains,
                plan.weights,
                plan.divisors,
                plan.weights.shape[1],
                tie_mode,
                candidates,
                len(candidates),
                out,
            )
        )

    _over_threads(work, lists.offsets, len(candidates))
    if plan.functions:
        undefined = tie_mode == UNDEFINED
        for vector, values in zip(candidates, out, strict=True):
            fill_values(lists._replace(scores=vector), plan, values, undefined_ties=undefined)
    return out


def gains_of(labels: Floats, measure: Measure) -> Floats:
    """The gain of every label under a measure that has gains; beyond its table they are 0."""
    plan = make_plan([measure], 1)
    known = _doubles(labels)
    if measure.table is not None:
        known = np.where(known > measure.table, 0.0, known)
    gains = np.empty(len(known))
    _gains(known, len(known), plan.records.ctypes.data, plan.gains, gains)
    return gains


def _doubles(array: Floats) -> Floats:
    return np.ascontiguousarray(array, dtype=np.float64)


def _integers(array: Integers) -> Integers:
    return np.ascontiguousarray(array, dtype=np.int64)


def _optional(array: Floats) -> int | None:
    """The address of an array that may be missing."""
    return array.ctypes.data if len(array) else None


def _check_lists(lists: Lists, candidates: Floats) -> None:
    """Whether all arrays have the lengths that C goes by; it looks at the offsets itself."""
    queries, documents = len(lists.offsets) - 1, len(lists.labels)
    if (
        queries < 0
        or candidates.shape[1:] != (documents,)
        or len(lists.retrieved) != queries
        or len(lists.ideal_of) != queries
        or len(lists.priority) not in (0, documents)
        or len(lists.ideal_labels) not in (0, documents)
    ):
        raise ValueError("the arrays of the lists must have the same length")


def _over_threads(work: Callable[[int, int], None], offsets: Integers, candidates: int) -> None:
    """Run `work(first, last)` on ranges of queries with about equally many rows."""
    rows = int(offsets[-1])
    parts = max(1, min(processors(), rows * candidates // ROWS_WORTH_A_THREAD))
    if parts == 1:
        work(0, len(offsets) - 1)
        return
    cuts = np.searchsorted(offsets, np.linspace(0, rows, parts + 1)[1:-1])
    bounds = [0, *cuts.tolist(), len(offsets) - 1]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(parts) as pool:
        for done in [pool.submit(work, *part) for part in pairwise(bounds)]:
            done.result()


_evaluate = function(
    "rankwise_evaluate",
    *(INT64, INT64, INT64, INT64, INT64S, INT64S, INT64S, DOUBLES, ADDRESS, ADDRESS),
    *(ADDRESS, INT64, INT64, DOUBLES, DOUBLES, DOUBLES, INT64),
    *(INT64, DOUBLES, INT64, DOUBLES_OUT),
    returns=INT64,
)
_gains = function("rankwise_gains", DOUBLES, INT64, ADDRESS, DOUBLES, DOUBLES_OUT)


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
        compute = _get_computation(measure)
        if not isinstance(compute, str):
            functions[number] = compute
        address = function_address(compute) if isinstance(compute, str) else 0
        records[number] = (address, number, *_measure_numbers(measure))
        if measure.gain is not None:
            gains[number] = _gain_numbers(measure)
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


def _get_computation(measure: Measure) -> str | Function:
    """The name of a C function, or a Python function."""
    check_computed(measure)
    own = is_own(measure.family)
    compute = (load_family if own else find_family)(measure.family).compute
    if compute is None:
        raise TypeError(f"{measure.family} has nothing that computes it")
    return compute


def _measure_numbers(measure: Measure) -> tuple[float, ...]:
    """The record of a measure, after its function and its number."""
    rule = "exponential" if measure.gain is None else gain_table(measure.gain)[1]
    return (
        measure.cutoff or 0,
        _GAIN_RULES[rule],
        measure.gain is None or measure.gain in GAIN_RULES,
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


def _gain_numbers(measure: Measure) -> NDArray[np.float64]:
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


def fill_values(lists: Lists, plan: MeasurePlan, values: Floats, *, undefined_ties: bool) -> None:
    """Put the values of the plan's Python functions into values[measure, query].

    With `undefined_ties` a query with equal scores has no value.
    """
    rows = ranked_rows(lists.scores, lists.offsets, lists.priority, lists.retrieved)
    for query in range(len(lists.offsets) - 1):
        start = int(lists.offsets[query])
        order = rows[start : start + int(lists.retrieved[query])]
        tied = undefined_ties and len(np.unique(lists.scores[order])) < len(order)
        for number, compute in plan.functions.items():
            measure = plan.measures[number]
            values[number, query] = (
                SKIPPED if tied else _compute_value(lists, query, order, measure, compute)
            )


def refuse_open_ties(plan: MeasurePlan) -> None:
    """A function sees one order of the documents: it has no mean over all of them."""
    for number in plan.functions:
        raise RankwiseError(
            f"{plan.measures[number].family} is a Python function of one ranked list and cannot "
            "leave ties open; choose another tie rule than 'expected'"
        )


def _compute_value(
    lists: Lists, query: int, order: NDArray[np.int64], measure: Measure, function: Function
) -> float:
    if measure.short not in (None, "cut") and (measure.cutoff or 0) > len(order):
        return 0.0 if measure.short == "zero" else ABSENT
    try:
        found: Any = function(_ranked_list(lists, query, order, measure))
        return float(found)
    # A function is anybody's code: whatever it raises, the sentence about it is the same.
    except Exception as error:
        from rankwise.registry import describe_failure

        raise RankwiseError(
            f"the measure {measure.family} fails on query number {query + 1} with "
            f"{describe_failure(error)}; it must return a number for every ranked list"
        ) from error


def _ranked_list(
    lists: Lists, query: int, order: NDArray[np.int64], measure: Measure
) -> RankedList:
    kept = order[: measure.cutoff]
    ideal_labels = lists.ideal_labels if len(lists.ideal_labels) else lists.labels
    return RankedList(
        labels=lists.labels[kept].tolist(),
        scores=lists.scores[kept].tolist(),
        judged=_descending(lists.labels, lists.offsets, query),
        ideal=_descending(ideal_labels, lists.offsets, int(lists.ideal_of[query])),
        cutoff=measure.cutoff,
        retrieved=len(order),
        measure=measure,
    )


def _descending(labels: Floats, offsets: NDArray[np.int64], query: int) -> list[float]:
    known = labels[offsets[query] : offsets[query + 1]]
    found: list[float] = np.sort(known[~np.isnan(known)])[::-1].tolist()
    return found


EXTREMES = ("worst", "best")


def find_worth(measure: Measure) -> Measure | None:
    """What `tie_worth` depends on, the same for measures of one order; None where it is the label.

    A measure without its cut-off and all that does not bear on worth.
    """
    if measure.ties not in EXTREMES:
        return None
    fields = find_family(measure.family).fields
    if "gain" in fields:
        if measure.gain in GAIN_RULES:
            return None
        return Measure("DCG", gain=measure.gain, threshold=measure.threshold, strict=measure.strict)
    if "threshold" in fields and relevant(0.0, measure):
        family = "WTA" if measure.family == "WTA" else "P"
        return Measure(family, threshold=measure.threshold, strict=measure.strict)
    return None


def tie_worth(worth: Measure | None, labels: Floats) -> Floats:
    """What each document is worth, by `find_worth` of the measure; the label where that is None."""
    if worth is None:
        return labels
    if worth.family == "DCG":
        return gains_of(labels, worth)
    if worth.family == "WTA":
        return np.where(np.isnan(labels), -np.inf, labels)
    threshold = -np.inf if worth.threshold is None else worth.threshold
    reached = labels > threshold if worth.strict else labels >= threshold
    return reached.astype(np.float64)


def refuse_extremes(measure: Measure, judged: JudgedScores, *, tied: bool = False) -> str | None:
    """Why `worst` and `best` cannot be found on these documents, or None.

    Nothing is refused where no scores are tied; with `tied` they are taken to be.
    """
    if measure.ties not in EXTREMES or measure.family not in ("ERR", "MeanNDCG"):
        return None
    reason = _refuse_tie_gains(measure, judged.labels)
    if reason is None or tied:
        return reason
    ties = tied_rows(judged.scores, judged.query_offsets, judged.retrieved)
    return reason if len(ties) else None


def _refuse_tie_gains(measure: Measure, labels: Floats) -> str | None:
    gains = gains_of(labels, measure)
    if measure.family == "MeanNDCG":
        # A negative gain may make the ideal of a longer list negative, and turn the order about.
        below = float(np.min(gains, initial=0.0)) < 0.0
        return f"MeanNDCG with ties={measure.ties} needs gains of 0 or more" if below else None
    scale = (
        float(measure.highest or 1) if measure.gain == "linear" else 2.0 ** (measure.highest or 1)
    )
    wrong = np.flatnonzero((gains < 0.0) | (gains > scale))
    if not len(wrong):
        return None
    return (
        f"ERR with ties={measure.ties} needs chances to stop between 0 and 1, but label "
        f"{labels[wrong[0]]:g} has {gains[wrong[0]] / scale:g} with highest={measure.highest}: no "
        "order of tied documents is then known to be the extreme; give a higher one, as in "
        "ERR(highest=4), or take ties=label-ascending or label-descending"
    )
