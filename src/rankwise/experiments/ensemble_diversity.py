"""How diverse the members of an ensemble of rankers are: who orders which pairs rightly.

The objects are the preference pairs of a query: two documents with different labels. A member is
right about a pair when the document with the higher label has the higher score; a tie is wrong. Of
two members a and b, p11, p10, p01 and p00 are the shares of the pairs about which both, only a,
only b and none is right, in each query, averaged over the queries that have pairs. Then

    disagreement = p10 + p01                                            (Skalak 1996; Ho 1998)
    double fault = p00                                                  (Giacinto and Roli 2001)
    Q            = (p11 p00 - p10 p01) / (p11 p00 + p10 p01)            (Yule 1900)

each averaged over all pairs of members (Q over those that have one), and of all L members together

    entropy = mean over pairs of min(l, L - l) / (L - ⌈L / 2⌉)          (Kuncheva and Whitaker 2003)

with l the number of members that are right about a pair. A high disagreement and entropy, a low
double fault and Q mean diversity. For outcomes that are right or wrong, the plain and the
fail/non-fail disagreement of Tsymbal, Pechenizkiy and Cunningham (2005) are both `disagreement`.

Kuncheva and Whitaker (2003). Measures of diversity in classifier ensembles and their relationship
with the ensemble accuracy. Machine Learning 51.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.boosting.weak_rankers import linear_scores

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Diversity:
    """The measures of the module for one ensemble; None where it has one member, or no pairs.

    Attributes:
        members: different rankers in the ensemble; over several folds the mean, so no whole number.
        right: the share of pairs that a member orders rightly, on average over members.
        disagreement: of two members, on average.
        double_fault: of two members, on average.
        q: of two members, on average; also None where no two members have one.
        entropy: of all members.
    """

    members: float
    right: float | None
    disagreement: float | None
    double_fault: float | None
    q: float | None
    entropy: float | None


def measure_diversity(weights: Floats, dataset: Dataset) -> Diversity:
    """The diversity of linear rankers, one a row of `weights`, on the documents of `dataset`."""
    members = len(weights)
    both, entropy, queries = np.zeros((members, members)), 0.0, 0
    scores = linear_scores(dataset, weights)
    for first, last in pairwise(dataset.query_offsets.tolist()):
        right = _judge_pairs(scores[:, first:last], dataset.labels[first:last])
        pairs = right.shape[1]
        if pairs == 0:
            continue
        # Whole numbers, which every order of summation adds up to the same bits.
        both += right @ right.T / pairs
        count = right.sum(axis=0)
        entropy += float(np.minimum(count, members - count).mean())
        queries += 1
    if queries == 0:
        return Diversity(float(members), None, None, None, None, None)
    return _summarise(both / queries, entropy / queries)


def _judge_pairs(scores: Floats, labels: Floats) -> Floats:
    """(members, preference pairs): 1 where a member orders a pair rightly, else 0."""
    above, below = np.nonzero(labels[:, np.newaxis] > labels)
    return (scores[:, above] > scores[:, below]).astype(np.float64)


def _summarise(both: Floats, entropy: float) -> Diversity:
    """From p11 of all pairs of members, whose diagonal is the share that each is right about."""
    members, right = len(both), np.diag(both)
    if members < 2:
        return Diversity(float(members), float(right.mean()), None, None, None, None)
    one, other = np.triu_indices(members, 1)
    p11 = both[one, other]
    p10, p01 = right[one] - p11, right[other] - p11
    p00 = 1.0 - p11 - p10 - p01
    agreeing, differing = p11 * p00, p10 * p01
    known = agreeing + differing > 1e-15
    q = (agreeing - differing)[known] / (agreeing + differing)[known]
    return Diversity(
        members=float(members),
        right=float(right.mean()),
        disagreement=float((p10 + p01).mean()),
        double_fault=float(np.maximum(p00, 0.0).mean()),
        q=float(q.mean()) if known.any() else None,
        entropy=entropy / (members - (members + 1) // 2),
    )
