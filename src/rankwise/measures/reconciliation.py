"""A mean of one convention turned into that of another, as far as a mean allows it.

Let N queries have the mean M, E of them without a relevant document. Where these count e,

    S = M N - e E

is the sum over all others, and where they are left out S = M (N - E). S does not depend on what
empty queries count, so that the mean by any other rule follows from it: (S + e' E) / N, or
S / (N - E). So one must know how many queries a figure is a mean of, and how many of them are empty
or short.

Other fields change the values of single queries, which a mean does not tell. Bounds remain:

- NDCG with other gains or discounts: with r the ratio g'(l) d'(i) / (g(l) d(i)) of what a document
  of label l at rank i adds, DCG' lies between min r and max r times DCG, and so does the ideal one;
  hence NDCG / c ≤ NDCG' ≤ c NDCG with c = max r / min r.
- Queries shorter than the cut-off that count 0 or as they are: each has a value from 0 to 1.

Ties, thresholds and everything else need the scores.

Tools differ in many fields, but not every field shows on every data set: a table of gains that ends
at label 2 does nothing to labels 0, 1 and 2. `describe_convention` takes such differences away, so
that equal texts mean equal figures: as long as each query stands in one place of the file with each
document once, labels are whole numbers, and no score is a whole number beyond 2^53.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from math import inf, log2
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.data.catalog.entries import find_entry
from rankwise.data.scores.evaluation_input import Given, HowJudged
from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import Advice, RankwiseError
from rankwise.measures.computation import gains_of
from rankwise.measures.evaluation import are_relevant
from rankwise.measures.measure import Measure, find_family, gain_table
from rankwise.measures.tool import Tool
from rankwise.measures.tools.registry import TOOLS, find_tool

How = Literal["evaluated", "converted", "bounded", "missing"]

_BY_RATIO = ("gain", "discount")
_FEWEST_RANKS = 2


@dataclass(frozen=True)
class QueryCounts:
    """What is known of the queries behind a mean.

    Attributes:
        queries: how many there are.
        empty: how many of them have no relevant document.
        short: how many of the others have fewer documents than the cut-off; None: not known.
        labels: the labels that occur, none where they are not known.
    """

    queries: int
    empty: int
    short: int | None = None
    labels: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.empty <= self.queries or self.queries < 1:
            raise RankwiseError(
                "of at least one query so many may be empty as there are, found "
                f"{self.empty} of {self.queries}"
            )


@dataclass(frozen=True)
class Figure:
    """A mean and how far from it the printed one may lie: half a unit of its last digit."""

    value: float
    half_unit: float = 0.0


@dataclass(frozen=True)
class Reconciled:
    """A figure in another convention.

    Attributes:
        target: the tool or convention, as it was asked for.
        measure: the measure with all its fields; None where the tool does not compute it.
        value: the figure; None where only bounds or nothing can be said.
        low, high: between which the figure lies.
        how: `evaluated` from labels and scores, `converted` from counts of queries, `bounded`, or
            `missing`.
        missing: what would be needed, one reason each.
        assumptions: what was taken for granted.
    """

    target: str
    measure: Measure | None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    how: How = "missing"
    missing: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = field(default=())


def reconcile_mean(
    figure: Figure, source: Measure, target: Measure, counts: QueryCounts | None, name: str = ""
) -> Reconciled:
    """Turn a mean of `source` into that of `target`, or say between what it lies, or why not."""
    labels = counts.labels if counts else ()
    one, other = simplify(source, labels), simplify(target, labels)
    called = name or str(target)
    if one.family != other.family or one.cutoff != other.cutoff:
        reason = f"{one} and {other} are different measures"
        return Reconciled(called, target, missing=(reason,))
    assumptions = _assume(one, other)
    if not labels and _needs_whole_labels(source, target):
        assumptions += ("labels are whole numbers",)
    differing = _find_differing(one, other)
    missing = _list_missing(differing, one, other, counts)
    if missing:
        return Reconciled(called, target, missing=missing, assumptions=assumptions)
    if not differing or counts is None:
        low, high = figure.value - figure.half_unit, figure.value + figure.half_unit
        return Reconciled(called, target, figure.value, low, high, "converted", (), assumptions)
    return _convert(called, figure, (one, other), target, counts, differing, assumptions)


def _convert(
    name: str,
    figure: Figure,
    measures: tuple[Measure, Measure],
    target: Measure,
    counts: QueryCounts,
    differing: list[str],
    assumptions: tuple[str, ...],
) -> Reconciled:
    one, other = measures
    low, high = (
        _sum_over_others(figure.value + sign * figure.half_unit, one, counts) for sign in (-1, 1)
    )
    _check_possible(low, high, one, counts)
    if differing == ["empty"]:
        value = _mean_of(_sum_over_others(figure.value, one, counts), other, counts)
        ends = _mean_of(low, other, counts), _mean_of(high, other, counts)
        return Reconciled(name, target, value, *ends, "converted", (), assumptions)
    low, high = _bound(low, high, one, other, counts)
    ends = _mean_of(low, other, counts), _mean_of(high, other, counts)
    return Reconciled(name, target, None, *ends, "bounded", (), assumptions)


def _sum_over_others(mean: float, measure: Measure, counts: QueryCounts) -> float:
    """S: the sum over the queries that are not empty."""
    if measure.empty == "skip":
        return mean * (counts.queries - counts.empty)
    return mean * counts.queries - float(measure.empty or 0.0) * counts.empty


def _mean_of(total: float, measure: Measure, counts: QueryCounts) -> float:
    if measure.empty == "skip":
        return total / (counts.queries - counts.empty)
    return (total + float(measure.empty or 0.0) * counts.empty) / counts.queries


def _bound(
    low: float, high: float, one: Measure, other: Measure, counts: QueryCounts
) -> tuple[float, float]:
    """Between what S lies by the other measure."""
    others = counts.queries - counts.empty
    short = (counts.short or 0) if _is_zero(one) != _is_zero(other) else 0
    ratio = find_ratio(one, other, counts.labels)
    most = others - (short if _is_zero(one) else 0)
    low, high = max(low, 0.0) / ratio, min(high * ratio, most)
    if short and _is_zero(one):
        return low, min(high + short, others)
    return max(low - short, 0.0), min(high, others - short)


def find_ratio(one: Measure, other: Measure, labels: tuple[float, ...]) -> float:
    """c = max r / min r over labels and ranks; 1 where gains and discounts are the same."""
    if (one.gain, one.discount) == (other.gain, other.discount):
        return 1.0
    gains = list(zip(find_gains(one, labels), find_gains(other, labels), strict=True))
    if any((mine > 0) != (theirs > 0) for mine, theirs in gains):
        return inf
    ratios = [theirs / mine for mine, theirs in gains if mine > 0]
    ranks = range(1, max(one.cutoff or 0, 1) + 1)
    discounts = [_discount(other, rank) / _discount(one, rank) for rank in ranks]
    if not ratios:
        return 1.0
    return max(ratios) * max(discounts) / (min(ratios) * min(discounts))


def _discount(measure: Measure, rank: int) -> float:
    if measure.discount == "position":
        return 1 / rank
    if measure.discount == "letor":
        return 1.0 if rank <= _FEWEST_RANKS else 1 / log2(rank)
    return 1 / log2(rank + 1)


def _is_zero(measure: Measure) -> bool:
    """Whether queries shorter than the cut-off add nothing to the mean."""
    return measure.short in ("zero", "absent")


def _find_differing(one: Measure, other: Measure) -> list[str]:
    """The fields whose difference may change the mean."""
    names = (each.name for each in fields(Measure) if each.name != "comparison")
    differing = [name for name in names if getattr(one, name) != getattr(other, name)]
    if "short" in differing and _is_zero(one) == _is_zero(other):
        differing.remove("short")
    return differing


def _assume(one: Measure, other: Measure) -> tuple[str, ...]:
    if one.comparison == other.comparison:
        return ()
    return ("no two scores of a query differ beyond single precision only",)


def _needs_whole_labels(one: Measure, other: Measure) -> bool:
    """Whether fields differ that are the same on whole labels only."""
    names = ("gain", "threshold", "strict")
    return any(getattr(one, name) != getattr(other, name) for name in names)


def _list_missing(
    differing: list[str], one: Measure, other: Measure, counts: QueryCounts | None
) -> tuple[str, ...]:
    """What is missing to take the differences away, or to bound them; nothing where that is."""
    bounded = find_family(one.family).range == (0.0, 1.0) and one.average == "mean"
    reasons, by_scores = [], []
    for name in differing:
        if name == "empty" and bounded:
            reasons += _miss_empty(counts)
        elif name == "short" and bounded:
            known = counts is not None and counts.short is not None
            reasons += [] if known else ["how many queries are shorter than the cut-off (the data)"]
        elif not (name in _BY_RATIO and _has_ratio(name, one, other, counts)):
            values = f"{_show_value(getattr(one, name))}, {_show_value(getattr(other, name))}"
            by_scores.append(f"{name} ({values})")
    scores = [f"labels and scores, for other {' and '.join(by_scores)}"] if by_scores else []
    return (*scores, *reasons)


def _miss_empty(counts: QueryCounts | None) -> list[str]:
    if counts is None:
        return ["how many queries there are and how many of them are empty"]
    return ["a query that is not empty"] if counts.queries == counts.empty else []


def _has_ratio(name: str, one: Measure, other: Measure, counts: QueryCounts | None) -> bool:
    """Whether NDCG with other gains or discounts can be bounded."""
    if one.family != "NDCG" or counts is None or not counts.labels:
        return False
    ranked = name == "gain" or one.cutoff is not None
    return ranked and find_ratio(one, other, counts.labels) < inf


def _show_value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else "none" if value is None else str(value)


def _check_possible(low: float, high: float, measure: Measure, counts: QueryCounts) -> None:
    others = counts.queries - counts.empty
    if high < -1e-9 or low > others + 1e-9:
        raise RankwiseError(
            f"the figure cannot be a {measure} of {counts.queries} queries of which "
            f"{counts.empty} are empty: the others would have a mean of {low / max(others, 1):.4f}"
        )


class QueryCounting:
    """Counts of queries for a measure, which says what is relevant and where lists are cut."""

    def __init__(self, known: QueryCounts | None, judged: JudgedScores | None) -> None:
        self._known = known
        self._judged = judged

    def __call__(self, measure: Measure) -> QueryCounts | None:
        """The counts for a measure; None where they are not known."""
        if self._judged is None:
            threshold = simplify(measure, (self._known or _ONE_QUERY).labels).threshold
            return None if threshold not in (None, 1.0) else self._known
        return count_queries(self._judged, measure)


_ONE_QUERY = QueryCounts(1, 0)


def count_queries(judged: JudgedScores, measure: Measure) -> QueryCounts:
    """What a measure needs to know of the queries: how many are empty, how many of others short."""
    labels = judged.labels
    levels = tuple(np.unique(labels[~np.isnan(labels)]).tolist())
    relevant = mark_relevant(labels, measure)
    per_query = np.add.reduceat(np.append(relevant, False), judged.query_offsets[:-1])
    per_query = np.where(judged.lengths > 0, per_query, 0)
    short = (judged.lengths < (measure.cutoff or 0)) & (per_query > 0)
    empty = int((per_query == 0).sum())
    return QueryCounts(judged.n_queries, empty, int(short.sum()), levels)


def mark_relevant(labels: NDArray[np.float64], measure: Measure) -> NDArray[np.bool_]:
    """Which documents a measure takes for relevant: those with a gain, or that its threshold has.

    Without either these are the documents with labels above 0.
    """
    if measure.gain is not None:
        return gains_of(labels, measure) > 0
    read = labels if measure.table is None else np.where(labels > measure.table, 0.0, labels)
    return read > 0 if measure.threshold is None else are_relevant(read, measure)


def count_by(
    data: Any,
    dataset: str | None,
    fold: int | None,
    queries: int | None,
    empty: int | None,
    how: HowJudged,
) -> QueryCounting:
    """Counts from what is at hand: judgements, a data set of the catalogue, or given numbers."""
    if data is not None:
        return QueryCounting(None, Given(data, how).without_scores())
    if queries is not None and empty is not None:
        return QueryCounting(QueryCounts(queries, empty), None)
    if (queries is None) != (empty is None):
        raise RankwiseError(
            "how many queries there are and how many are empty must be given together, found one",
            Advice("say {}", "queries"),
            Advice("say {}", "empty"),
        )
    if dataset is None:
        return QueryCounting(None, None)
    entry = find_entry(dataset)
    number = 1 if fold is None and entry.folds == 1 else fold
    found = None if number is None else entry.test_counts.get(str(number))
    if found is None:
        known = ", ".join(entry.test_counts) or "none"
        raise RankwiseError(
            f"the empty test queries of {entry.title} must be known, found those of fold {known}",
            Advice("name such a {}", "fold"),
            Advice("say {}, and how many are empty", "queries"),
            Advice("give the data themselves"),
        )
    return QueryCounting(
        QueryCounts(found.queries, found.empty, None, tuple(map(float, entry.label_levels))), None
    )


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
