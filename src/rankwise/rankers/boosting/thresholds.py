"""Threshold functions h(x) = [x_j > θ] of all features, and the best of them for given potentials.

The thresholds of a feature are equally spaced; a document's value becomes one byte, the number of
thresholds below it, so that all thresholds of a feature are tried in one pass over the documents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.native import DOUBLE, DOUBLES, INT64, INT64S_OUT, UINT8S, function

_best_threshold = function(
    "rankwise_best_threshold", UINT8S, INT64, INT64, DOUBLES, INT64, INT64S_OUT, returns=DOUBLE
)

Floats = NDArray[np.float64]
Codes = NDArray[np.uint8]

# So many fit a byte, and so many LETOR's RankBoost had.
MOST_THRESHOLDS = 255


@dataclass(frozen=True)
class Stump:
    """h(x) = [x_j > θ].

    Attributes:
        column: j, from 0.
        place: of θ among the thresholds of the feature, from 1.
        edge: how much more weight of pairs it puts right than wrong.
    """

    column: int
    place: int
    edge: float


@dataclass(frozen=True, eq=False)
class Thresholds:
    """θ_k = (1 - k / (n + 1)) min + k / (n + 1) max, k = 1 … n, of every feature.

    NULL values exceed no threshold (h = 0, the paper's q_def), and are left out of min and max. A
    constant feature exceeds none either, so that none of its thresholds tells documents apart.

    Attributes:
        values: (features, n), ascending.
    """

    values: Floats

    @classmethod
    def of(cls, features: Floats, count: int = MOST_THRESHOLDS) -> Thresholds:
        """Thresholds between the least and the greatest value of every feature."""
        known = np.isfinite(features)
        lowest = np.min(features, axis=0, where=known, initial=np.inf)
        highest = np.max(features, axis=0, where=known, initial=-np.inf)
        empty = lowest > highest
        lowest, highest = np.where(empty, 0.0, lowest), np.where(empty, 0.0, highest)
        shares = np.arange(1, count + 1) / (count + 1)
        # Not lowest + share * (highest - lowest), which overflows where the two are huge.
        between = np.outer(lowest, 1.0 - shares) + np.outer(highest, shares)
        # Rounding must not put a threshold below a constant feature's only value.
        return cls(np.where((lowest == highest)[:, np.newaxis], highest[:, np.newaxis], between))

    def codes(self, features: Floats) -> Codes:
        """(features, documents): how many thresholds of its feature each value exceeds."""
        found = np.empty((features.shape[1], len(features)), dtype=np.uint8)
        for column, thresholds in enumerate(self.values):
            values = features[:, column]
            passed = np.searchsorted(thresholds, values, side="left")
            found[column] = np.where(np.isnan(values), 0, passed)
        return found


def best_stump(codes: Codes, potentials: Floats, count: int) -> Stump:
    """The stump with the greatest |Σ_i π_i h(x_i)|, the first among equals.

    One pass over documents and features, whatever the number of thresholds (`count`).
    """
    features, documents = codes.shape
    if len(potentials) != documents:
        raise ValueError(f"{documents} potentials are needed, found {len(potentials)}")
    found = np.empty(2, dtype=np.int64)
    edge = _best_threshold(codes, features, documents, potentials, count, found)
    column, place = found.tolist()
    return Stump(column, place, edge)
