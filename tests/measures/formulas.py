"""Equations of the families as plain Python, slow and obvious: what the compiled pass must give.

Each is the equation in the docstring of its family's file. Gains, discounts and relevance are
written as the papers have them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from rankwise.measures.families.family import RankedList, relevant
from rankwise.measures.measure import Measure, find_family

Formula = Callable[[RankedList, Measure], float]
FORMULAS: dict[str, Formula] = {}


def formula_of(family: str) -> Callable[[Formula], Formula]:
    """The decorated function is the formula of `family`."""

    def register(formula: Formula) -> Formula:
        FORMULAS[family] = formula
        return formula

    return register


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
    if measure.family in FORMULAS:
        return FORMULAS[measure.family](cut, measure)
    compute = find_family(measure.family).compute
    assert callable(compute), f"{measure.family} has no formula in tests/measures/formulas.py"
    return float(compute(cut))


def gain(label: float, measure: Measure) -> float:
    """g(l): 0 where nobody judged, below 0 and below the threshold."""
    if math.isnan(label) or label < 0:
        return 0.0
    if measure.threshold is not None and not relevant(label, measure):
        return 0.0
    if measure.gain == "linear":
        return float(label)
    return 2.0 ** (math.trunc(label) if measure.gain == "truncated" else label) - 1


def discount(rank: int, measure: Measure) -> float:
    """d(i) of rank i, from 1."""
    if measure.discount == "position":
        return 1 / rank
    if measure.discount == "letor":
        return 1 / math.log2(max(rank, 2))
    return 1 / math.log2(rank + 1)


def count(labels: Iterable[float], measure: Measure) -> int:
    """The number of relevant ones among these labels."""
    return sum(relevant(label, measure) for label in labels)


def relevant_judged(ranked: RankedList, measure: Measure) -> int:
    """R: the number of relevant documents of the query, retrieved or not."""
    return count(ranked.judged, measure)


def empty(measure: Measure) -> float:
    """The value of a query without a relevant document; NaN where it is left out."""
    return math.nan if measure.empty == "skip" else float(measure.empty or 0)


def known(label: float) -> float:
    """The label, 0 for a document that nobody judged."""
    return 0.0 if math.isnan(label) else float(label)


@formula_of("DCG")
def dcg(ranked: RankedList, measure: Measure) -> float:
    gained = _gained(ranked, measure)
    return gained if gained != 0 or ideal_dcg(ranked, measure) > 0 else empty(measure)


def ideal_dcg(ranked: RankedList, measure: Measure) -> float:
    """DCG of the best possible list."""
    gains = sorted((gain(label, measure) for label in ranked.ideal), reverse=True)
    return _discounted(gains[: measure.cutoff], measure)


@formula_of("NDCG")
def ndcg(ranked: RankedList, measure: Measure) -> float:
    ideal = ideal_dcg(ranked, measure)
    return _gained(ranked, measure) / ideal if ideal > 0 else empty(measure)


def _gained(ranked: RankedList, measure: Measure) -> float:
    return _discounted([gain(label, measure) for label in ranked.labels], measure)


def _discounted(gains: list[float], measure: Measure) -> float:
    return sum(g * discount(rank, measure) for rank, g in enumerate(gains, 1))


@formula_of("MeanNDCG")
def mean_ndcg(ranked: RankedList, measure: Measure) -> float:
    gains = [gain(label, measure) for label in ranked.labels]
    ideal = sorted((gain(label, measure) for label in ranked.ideal), reverse=True)
    if not ideal or not gains or not ideal[0] > 0:
        return empty(measure)
    cuts = range(1, len(gains) + 1)
    return sum(
        _discounted(gains[:k], measure) / _discounted(ideal[:k], measure) for k in cuts
    ) / len(gains)


@formula_of("P")
def precision(ranked: RankedList, measure: Measure) -> float:
    if not relevant_judged(ranked, measure):
        return empty(measure)
    divisor = len(ranked.labels)
    if measure.denominator == "cutoff" and measure.cutoff is not None:
        divisor = measure.cutoff
    return count(ranked.labels, measure) / divisor if divisor else 0.0


@formula_of("Recall")
def recall(ranked: RankedList, measure: Measure) -> float:
    found = relevant_judged(ranked, measure)
    return count(ranked.labels, measure) / found if found else empty(measure)


@formula_of("F1")
def f1(ranked: RankedList, measure: Measure) -> float:
    R = relevant_judged(ranked, measure)
    if R == 0:
        return empty(measure)
    divisor = len(ranked.labels)
    if measure.denominator == "cutoff" and measure.cutoff is not None:
        divisor = measure.cutoff
    hits = count(ranked.labels, measure)
    if hits == 0:
        return 0.0
    precision, recall = hits / divisor, hits / R
    return 2 * precision * recall / (precision + recall)


@formula_of("RPrecision")
def r_precision(ranked: RankedList, measure: Measure) -> float:
    R = relevant_judged(ranked, measure)
    return count(ranked.labels[:R], measure) / R if R else empty(measure)


@formula_of("Success")
def success(ranked: RankedList, measure: Measure) -> float:
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    return float(count(ranked.labels, measure) > 0)


@formula_of("Hits")
def hits(ranked: RankedList, measure: Measure) -> float:
    if not relevant_judged(ranked, measure):
        return empty(measure)
    return float(count(ranked.labels, measure))


@formula_of("AP")
def average_precision(ranked: RankedList, measure: Measure) -> float:
    divisor = relevant_judged(ranked, measure)
    if divisor == 0:
        return empty(measure)
    if measure.denominator == "cutoff" and measure.cutoff is not None:
        divisor = min(divisor, measure.cutoff)
    total = 0.0
    for rank, label in enumerate(ranked.labels, 1):
        if relevant(label, measure):
            total += count(ranked.labels[:rank], measure) / rank
    return total / divisor


@formula_of("IPrec")
def interpolated_precision(ranked: RankedList, measure: Measure) -> float:
    R = relevant_judged(ranked, measure)
    return _precision_at_level(ranked, measure, measure.level or 0.0, R) if R else empty(measure)


@formula_of("ElevenPoint")
def eleven_point(ranked: RankedList, measure: Measure) -> float:
    R = relevant_judged(ranked, measure)
    if R == 0:
        return empty(measure)
    return sum(_precision_at_level(ranked, measure, tenth / 10, R) for tenth in range(11)) / 11


def _precision_at_level(ranked: RankedList, measure: Measure, level: float, R: int) -> float:
    c = int(level * R + (0.5 if measure.level_rule == "nearest" else 0.9))
    counts = [count(ranked.labels[:rank], measure) for rank in range(1, len(ranked.labels) + 1)]
    return max((found / rank for rank, found in enumerate(counts, 1) if found >= c), default=0.0)


@formula_of("Bpref")
def bpref(ranked: RankedList, measure: Measure) -> float:
    R = relevant_judged(ranked, measure)
    N = len(ranked.judged) - R
    if R == 0:
        return empty(measure)
    total = 0.0
    for rank, label in enumerate(ranked.labels):
        if relevant(label, measure):
            known = [other for other in ranked.labels[:rank] if not math.isnan(other)]
            a = sum(not relevant(other, measure) for other in known)
            total += 1 - min(a, R) / min(N, R) if a else 1
    return total / R


@formula_of("RR")
def reciprocal_rank(ranked: RankedList, measure: Measure) -> float:
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    ranks = [rank for rank, label in enumerate(ranked.labels, 1) if relevant(label, measure)]
    return 1 / ranks[0] if ranks else 0.0


@formula_of("ERR")
def expected_reciprocal_rank(ranked: RankedList, measure: Measure) -> float:
    if not any(gain(label, measure) > 0 for label in ranked.judged):
        return empty(measure)
    highest = measure.highest or 1
    scale = highest if measure.gain == "linear" else 2**highest
    stops = [gain(label, measure) / scale for label in ranked.labels]
    return sum(
        stop / (i + 1) * math.prod(1 - earlier for earlier in stops[:i])
        for i, stop in enumerate(stops)
    )


@formula_of("RBP")
def rank_biased_precision(ranked: RankedList, measure: Measure) -> float:
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    p = measure.persistence or 0.0
    ranks = [rank for rank, label in enumerate(ranked.labels, 1) if relevant(label, measure)]
    return (1 - p) * sum(p ** (rank - 1) for rank in ranks)


@formula_of("PairwiseAccuracy")
def pairwise_accuracy(ranked: RankedList, measure: Measure) -> float:
    pairs = list(combinations([known(label) for label in ranked.labels], 2))
    C = sum(above > below for above, below in pairs)
    D = sum(above < below for above, below in pairs)
    return C / (C + D) if C + D else empty(measure)


@formula_of("KendallTau")
def kendall_tau(ranked: RankedList, measure: Measure) -> float:
    pairs = list(combinations([known(label) for label in ranked.labels], 2))
    C = sum(above > below for above, below in pairs)
    D = sum(above < below for above, below in pairs)
    T, n = C + D, len(ranked.labels)
    return (C - D) / math.sqrt(T * n * (n - 1) / 2) if T else empty(measure)


@formula_of("Best")
def best(ranked: RankedList, measure: Measure) -> float:
    return max((known(label) for label in ranked.labels), default=0.0)


@formula_of("WTA")
def winner_takes_all(ranked: RankedList, measure: Measure) -> float:
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    return float(len(ranked.labels) > 0 and ranked.labels[0] == max(ranked.judged))


@formula_of("SetP")
def set_precision(ranked: RankedList, measure: Measure) -> float:
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    return count(ranked.labels, measure) / len(ranked.labels) if ranked.labels else 0.0


@formula_of("SetRecall")
def set_recall(ranked: RankedList, measure: Measure) -> float:
    R = relevant_judged(ranked, measure)
    return count(ranked.labels, measure) / R if R else empty(measure)


@formula_of("SetAP")
def set_average_precision(ranked: RankedList, measure: Measure) -> float:
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    return set_precision(ranked, measure) * set_recall(ranked, measure)


@formula_of("SetF")
def set_f(ranked: RankedList, measure: Measure) -> float:
    if relevant_judged(ranked, measure) == 0:
        return empty(measure)
    precision, recall = set_precision(ranked, measure), set_recall(ranked, measure)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@formula_of("Retrieved")
def number_of_retrieved(ranked: RankedList, measure: Measure) -> float:
    return float(ranked.retrieved)


@formula_of("Relevant")
def number_relevant(ranked: RankedList, measure: Measure) -> float:
    return float(relevant_judged(ranked, measure))


@formula_of("RelevantRetrieved")
def relevant_retrieved(ranked: RankedList, measure: Measure) -> float:
    return float(count(ranked.labels, measure))


@formula_of("Queries")
def number_of_queries(ranked: RankedList, measure: Measure) -> float:
    return 1.0


@formula_of("RMSE")
def root_mean_square_error(ranked: RankedList, measure: Measure) -> float:
    pairs = zip(ranked.scores, ranked.labels, strict=True)
    squares = [(score - known(label)) ** 2 for score, label in pairs]
    return math.sqrt(sum(squares) / len(squares)) if squares else 0.0
