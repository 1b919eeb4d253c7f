"""Every measure written out from its equation, one query at a time, in plain Python.

Slow and literal on purpose: the compiled pass is compared with this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from rankwise.measures.measure import Measure

NOTHING = math.nan


def literal_value(
    measure: Measure, ranked: Sequence[float], judged: Sequence[float], scores: Sequence[float]
) -> float:
    """The value of `measure` for labels in rank order, all judged labels, scores in rank order."""
    if measure.table is not None:
        ranked = [0.0 if label > measure.table else label for label in ranked]
        judged = [0.0 if label > measure.table else label for label in judged]
    if measure.short != "cut" and measure.short and (measure.cutoff or 0) > len(ranked):
        return 0.0 if measure.short == "zero" else -math.inf
    return FORMULAS[measure.family](measure, list(ranked), list(judged), list(scores))


def gain(measure: Measure, label: float) -> float:
    if (
        math.isnan(label)
        or label < 0
        or (measure.threshold is not None and not relevant(measure, label))
    ):
        return 0.0
    if measure.gain == "truncated":
        return 2.0 ** math.trunc(label) - 1
    return 2.0**label - 1 if measure.gain == "exponential" else label


def discount(measure: Measure, rank: int) -> float:
    if measure.discount == "position":
        return 1 / rank
    if measure.discount == "letor":
        return 1 / math.log2(max(rank, 2))
    return 1 / math.log2(rank + 1)


def relevant(measure: Measure, label: float) -> bool:
    threshold = measure.threshold
    assert threshold is not None
    return label > threshold if measure.strict else label >= threshold


def top(measure: Measure, ranked: list[float]) -> list[float]:
    return ranked if measure.cutoff is None else ranked[: measure.cutoff]


def empty(measure: Measure) -> float:
    return NOTHING if measure.empty == "skip" else float(measure.empty or 0)


def total_relevant(measure: Measure, judged: list[float]) -> int:
    return sum(relevant(measure, label) for label in judged if not math.isnan(label))


def dcg(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    return sum(gain(m, label) * discount(m, i) for i, label in enumerate(top(m, ranked), 1))


def ideal_dcg(m: Measure, judged: list[float]) -> float:
    gains = sorted((gain(m, label) for label in judged), reverse=True)
    return sum(g * discount(m, i) for i, g in enumerate(top(m, gains), 1))


def ndcg(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    ideal = ideal_dcg(m, judged)
    return dcg(m, ranked, judged, scores) / ideal if ideal > 0 else empty(m)


def mean_ndcg(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    if not ideal_dcg(m, judged) > 0:
        return empty(m)
    length = len(top(m, ranked))
    cuts = [m.with_fields(cutoff=k) for k in range(1, length + 1)]
    return sum(ndcg(cut, ranked, judged, scores) for cut in cuts) / length


def hits(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    return float(sum(relevant(m, label) for label in top(m, ranked)))


def precision(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    divisor = m.cutoff or len(ranked)
    if m.denominator == "retrieved":
        divisor = min(divisor, len(ranked))
    return hits(m, ranked, judged, scores) / divisor


def average_precision(
    m: Measure, ranked: list[float], judged: list[float], scores: list[float]
) -> float:
    found = total_relevant(m, judged)
    if found == 0:
        return empty(m)
    total = 0.0
    for rank, label in enumerate(top(m, ranked), 1):
        if relevant(m, label):
            total += sum(relevant(m, other) for other in ranked[:rank]) / rank
    return total / (min(found, m.cutoff) if m.denominator == "cutoff" and m.cutoff else found)


def reciprocal_rank(
    m: Measure, ranked: list[float], judged: list[float], scores: list[float]
) -> float:
    if total_relevant(m, judged) == 0:
        return empty(m)
    ranks = [rank for rank, label in enumerate(top(m, ranked), 1) if relevant(m, label)]
    return 1 / ranks[0] if ranks else 0.0


def err(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    assert m.highest is not None
    if not any(gain(m, label) > 0 for label in judged):
        return empty(m)
    scale = m.highest if m.gain == "linear" else 2**m.highest
    stops = [gain(m, label) / scale for label in top(m, ranked)]
    return sum(
        stop / (i + 1) * math.prod(1 - earlier for earlier in stops[:i])
        for i, stop in enumerate(stops)
    )


def recall(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    found = total_relevant(m, judged)
    return hits(m, ranked, judged, scores) / found if found else empty(m)


def success(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    if total_relevant(m, judged) == 0:
        return empty(m)
    return float(hits(m, ranked, judged, scores) > 0)


def f1(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    if total_relevant(m, judged) == 0:
        return empty(m)
    p, r = precision(m, ranked, judged, scores), recall(m, ranked, judged, scores)
    return 2 * p * r / (p + r) if p + r else 0.0


def r_precision(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    found = total_relevant(m, judged)
    return sum(relevant(m, label) for label in ranked[:found]) / found if found else empty(m)


def rbp(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    p = m.persistence or 0.0
    if total_relevant(m, judged) == 0:
        return empty(m)
    return (1 - p) * sum(p**i for i, label in enumerate(top(m, ranked)) if relevant(m, label))


def bpref(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    known = [label for label in judged if not math.isnan(label)]
    R = total_relevant(m, known)
    N = len(known) - R
    if R == 0:
        return empty(m)
    total = 0.0
    for rank, label in enumerate(ranked):
        if relevant(m, label):
            above = sum(not relevant(m, x) for x in ranked[:rank] if not math.isnan(x))
            total += 1 - min(above, R) / min(N, R) if above else 1
    return total / R


def pair_counts(ranked: list[float]) -> tuple[int, int]:
    labels = [0.0 if math.isnan(label) else label for label in ranked]
    pairs = list(combinations(labels, 2))
    return sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)


def pairwise(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    right, wrong = pair_counts(ranked)
    return right / (right + wrong) if right + wrong else empty(m)


def kendall(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    right, wrong = pair_counts(ranked)
    if right + wrong == 0:
        return empty(m)
    return (right - wrong) / math.sqrt((right + wrong) * math.comb(len(ranked), 2))


def wta(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    if total_relevant(m, judged) == 0:
        return empty(m)
    return float(ranked[0] == max(label for label in judged if not math.isnan(label)))


def best(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    return max(0.0 if math.isnan(label) else label for label in top(m, ranked))


def interpolated(m: Measure, ranked: list[float], level: float, found: int) -> float:
    needed = int(level * found + (0.5 if m.level_rule == "nearest" else 0.9))
    precisions = []
    for rank in range(1, len(ranked) + 1):
        count = sum(relevant(m, label) for label in ranked[:rank])
        if count >= needed:
            precisions.append(count / rank)
    return max(precisions, default=0.0)


def iprec(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    found = total_relevant(m, judged)
    return interpolated(m, ranked, m.level or 0.0, found) if found else empty(m)


def eleven(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    found = total_relevant(m, judged)
    if not found:
        return empty(m)
    return sum(interpolated(m, ranked, tenth / 10, found) for tenth in range(11)) / 11


def set_precision(
    m: Measure, ranked: list[float], judged: list[float], scores: list[float]
) -> float:
    found = total_relevant(m, judged)
    return total_relevant(m, ranked) / len(ranked) if found else empty(m)


def set_recall(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    found = total_relevant(m, judged)
    return total_relevant(m, ranked) / found if found else empty(m)


def set_product(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    if not total_relevant(m, judged):
        return empty(m)
    return set_precision(m, ranked, judged, scores) * set_recall(m, ranked, judged, scores)


def set_f(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    if not total_relevant(m, judged):
        return empty(m)
    p, r = set_precision(m, ranked, judged, scores), set_recall(m, ranked, judged, scores)
    return 2 * p * r / (p + r) if p + r else 0.0


def rmse(m: Measure, ranked: list[float], judged: list[float], scores: list[float]) -> float:
    known = [0.0 if math.isnan(label) else label for label in ranked]
    squares = [(score - label) ** 2 for score, label in zip(scores, known, strict=True)]
    return math.sqrt(sum(squares) / len(squares))


FORMULAS = {
    "NDCG": ndcg,
    "DCG": dcg,
    "MeanNDCG": mean_ndcg,
    "P": precision,
    "AP": average_precision,
    "RR": reciprocal_rank,
    "ERR": err,
    "Recall": recall,
    "Success": success,
    "Hits": hits,
    "F1": f1,
    "RPrecision": r_precision,
    "RBP": rbp,
    "Bpref": bpref,
    "PairwiseAccuracy": pairwise,
    "KendallTau": kendall,
    "WTA": wta,
    "Best": best,
    "IPrec": iprec,
    "ElevenPoint": eleven,
    "SetP": set_precision,
    "SetRecall": set_recall,
    "SetAP": set_product,
    "SetF": set_f,
    "RMSE": rmse,
    "Retrieved": lambda m, ranked, judged, scores: float(len(ranked)),
    "Relevant": lambda m, ranked, judged, scores: float(total_relevant(m, judged)),
    "RelevantRetrieved": lambda m, ranked, judged, scores: float(total_relevant(m, ranked)),
    "Queries": lambda m, ranked, judged, scores: 1.0,
}
