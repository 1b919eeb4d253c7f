"""The error on left-out queries of least squares with one more feature, without solving anew.

With the features S chosen so far as the columns of X, all rows weighted and counted from their
means in the query, G = (X X' + μ I)⁻¹ is never written out; kept are C = G F for all features F,
a = G y, and, with G_q its block of the rows of query q, D_q = G_q⁻¹ C_q and p_q = G_q⁻¹ a_q. p_q
are the errors that the function learned from all other queries makes on q.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@compiled
def candidate_errors(
    features: Floats,
    products: Floats,
    inverse_products: Floats,
    solved: Floats,
    errors: Floats,
    query_offsets: Integers,
) -> Floats:
    """Σ_q ‖p_q‖² after feature j has been added, for every j, in one pass over the rows.

    With u = C_j, δ = 1 + F_j' u and g = D_qj, adding j makes p_q to p_q + κ g, where
    κ = (u_q' p_q − F_j' a) / (δ − u_q' g).
    """
    width = features.shape[1]
    growth = np.ones(width)
    shares = np.zeros(width)
    for row in range(len(features)):
        for column in range(width):
            growth[column] += features[row, column] * products[row, column]
            shares[column] += features[row, column] * solved[row]
    totals = np.zeros(width)
    known = 0.0
    for query in range(len(query_offsets) - 1):
        sums = np.zeros((4, width))
        for row in range(query_offsets[query], query_offsets[query + 1]):
            known += errors[row] * errors[row]
            for column in range(width):
                inverse = inverse_products[row, column]
                sums[0, column] += products[row, column] * errors[row]
                sums[1, column] += products[row, column] * inverse
                sums[2, column] += errors[row] * inverse
                sums[3, column] += inverse * inverse
        for column in range(width):
            step = (sums[0, column] - shares[column]) / (growth[column] - sums[1, column])
            totals[column] += step * (2.0 * sums[2, column] + step * sums[3, column])
    return totals + known


@compiled
def add_feature(
    features: Floats,
    products: Floats,
    inverse_products: Floats,
    solved: Floats,
    errors: Floats,
    query_offsets: Integers,
    chosen: int,
) -> None:
    """Bring C, D, a and p up to date in place: two passes over the rows.

    C ← C − u t with t = u' F / δ; D_q ← D_q + g (g' C_q − δ t) / (δ − u_q' g), with C as it was.
    """
    width = features.shape[1]
    growth = 1.0
    share = 0.0
    meets = np.zeros(width)
    for row in range(len(features)):
        value = features[row, chosen]
        growth += value * products[row, chosen]
        share += value * solved[row]
        for column in range(width):
            meets[column] += value * products[row, column]
    meets /= growth
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        last = query_offsets[query + 1]
        own = 0.0
        missed = 0.0
        inner = np.zeros(width)
        for row in range(first, last):
            inverse = inverse_products[row, chosen]
            own += products[row, chosen] * inverse
            missed += products[row, chosen] * errors[row]
            for column in range(width):
                inner[column] += inverse * products[row, column]
        rest = growth - own
        moves = (inner - growth * meets) / rest
        for row in range(first, last):
            inverse = inverse_products[row, chosen]
            direction = products[row, chosen]
            errors[row] += (missed - share) / rest * inverse
            solved[row] -= direction * share / growth
            for column in range(width):
                inverse_products[row, column] += inverse * moves[column]
                products[row, column] -= direction * meets[column]
