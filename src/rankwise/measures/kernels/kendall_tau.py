"""Kendall's tau-b between the labels and the ranking.

    KendallTau = (C - D) / sqrt(T n (n - 1) / 2)

C and D are the pairs of different labels in the right and the wrong order, T = C + D, and n the
number of retrieved documents. The ranking itself has no ties: tied scores are ordered by the tie
rule, or each tied pair counts one half either way in the expectation. scipy's tau-b of labels and
scores, which corrects for tied scores as well, agrees where no scores are tied.

Kendall, Biometrika 33(3), 1945.
"""

from __future__ import annotations

import numpy as np

from rankwise.compiled import compiled
from rankwise.measures.kernels.pairwise_accuracy import different_pairs, wrong_pairs
from rankwise.measures.kernels.ranked import MeasureRecord, RankedQuery


@compiled
def kendall_tau(query: RankedQuery, measure: MeasureRecord) -> float:
    """Tau-b of one ranked query."""
    size = query.retrieved
    pairs = different_pairs(query, 0, size)
    if pairs == 0.0:
        return measure.empty
    balance = pairs - 2.0 * wrong_pairs(query)
    return balance / float(np.sqrt(pairs * (size * (size - 1.0) / 2.0)))
