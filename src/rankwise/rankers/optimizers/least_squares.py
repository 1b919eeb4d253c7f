"""Least squares on labels: plain, of least norm where many fit as well, or with a penalty.

The data are read once, in blocks, and reduced to a triangle no larger than the features squared
by reflections, which lose no digits as normal equations would.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.scorers.linear import Linear

Floats = NDArray[np.float64]

# The block of 136 features and its label takes half a megabyte, which stays in the cache.
_ROWS_IN_A_BLOCK = 512


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Σ_i (w · (x_i − c_i) / s − (t_i − d_i))², reduced to a triangle.

    c_i and d_i are means, of all documents or of those of the query of i.

    Attributes:
        columns: the triangle, column by column; the targets are the last column.
        scales: s, one divisor per feature.
        means: the mean of every feature over all documents.
        target_mean: the mean target.
        documents: how many rows there were.
    """

    columns: Floats
    scales: Floats
    means: Floats
    target_mean: float
    documents: int

    @classmethod
    def of(
        cls, dataset: Dataset, targets: Floats, *, centre_in_query: bool, scale_large: bool
    ) -> LeastSquares:
        """The sum over all documents; `scale_large` divides feature j by max(1, σ_j).

        σ_j is the standard deviation after centring. Features in [0, 1] are left alone.
        """
        centring = _Centring.of(dataset, targets, centre_in_query)
        deviations = centring.deviations()
        refuse_huge(deviations)
        scales = np.maximum(deviations, 1.0) if scale_large else np.ones(len(deviations))
        means = dataset.features.mean(axis=0)
        return cls(
            columns=_triangle(centring, scales),
            scales=scales,
            means=means,
            target_mean=float(targets.mean()),
            documents=dataset.n_documents,
        )

    def solution(self, penalty: float = 0.0) -> tuple[Linear, int]:
        """The minimiser of the sum / documents + `penalty` ‖w‖², and the rank.

        Where there are many, w is the one of least norm. The intercept makes the mean score the
        mean target.
        """
        from rankwise.rankers.optimizers.least_squares_kernel import minimal_norm

        width = len(self.scales)
        columns = self.columns if penalty == 0.0 else self._penalised(penalty)
        # As numpy's lstsq: what rounding leaves of columns that depend on others.
        tolerance = float(np.finfo(np.float64).eps) * max(self.documents, width)
        matrix, target = columns[:width, :width].copy(), columns[width, :width].copy()
        scaled, rank = minimal_norm(matrix, target, tolerance)
        weights = scaled / self.scales
        # Element by element: a library's dot product may depend on the number of threads.
        intercept = self.target_mean - float(np.sum(weights * self.means))
        return Linear(weights, intercept), rank

    def _penalised(self, penalty: float) -> Floats:
        """The triangle with one more row √(penalty · documents) e_j for every feature j."""
        from rankwise.rankers.optimizers.least_squares_kernel import absorb

        size = len(self.columns)
        columns = np.zeros((size, 2 * size - 1))
        columns[:, :size] = self.columns
        places = np.arange(size - 1)
        columns[places, size + places] = np.sqrt(penalty * self.documents)
        absorb(columns)
        return np.tril(columns[:, :size])


@dataclass(frozen=True, eq=False)
class _Centring:
    """Features and targets less the mean of their group: all documents, or the query."""

    features: Floats
    targets: Floats
    groups: NDArray[np.int64]
    feature_means: Floats
    target_means: Floats

    @classmethod
    def of(cls, dataset: Dataset, targets: Floats, in_query: bool) -> _Centring:
        groups = dataset.query_of_rows
        starts = dataset.query_offsets[:-1]
        if not in_query:
            groups, starts = np.zeros_like(groups), np.zeros(1, dtype=np.int64)
        lengths = np.bincount(groups).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            sums = np.add.reduceat(dataset.features, starts, axis=0)
        target_means = np.add.reduceat(targets, starts) / lengths
        return cls(dataset.features, targets, groups, sums / lengths[:, np.newaxis], target_means)

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        for first in range(0, len(self.features), _ROWS_IN_A_BLOCK):
            rows = slice(first, first + _ROWS_IN_A_BLOCK)
            groups = self.groups[rows]
            features = self.features[rows] - self.feature_means[groups]
            yield features, self.targets[rows] - self.target_means[groups]

    def deviations(self) -> Floats:
        squares = np.zeros(self.features.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            for features, _ in self.blocks():
                squares += np.square(features).sum(axis=0)
        return np.sqrt(squares / len(self.features))


def _triangle(centring: _Centring, scales: Floats) -> Floats:
    from rankwise.rankers.optimizers.least_squares_kernel import absorb

    size = len(scales) + 1
    columns = np.zeros((size, size + _ROWS_IN_A_BLOCK))
    for features, targets in centring.blocks():
        below = columns[:, size:]
        below[:] = 0.0
        below[:-1, : len(features)] = (features / scales).T
        below[-1, : len(features)] = targets
        absorb(columns)
    return np.tril(columns[:, :size])


def refuse_huge(deviations: Floats) -> None:
    """Refuse features whose squares no number can hold."""
    if not np.isfinite(deviations).all():
        column = int(np.flatnonzero(~np.isfinite(deviations))[0]) + 1
        raise RankwiseError(
            "features must have squares that a number can hold (below about 1e150), "
            f"found larger ones in feature {column}; scale it down first"
        )
