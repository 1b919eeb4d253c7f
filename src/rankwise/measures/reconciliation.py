"""A mean of one convention turned into that of another, as far as a mean allows it.

Let N queries have the mean M, E of them without a relevant document. Where these count e,

    S = M N - e E

is the sum over all others, and where they are left out S = M (N - E). S does not depend on what
empty queries count, so that the mean by any other rule follows from it: (S + e' E) / N, or
S / (N - E).

Other fields change the values of single queries, which a mean does not tell. Bounds remain:

- NDCG with other gains or discounts: with r the ratio g'(l) d'(i) / (g(l) d(i)) of what a document
  of label l at rank i adds, DCG' lies between min r and max r times DCG, and so does the ideal one;
  hence NDCG / c ≤ NDCG' ≤ c NDCG with c = max r / min r.
- Queries shorter than the cut-off that count 0 or as they are: each has a value from 0 to 1.

Ties, thresholds and everything else need the scores.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import inf, log2
from typing import Literal

from rankwise.errors import RankwiseError
from rankwise.measures.likeness import find_gains, simplify
from rankwise.measures.measure import Measure, find_family

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
            values = f"{_told(getattr(one, name))}, {_told(getattr(other, name))}"
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


def _told(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else "none" if value is None else str(value)


def _check_possible(low: float, high: float, measure: Measure, counts: QueryCounts) -> None:
    others = counts.queries - counts.empty
    if high < -1e-9 or low > others + 1e-9:
        raise RankwiseError(
            f"the figure cannot be a {measure} of {counts.queries} queries of which "
            f"{counts.empty} are empty: the others would have a mean of {low / max(others, 1):.4f}"
        )
