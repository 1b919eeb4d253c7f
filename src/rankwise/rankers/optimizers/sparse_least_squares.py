"""Least squares on wide or sparse data, by conjugate gradients: no triangle of features squared.

Only products with the rows are needed, and centring is done on them: the data stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.sparse_features import SparseFeatures, as_sparse
from rankwise.native.sums import dot
from rankwise.rankers.optimizers.least_squares import mean_of, refuse_huge
from rankwise.rankers.scorers.linear import Linear
from rankwise.rankers.scorers.sparse_products import combine, multiply
from rankwise.rankers.training.sparse_deviations import sparse_deviations

Floats = NDArray[np.float64]

# Steps end where the gradient has shrunk to this part of what it was at 0.
_ENOUGH = 1e-12
_STEPS = 1000


@dataclass(frozen=True, eq=False)
class SparseLeastSquares:
    """Σ_i v_i (w · (x_i − c_i) / s − (t_i − d_i))², as `LeastSquares` has it, not reduced.

    Attributes:
        sparse: x, row by row.
        targets: √v (t − d), one per row.
        groups: the first rows of what has a mean of its own: all documents, or each query.
        scales: s, one divisor per feature.
        means: the mean of every feature over all documents.
        target_mean: the mean target.
        weights: v, one per row; None where all are 1.
    """

    sparse: SparseFeatures
    targets: Floats
    groups: NDArray[np.int64]
    scales: Floats
    means: Floats
    target_mean: float
    weights: Floats | None = None

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        targets: Floats,
        *,
        centre_in_query: bool,
        scale_large: bool,
        weights: Floats | None = None,
    ) -> SparseLeastSquares:
        """The sum over all documents; `scale_large` divides feature j by max(1, σ_j)."""
        sparse = as_sparse(dataset.features) if dataset.sparse is None else dataset.sparse
        n = dataset.n_documents
        offsets = dataset.query_offsets if centre_in_query else np.array([0, n], np.int64)
        deviations = sparse_deviations(sparse, offsets, dataset.weights)
        refuse_huge(deviations)
        scales = np.maximum(deviations, 1.0) if scale_large else np.ones(sparse.width)
        shares = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
        means, target_mean = combine(sparse, shares), float(mean_of(targets, weights))
        centred = _centred(targets, offsets, weights)
        return cls(sparse, centred, offsets, scales, means, target_mean, weights)

    def solution(self, penalty: float = 0.0) -> Linear:
        """The minimiser of the sum / documents + `penalty` ‖w‖²; of least norm where many are.

        Conjugate gradients on A'A w = A't (CGLS), which begin at 0 and so never leave the rows'
        span: Hestenes and Stiefel (1952), Journal of Research of the National Bureau of Standards
        49.
        """
        damping = penalty * len(self.targets)
        weights = np.zeros(self.sparse.width)
        residual = self.targets
        gradient = self._combine(residual)
        direction, square = gradient, dot(gradient, gradient)
        enough = _ENOUGH**2 * square
        for _ in range(_STEPS):
            if square <= enough:
                break
            product = self._multiply(direction)
            curvature = dot(product, product) + damping * dot(direction, direction)
            if curvature == 0.0:
                break
            length = square / curvature
            weights = weights + length * direction
            residual = residual - length * product
            gradient = self._combine(residual) - damping * weights
            previous, square = square, dot(gradient, gradient)
            direction = gradient + (square / previous) * direction
        plain = weights / self.scales
        # Element by element: a library's dot product may depend on the number of threads.
        return Linear(plain, self.target_mean - float(np.sum(plain * self.means)))

    def _multiply(self, weights: Floats) -> Floats:
        """√v_i w · (x_i − c_i) / s for every row."""
        return _centred(multiply(self.sparse, weights / self.scales), self.groups, self.weights)

    def _combine(self, slopes: Floats) -> Floats:
        """Σ_i g_i √v_i (x_i − c_i) / s: to centre the slopes is the same and leaves x alone."""
        if self.weights is None:
            return combine(self.sparse, _centred(slopes, self.groups, None)) / self.scales
        rooted = np.sqrt(self.weights) * slopes
        starts, lengths = self.groups[:-1], np.diff(self.groups)
        shares = np.add.reduceat(rooted, starts) / np.add.reduceat(self.weights, starts)
        centred = rooted - self.weights * np.repeat(shares, lengths)
        return combine(self.sparse, centred) / self.scales


def _centred(values: Floats, offsets: NDArray[np.int64], weights: Floats | None) -> Floats:
    """√v times the values less the weighted mean of their group."""
    lengths, starts = np.diff(offsets), offsets[:-1]
    if weights is None:
        means = np.add.reduceat(values, starts) / lengths
        return np.asarray(values - np.repeat(means, lengths))
    means = np.add.reduceat(weights * values, starts) / np.add.reduceat(weights, starts)
    return np.asarray(np.sqrt(weights) * (values - np.repeat(means, lengths)))
