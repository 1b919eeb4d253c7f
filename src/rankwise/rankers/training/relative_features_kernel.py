"""Passes over a feature matrix whose rows count from the first document of their query.

Each pass reads the matrix once, row by row, and holds nothing of its size; the order of summation
is fixed, so that no library and no number of threads moves the last bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.compiled import compiled


@compiled
def relative_scores(
    features: NDArray[np.float64], query_offsets: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """w · (x_i − x_first) for every document i, x_first being the first of its query."""
    scores = np.zeros(len(features))
    width = len(weights)
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        for row in range(first + 1, query_offsets[query + 1]):
            even = 0.0
            odd = 0.0
            # Two sums, because a single one waits for each addition before the next.
            for column in range(0, width - 1, 2):
                even += weights[column] * (features[row, column] - features[first, column])
                odd += weights[column + 1] * (
                    features[row, column + 1] - features[first, column + 1]
                )
            if width % 2:
                even += weights[width - 1] * (features[row, width - 1] - features[first, width - 1])
            scores[row] = even + odd
    return scores


@compiled
def relative_sums(
    features: NDArray[np.float64], query_offsets: NDArray[np.int64], slopes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Σ_i g_i (x_i − x_first)."""
    width = features.shape[1]
    sums = np.zeros(width)
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        for row in range(first + 1, query_offsets[query + 1]):
            slope = slopes[row]
            if slope != 0.0:
                for column in range(width):
                    sums[column] += slope * (features[row, column] - features[first, column])
    return sums


@compiled
def deviations(
    features: NDArray[np.float64], query_offsets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The root mean square distance of each feature from its mean in the query."""
    width = features.shape[1]
    squares = np.zeros(width)
    plain = np.zeros(width)
    own_squares = np.zeros(width)
    for query in range(len(query_offsets) - 1):
        first = query_offsets[query]
        plain[:] = 0.0
        own_squares[:] = 0.0
        for row in range(first + 1, query_offsets[query + 1]):
            for column in range(width):
                distance = features[row, column] - features[first, column]
                plain[column] += distance
                own_squares[column] += distance * distance
        length = query_offsets[query + 1] - first
        for column in range(width):
            squares[column] += max(
                own_squares[column] - plain[column] * plain[column] / length, 0.0
            )
    return np.sqrt(squares / len(features))
