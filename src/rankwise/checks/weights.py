"""Laws of weights: taken as the equation says, or refused; never ignored in silence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankwise.checks.law import NotApplicable, law, refusal, require, require_sentence
from rankwise.checks.made import half_way, joined, mean, planted, unseen, with_labels
from rankwise.checks.subject import ExaminedRanker, fingerprint
from rankwise.data.dataset import Dataset
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Ranker

# Of the spread of scores: minimisers are compared, which training reaches to a gap.
_NEARLY = 0.02
_LITTLE = 0.01


@law
def weights_are_taken_or_refused(subject: ExaminedRanker) -> None:
    """A ranker that does not say `takes_weights` refuses data with weights in one sentence."""
    if subject.ranker.takes_weights:
        raise NotApplicable("takes weights, as it says")
    train = _weighed(planted(6), np.arange(1.0, 7.0))
    error = refusal(lambda: subject.quick().fit(train), "it cannot weigh documents")
    require_sentence(error, subject.ranker.name, "weights")


@law
def equal_weights_change_nothing(subject: ExaminedRanker) -> None:
    """Weights that are all the same give the model of data without weights, to the bit."""
    _require_weights(subject)
    plain = fingerprint(subject.quick().fit(planted(12)), unseen())
    for weight in (1.0, 3.0):
        train = _weighed(planted(12), np.full(12, weight))
        found = fingerprint(subject.quick().fit(train), unseen())
        require(found == plain, f"the model of no weights where all are {weight:g}", "another one")


@law
def heavy_queries_are_followed(subject: ExaminedRanker) -> None:
    """Of two halves that contradict each other, it learns what the heavy one says."""
    _require_weights(subject)
    right, other = planted(16), planted(16, seed=4)
    both = joined(right, with_labels(other, other.labels.max() - other.labels))
    figures = []
    for first, second in ((1.0, _LITTLE), (_LITTLE, 1.0)):
        train = _weighed(both, np.repeat([first, second], 16))
        figures.append(mean(subject.quick().fit(train).score(unseen())))
    heavy, light = figures
    require(heavy > half_way(), f"NDCG@5 above {half_way():.4f} of the heavy half", heavy)
    require(light < heavy - 0.2, f"less than {heavy - 0.2:.4f} where it is light", light)


@law
def a_query_of_weight_two_counts_twice(subject: ExaminedRanker) -> None:
    """Where its equation says so, queries of weight 2 are the same queries twice."""
    if not subject.ranker.weighs_as_copies:
        raise NotApplicable("does not say that weights are copies")
    once, doubled = planted(8), planted(8, seed=4)
    copies = joined(once, doubled, doubled)
    train = _weighed(joined(once, doubled), np.repeat([1.0, 2.0], 8))
    expected, found = (_close(subject).fit(data).score(unseen()) for data in (copies, train))
    ignored = _close(subject).fit(joined(once, doubled)).score(unseen())
    allowed = _NEARLY * float(expected.std())
    away = float(np.abs(found - expected).max())
    require(away <= allowed, f"scores within {allowed:.2g} of those of copies", f"{away:.2g}")
    nearer = away < float(np.abs(ignored - expected).max()) / 2.0
    require(nearer, "scores nearer to those of copies than without weights", f"{away:.2g}")


def _require_weights(subject: ExaminedRanker) -> None:
    if not subject.ranker.takes_weights:
        raise NotApplicable("refuses data with weights")


def _weighed(data: Dataset, weights: NDArray[np.float64]) -> Dataset:
    """One weight a query."""
    return replace(data, weights=np.repeat(weights, data.query_lengths))


def _close(subject: ExaminedRanker) -> Ranker:
    """The ranker, so near to its minimum that two of them can be compared."""
    declared = {one.name for one in parameters_of(subject.ranker)}
    near = {"gap": 1e-9, "rounds": 1000} if "gap" in declared else {}
    return subject.quick(**near)
