"""Potentials of the exponential loss in time linear in the documents. Imports numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwise.compiled import compiled


@compiled
def exponential_potentials(scores: Any, levels: Any, offsets: Any, potentials: Any) -> float:
    """Σ exp(F(x0) - F(x1)) over all pairs, and every document's potential, not yet divided by it.

    The potential of x is Σ exp(F(x0) - F(x)) over worse documents x0 less Σ exp(F(x) - F(x1)) over
    better ones x1. Both are products of a factor of x and a sum over a level of the query.
    """
    longest = 0
    for query in range(len(offsets) - 1):
        longest = max(longest, offsets[query + 1] - offsets[query])
    worse = np.empty(longest + 1)
    better = np.empty(longest + 1)
    total = 0.0
    for query in range(len(offsets) - 1):
        first = offsets[query]
        last = offsets[query + 1]
        top = levels[first:last].max()
        # The middle of the scores cancels out of every product and keeps the factors in range.
        middle = 0.5 * (scores[first:last].max() + scores[first:last].min())
        worse[: top + 2] = 0.0
        better[: top + 2] = 0.0
        for row in range(first, last):
            worse[levels[row] + 1] += np.exp(scores[row] - middle)
            better[levels[row]] += np.exp(middle - scores[row])
        for level in range(1, top + 1):
            worse[level] += worse[level - 1]
        for level in range(top - 1, -1, -1):
            better[level] += better[level + 1]
        for row in range(first, last):
            rise = np.exp(middle - scores[row]) * worse[levels[row]]
            potentials[row] = rise - np.exp(scores[row] - middle) * better[levels[row] + 1]
            total += rise
    return total
