"""NeuralNDCG: NDCG of a relaxed sort; every rank is held by all documents, each to a share.

Pobrotyn, Białobrzeski (2021). NeuralNDCG: direct optimisation of a ranking metric via
differentiable relaxation of sorting. arXiv:2102.07831.
Grover, Wang, Zweig, Ermon (2019). Stochastic optimization of sorting networks via continuous
relaxations. ICLR.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.measures.measure import Measure
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.gradient.gradient_ranker import ClimbingRanker, starts
from rankwise.rankers.losses.listwise import DiscountedGains, find_gain_measure
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family


@dataclass(frozen=True)
class NeuralNDCG(ClimbingRanker):
    """Maximise 1/|Q| Σ_q Σ_r d_r Σ_i P_ri g_i − λ/2 ‖w‖², the NDCG of a relaxed sort.

    P_ri, the share of document i in rank r of n, is exp(((n + 1 − 2r) s_i − Σ_k |s_i − s_k|) / τ)
    over its sum in the rank, its columns and rows then scaled in turns to sums of 1; g_i is the
    gain over the ideal DCG, d_r the discount, s_i = w · x_i. As τ falls the sum becomes NDCG.

    Deviations: the paper trains self-attention, which is `self-attention` with loss=neuralndcg;
    here the function is linear or a network of `hidden_layers`. A linear one climbs from the minima
    of convex losses (see `ClimbingRanker`), as the sum has many maxima. Not the stochastic variant,
    whose scores are perturbed, and not `approxndcg`, which smooths the ranks themselves.

    Pobrotyn, Białobrzeski (2021). NeuralNDCG: direct optimisation of a ranking metric via
    differentiable relaxation of sorting. arXiv:2102.07831.
    """

    name: ClassVar[str] = "neuralndcg"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Pobrotyn and Białobrzeski (2021), arXiv:2102.07831"
    follows_tool: ClassVar[bool] = True

    temperature: float = parameter(
        1.0, "τ, how much ranks are shared", grid=(0.1, 1.0), lowest=1e-6, highest=1e6
    )
    scalings: int = parameter(
        50, "turns of scaling columns and rows at most", lowest=0, highest=10000
    )
    starts: int = starts(1)

    def _loss(self, dataset: Dataset, rng: np.random.Generator) -> RelaxedGain:
        measure = find_gain_measure(self.tool)
        return RelaxedGain.of(dataset, measure, self.temperature, self.scalings)


# Of the sums of columns from 1, as in the authors' code.
_TOLERANCE = 1e-6
_relaxed_gains = function(
    "rankwise_relaxed_gains",
    *(DOUBLES, DOUBLES, DOUBLES, INT64S, INT64, INT64, INT64),
    *(DOUBLE, INT64, DOUBLE, DOUBLES_OUT, DOUBLES_OUT),
    returns=DOUBLE,
)
_relaxed_sort = function("rankwise_relaxed_sort", DOUBLES, INT64, DOUBLE, DOUBLES_OUT, DOUBLES_OUT)


@dataclass(frozen=True, eq=False)
class RelaxedGain:
    """−1/|Q| Σ_q Σ_r d_r Σ_i P_ri g_i, g_i = gain of i / ideal DCG of the query, d_r the discount.

    P is the relaxed sort of the n documents of a query, rank r from 1,

        P_ri ∝ exp(((n + 1 − 2r) s_i − Σ_k |s_i − s_k|) / τ),    Σ_i P_ri = 1,

    its columns and rows then divided by their sums in turns until the columns, too, sum to 1
    (Sinkhorn's scaling), so that no document counts more than once.

    Attributes:
        gains: g_i and d_r.
        query_offsets: as in the data set.
        temperature: τ; towards 0 the sort becomes exact.
        scalings: turns at most.
    """

    gains: DiscountedGains
    query_offsets: Integers
    temperature: float
    scalings: int

    @classmethod
    def of(
        cls, dataset: Dataset, measure: Measure, temperature: float, scalings: int
    ) -> RelaxedGain:
        """A kind of NDCG over all queries; one without a gain has the value 0."""
        gains = DiscountedGains.of(dataset, measure)
        return cls(gains, dataset.query_offsets, temperature, scalings)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        gains, discounts = self.gains.gains, self.gains.discounts
        longest, queries = int(np.diff(self.query_offsets).max()), len(self.query_offsets) - 1
        if not len(scores) == len(gains) == self.query_offsets[-1] or len(discounts) < longest:
            raise ValueError(f"{self.query_offsets[-1]} scores are needed, found {len(scores)}")
        slopes = np.empty(len(scores))
        total = _relaxed_gains(
            np.ascontiguousarray(scores),
            gains,
            discounts,
            self.query_offsets,
            queries,
            len(scores),
            longest,
            self.temperature,
            self.scalings,
            _TOLERANCE,
            np.empty(longest * (3 * longest + 2 * self.scalings + 1)),
            slopes,
        )
        return -total / queries, slopes / -queries


def relaxed_sort(scores: Floats, temperature: float) -> Floats:
    """P before it is scaled: row r, from 0, is the softmax over i of its equation."""
    size = len(scores)
    found = np.empty((size, size))
    _relaxed_sort(np.ascontiguousarray(scores), size, temperature, np.empty(size), found)
    return found
