"""The scores of many linear functions in one compiled pass over the documents.

This module holds kernels: importing it imports numba.
"""

from __future__ import annotations

from typing import Any

from rankwise.compiled import compiled


@compiled
def score_candidates(features: Any, starts: Any, columns: Any, weights: Any, out: Any) -> None:
    """out[c, i] = the weighted sum of document i under candidate c.

    Candidate c has the weights starts[c] … starts[c + 1] - 1, of ascending columns: summed in the
    order in which `Linear.score` sums them, so that both give the same bits.
    """
    for row in range(len(features)):
        for candidate in range(len(starts) - 1):
            total = 0.0
            for k in range(starts[candidate], starts[candidate + 1]):
                total += features[row, columns[k]] * weights[k]
            out[candidate, row] = total
