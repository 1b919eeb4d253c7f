"""OWPC: hinges of pairs weighted by their order, so that the top of the list counts most.

The hinges of a document's pairs stand in falling order, each with its own weight. Usunier, Buffoni,
Gallinari (2009). Ranking with ordered weighted pairwise classification. ICML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.linear.cutting_plane_ranker import CuttingPlaneRanker
from rankwise.rankers.optimizers.cutting_plane import Risk
from rankwise.rankers.parameters import parameter, regularization, scale_large, tol
from rankwise.rankers.ranker import Family
from rankwise.rankers.training.preferences import LabelLevels, refuse_equal_labels

ORDERED_WEIGHTS = ("harmonic", "linear", "equal", "first")


@dataclass(frozen=True, eq=False)
class OrderedHinges:
    """1/|Q| Σ_q 1/n_q Σ_i Σ_t a_t h_i(t), h_i(1) ≥ h_i(2) ≥ … the hinges max(0, 1 − s_i + s_j).

    i runs over the n_q documents of query q that have documents j of lower labels, N_i of them; Q
    holds the queries with such documents. The a_t fall and sum to 1 over t ≤ N_i:

        harmonic: a_t ∝ 1/t,   linear: a_t ∝ N_i + 1 − t,   equal: a_t = 1/N_i,   first: a_1 = 1.

    The hinges of i fall with the scores of the lower documents, in the same order for all
    documents of a label: after one sort per label, prefix sums give everything.
    """

    levels: LabelLevels
    weights: Floats
    kind: str

    @classmethod
    def of(cls, dataset: Dataset, kind: str) -> OrderedHinges:
        """All documents of a data set with lower ones."""
        levels = LabelLevels.of(dataset)
        above = (levels.levels > 0).astype(np.float64)
        counts = np.add.reduceat(above, dataset.query_offsets[:-1])
        used = max(1, int(np.count_nonzero(counts)))
        weights = above / np.repeat(np.maximum(counts, 1.0) * used, dataset.query_lengths)
        return cls(levels, weights, kind)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and a slope in every score (one of several where the cost has an edge)."""
        offsets = self.levels.query_offsets
        queries = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        # By query and falling score: what is lower than a level keeps this order.
        order = np.lexsort((-scores, queries))
        total, slopes = 0.0, np.zeros(len(scores))
        for level in range(1, int(self.levels.levels.max(initial=0)) + 1):
            total += self._level(level, order, queries, scores, slopes)
        return total, slopes

    def _level(
        self, level: int, order: Integers, queries: Integers, scores: Floats, slopes: Floats
    ) -> float:
        """The cost of the documents of one level; their slopes are added."""
        rank = self.levels.levels
        better = np.flatnonzero(rank == level)
        present = np.zeros(len(self.levels.query_offsets) - 1, dtype=np.bool_)
        present[queries[better]] = True
        worse = order[(rank[order] < level) & present[queries[order]]]
        firsts = np.searchsorted(queries[worse], np.arange(len(present) + 1))
        shares = _shares(self.kind, np.diff(firsts))
        masses = np.append(0.0, np.cumsum(shares))
        values = np.append(0.0, np.cumsum(shares * scores[worse]))
        ends = _active(queries, scores, better, worse)
        starts = firsts[queries[better]]
        mass = masses[ends] - masses[starts]
        costs = mass * (1.0 - scores[better]) + values[ends] - values[starts]
        weights = self.weights[better]
        slopes[better] -= weights * mass
        reached = np.bincount(starts, weights, len(worse) + 1)
        reached -= np.bincount(ends, weights, len(worse) + 1)
        slopes[worse] += shares * np.cumsum(reached)[:-1]
        return float((weights * costs).sum())


def _active(queries: Integers, scores: Floats, better: Integers, worse: Integers) -> Integers:
    """For each better document the end of those worse ones of its query that cost something.

    `worse` stands by query and falling score; those before the end have s_i − s_j < 1.
    """
    keys = np.concatenate([scores[worse], scores[better] - 1.0])
    group = np.concatenate([queries[worse], queries[better]])
    # Of equal keys the better document comes first: a hinge of 0 costs nothing.
    kind = np.concatenate([np.ones(len(worse)), np.zeros(len(better))])
    order = np.lexsort((kind, -keys, group))
    passed = np.cumsum(order < len(worse))
    ends = np.empty(len(keys), dtype=np.int64)
    ends[order] = passed
    return ends[len(worse) :]


def _shares(kind: str, counts: Integers) -> Floats:
    """a_1, a_2, … of each count, one after the other."""
    sizes = np.repeat(counts, counts).astype(np.float64)
    places = np.arange(len(sizes)) - np.repeat(np.cumsum(counts) - counts, counts) + 1.0
    families: dict[str, Floats] = {
        "harmonic": np.reciprocal(places),
        "linear": sizes + 1.0 - places,
        "equal": np.ones(len(sizes)),
        "first": (places == 1.0).astype(np.float64),
    }
    masses = families[kind]
    some = counts[counts > 0]
    if len(some) == 0:
        return masses
    shares: Floats = masses / np.repeat(np.add.reduceat(masses, np.cumsum(some) - some), some)
    return shares


@dataclass(frozen=True)
class OWPC(CuttingPlaneRanker):
    """Minimise λ/2 ‖w‖² + 1/|Q| Σ_q 1/n_q Σ_i Σ_t a_t h_i(t), h_i(1) ≥ h_i(2) ≥ … sorted hinges.

    The hinges of document i are max(0, 1 − w · (x_i − x_j)) over the N_i documents j of its query
    with lower labels; n_q documents of the query have some. The weights a_t fall, so that mistakes
    near the top cost more: ∝ 1/t (`harmonic`), ∝ N_i + 1 − t (`linear`), 1/N_i (`equal`), or all
    on the largest hinge (`first`). The objective is convex; cutting planes solve it to a proven
    gap, as the paper's SVM for interdependent output spaces does.

    The paper has binary relevance; with grades, as here, every document meets those below it,
    which is a guess, and so is that validation chooses between linear and equal weights. The steep
    ones, harmonic and first, suit cleaner data: on OHSUMED w = 0 minimises their objective. Not
    `ranksvm`, in which all pairs of all queries weigh the same, and not WARP, which samples pairs.

    Usunier, Buffoni, Gallinari (2009). Ranking with ordered weighted pairwise classification. ICML.
    """

    name: ClassVar[str] = "owpc"
    family: ClassVar[Family] = "pairwise"
    paper: ClassVar[str] = "Usunier, Buffoni and Gallinari (2009), ICML"
    search: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "graded labels: every document meets those below it",
        "which family of weights",
    )

    regularization: float = regularization(0.01, "the mean over queries", grid=(1e-3, 1e-2, 1e-1))
    weights: str = parameter(
        "linear",
        "how the weights of sorted hinges fall",
        grid=("linear", "equal"),
        choices=ORDERED_WEIGHTS,
    )
    gap: float = tol(1e-4, lowest=1e-10)
    rounds: int = parameter(2000, "cutting planes at most", lowest=1)
    scale_large: bool = scale_large()

    def _problem(self, train: Dataset) -> tuple[float, Risk, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        return self.regularization, OrderedHinges.of(train, self.weights).at, {}
