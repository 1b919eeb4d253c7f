"""NDCG expected under random scores: every document has a distribution over the ranks.

Taylor, Guiver, Robertson, Minka (2008). SoftRank: optimizing non-smooth rank metrics. WSDM.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.measures.measure import Measure
from rankwise.native import DOUBLE, DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.losses.discounted_gains import DiscountedGains

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_expected_gains = function(
    "rankwise_expected_gains",
    *(DOUBLES, INT64S, INT64, DOUBLES, DOUBLES, INT64, DOUBLE),
    *(DOUBLES_OUT, DOUBLES_OUT, DOUBLES_OUT, DOUBLES_OUT),
    returns=DOUBLE,
)


@dataclass(frozen=True, eq=False)
class ExpectedGain:
    """−1/|Q| Σ_q Σ_j g_j Σ_r d(r) p_j(r), p_j(r) the chance that document j has rank r.

    Scores are drawn from N(s_j, σ²), so that i is above j with the chance π_ij = Φ((s_i − s_j) /
    (√2 σ)). The other documents join one by one: p_j(r) ← p_j(r − 1) π_ij + p_j(r) (1 − π_ij),
    starting with rank 0 for sure. Ranks beyond the cut-off have no discount and are left out of
    the recursion, which never looks at them: n² k steps for a query of n documents.

    Attributes:
        gains: g_j and the discounts d(r) of NDCG@k.
        query_offsets: as in the data set.
        deviation: σ.
    """

    gains: DiscountedGains
    query_offsets: Integers
    deviation: float

    @classmethod
    def of(cls, dataset: Dataset, measure: Measure, deviation: float) -> ExpectedGain:
        """NDCG as `measure` has it, over all queries."""
        return cls(DiscountedGains.of(dataset, measure), dataset.query_offsets, deviation)

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """The cost, and its slope in every score."""
        longest = int(np.diff(self.query_offsets).max())
        cutoff = min(self.gains.cutoff, longest)
        queries = len(self.query_offsets) - 1
        slopes = np.zeros(len(scores))
        total = _expected_gains(
            np.ascontiguousarray(scores, dtype=np.float64),
            self.query_offsets,
            queries,
            self.gains.gains,
            self.gains.discounts,
            cutoff,
            float(np.sqrt(2.0) * self.deviation),
            np.empty(longest * longest),
            np.empty((longest + 1) * cutoff),
            np.empty(cutoff),
            slopes,
        )
        return -total / queries, slopes / -queries
