"""NDCG of a relaxed sort: every rank is held by all documents, each to a share.

Pobrotyn, Białobrzeski (2021). NeuralNDCG: direct optimisation of a ranking metric via
differentiable relaxation of sorting. arXiv:2102.07831.
Grover, Wang, Zweig, Ermon (2019). Stochastic optimization of sorting networks via continuous
relaxations. ICLR.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.measures.measure import Measure
from rankwise.rankers.losses.discounted_gains import DiscountedGains

Floats = NDArray[np.float64]

# Of the sums of columns from 1, as in the authors' code.
_TOLERANCE = 1e-6


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
    query_offsets: NDArray[np.int64]
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
        from rankwise.rankers.losses.neural_sort_kernel import relaxed_gains

        slopes, queries = np.empty(len(scores)), len(self.query_offsets) - 1
        total = relaxed_gains(
            scores,
            self.gains.gains,
            self.gains.discounts,
            self.query_offsets,
            self.temperature,
            self.scalings,
            _TOLERANCE,
            slopes,
        )
        return -total / queries, slopes / -queries
