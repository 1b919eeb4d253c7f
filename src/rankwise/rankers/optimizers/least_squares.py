"""Least squares on labels: plain, of least norm where many fit as well, or with a penalty.

`regress` takes the way that suits the data. Dense data are read once, in blocks, and reduced to a
triangle no larger than the features squared by Householder reflections, which lose no digits as
normal equations would; their order of summation is fixed, so that no library and no thread moves a
bit. Their matrices are held column by column: `columns[j]` is column j.

Wide or sparse data are fitted by conjugate gradients: no triangle of features squared. Only
products with the rows are needed, and centring is done on them: the data stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.sparse_features import WIDE, SparseFeatures, as_sparse
from rankwise.models.scorers.linear import Linear, combine, multiply
from rankwise.native import DOUBLE, DOUBLES_OUT, INT64, INT64S_OUT, function
from rankwise.native.arrays import Floats, Integers
from rankwise.native.sums import dot
from rankwise.rankers.ranker import Learned
from rankwise.rankers.training.relative_features import refuse_huge, sparse_deviations


def regress(
    dataset: Dataset,
    targets: Floats,
    penalty: float = 0.0,
    *,
    centre_in_query: bool,
    scale_large: bool,
    weights: Floats | None = None,
) -> Learned[Linear]:
    """The weights of `LeastSquares.solution`, and facts: the rank, where it is known.

    Sparse data, and dense ones whose triangle would be larger than most memories, are solved by
    conjugate gradients, which find no rank.
    """
    if weights is not None and not weights.all():
        dataset, targets, weights = _without_idle_queries(dataset, targets, weights)
    wide = dataset.sparse is not None or dataset.n_features > WIDE
    if wide:
        problem = SparseLeastSquares.of(
            dataset,
            targets,
            centre_in_query=centre_in_query,
            scale_large=scale_large,
            weights=weights,
        )
        return Learned(problem.solution(penalty), {"rank": None})
    scorer, rank = LeastSquares.of(
        dataset,
        targets,
        centre_in_query=centre_in_query,
        scale_large=scale_large,
        weights=weights,
    ).solution(penalty)
    return Learned(scorer, {"rank": rank})


def _without_idle_queries(
    dataset: Dataset, targets: Floats, weights: Floats
) -> tuple[Dataset, Floats, Floats]:
    """Without the queries that weigh nothing, which have no weighted mean; weights of mean 1."""
    totals = np.add.reduceat(weights, dataset.query_offsets[:-1])
    rows = np.repeat(totals > 0.0, dataset.query_lengths)
    kept = weights[rows]
    shares = kept * (len(kept) / kept.sum())
    return dataset.select_queries(np.flatnonzero(totals)), targets[rows], shares


# The block of 136 features and its label takes half a megabyte, which stays in the cache.
_ROWS_IN_A_BLOCK = 512


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """Σ_i v_i (w · (x_i − c_i) / s − (t_i − d_i))², reduced to a triangle.

    c_i and d_i are means, of all documents or of those of the query of i, weighted by v.

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
        cls,
        dataset: Dataset,
        targets: Floats,
        *,
        centre_in_query: bool,
        scale_large: bool,
        weights: Floats | None = None,
    ) -> LeastSquares:
        """The sum over all documents; `scale_large` divides feature j by max(1, σ_j).

        σ_j is the standard deviation after centring, over documents as the data weigh them.
        Features in [0, 1] are left alone. `weights` are v, one per document, not all 0 in any
        group that has a mean; 1 where none are given.
        """
        centring = _Centring.of(dataset, targets, centre_in_query, weights)
        deviations = centring.deviations()
        refuse_huge(deviations)
        scales = np.maximum(deviations, 1.0) if scale_large else np.ones(len(deviations))
        return cls(
            columns=_triangle(centring, scales),
            scales=scales,
            means=centring.overall_means(),
            target_mean=float(mean_of(targets, weights)),
            documents=dataset.n_documents,
        )

    def solution(
        self, penalty: float = 0.0, chosen: Sequence[int] | None = None
    ) -> tuple[Linear, int]:
        """The minimiser of the sum / documents + `penalty` ‖w‖², and the rank.

        Where there are many, w is the one of least norm. Only the `chosen` features have weights,
        where they are given. The intercept makes the mean score the mean target.
        """

        width = len(self.scales)
        kept = np.arange(width) if chosen is None else np.array(chosen, dtype=np.int64)
        columns = self.columns if penalty == 0.0 else self.penalised(penalty).columns
        # As numpy's lstsq: what rounding leaves of columns that depend on others.
        tolerance = float(np.finfo(np.float64).eps) * max(self.documents, width)
        matrix, target = columns[kept, :width].copy(), columns[width, :width].copy()
        scaled, rank = minimal_norm(matrix, target, tolerance)
        weights = np.zeros(width)
        weights[kept] = scaled / self.scales[kept]
        # Element by element: a library's dot product may depend on the number of threads.
        intercept = self.target_mean - float(np.sum(weights * self.means))
        return Linear(weights, intercept), rank

    def penalised(self, penalty: float) -> LeastSquares:
        """The triangle with one more row √(penalty · documents) e_j for every feature j."""

        size = len(self.columns)
        columns = np.zeros((size, 2 * size - 1))
        columns[:, :size] = self.columns
        places = np.arange(size - 1)
        columns[places, size + places] = np.sqrt(penalty * self.documents)
        absorb_diagonal(columns)
        return replace(self, columns=np.tril(columns[:, :size]))


@dataclass(frozen=True, eq=False)
class _Centring:
    """Features and targets less the mean of their group: all documents, or the query.

    `roots` are the square roots of what rows weigh in the sum, where they weigh different;
    `counts` is what they weigh in the data.
    """

    features: Floats
    targets: Floats
    groups: Integers
    feature_means: Floats
    target_means: Floats
    roots: Floats | None
    counts: Floats | None

    @classmethod
    def of(
        cls, dataset: Dataset, targets: Floats, in_query: bool, weights: Floats | None
    ) -> _Centring:
        groups = dataset.query_of_rows
        starts = dataset.query_offsets[:-1]
        if not in_query:
            groups, starts = np.zeros_like(groups), np.zeros(1, dtype=np.int64)
        # Where all rows of a query weigh the same the plain mean is the weighted one.
        shares = None if in_query and _same_in_queries(dataset, weights) else weights
        totals = np.bincount(groups, shares).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            sums = np.add.reduceat(_weighted(dataset.features, shares), starts, axis=0)
        target_means = np.add.reduceat(_weighted(targets, shares), starts) / totals
        feature_means = sums / totals[:, np.newaxis]
        roots = None if weights is None else np.sqrt(weights)
        counts = dataset.weights
        return cls(dataset.features, targets, groups, feature_means, target_means, roots, counts)

    def overall_means(self) -> Floats:
        """The mean of every feature over all rows."""
        if self.roots is None:
            return np.asarray(self.features.mean(axis=0))
        totals = np.bincount(self.groups, np.square(self.roots)).astype(np.float64)
        return mean_of(self.feature_means, totals)

    def blocks(self) -> Iterator[tuple[Floats, Floats, Floats | None]]:
        """Some rows at a time: features, targets, roots of weights."""
        for first in range(0, len(self.features), _ROWS_IN_A_BLOCK):
            rows = slice(first, first + _ROWS_IN_A_BLOCK)
            groups = self.groups[rows]
            features = self.features[rows] - self.feature_means[groups]
            roots = None if self.roots is None else self.roots[rows]
            yield features, self.targets[rows] - self.target_means[groups], roots

    def deviations(self) -> Floats:
        squares = np.zeros(self.features.shape[1])
        first = 0
        with np.errstate(over="ignore", invalid="ignore"):
            for features, _, _ in self.blocks():
                counts = None if self.counts is None else self.counts[first:][: len(features)]
                squares += _weighted(np.square(features), counts).sum(axis=0)
                first += len(features)
        total = len(self.features) if self.counts is None else self.counts.sum()
        return np.asarray(np.sqrt(squares / total))


def _same_in_queries(dataset: Dataset, weights: Floats | None) -> bool:
    if weights is None:
        return True
    firsts = weights[dataset.query_offsets[:-1]]
    return bool((weights == np.repeat(firsts, dataset.query_lengths)).all())


def _triangle(centring: _Centring, scales: Floats) -> Floats:

    size = len(scales) + 1
    # Rows of 0 cost time; sums go four rows at a time, so that without whole fours none changes.
    held = min(_ROWS_IN_A_BLOCK, -(-len(centring.features) // 4) * 4)
    columns = np.zeros((size, size + held))
    below = columns[:, size:]
    for features, targets, roots in centring.blocks():
        count = len(features)
        below[:, count:] = 0.0
        if np.any(scales != 1.0):
            features /= scales
        if roots is not None:
            features *= roots[:, np.newaxis]
        below[:-1, :count] = features.T
        below[-1, :count] = _weighted(targets, roots)
        absorb(columns)
    return np.tril(columns[:, :size])


def mean_of(values: Floats, weights: Floats | None) -> Floats:
    """The mean over rows, of which each counts what it weighs."""
    if weights is None:
        return np.asarray(values.mean(axis=0))
    return np.asarray(_weighted(values, weights).sum(axis=0) / weights.sum())


def _weighted(values: Floats, weights: Floats | None) -> Floats:
    """Every row times its weight."""
    if weights is None:
        return values
    return values * (weights if values.ndim == 1 else weights[:, np.newaxis])


# Steps end where the gradient has shrunk to this part of what it was at 0.
_CONJUGATE_ENOUGH = 1e-12
_CONJUGATE_STEPS = 1000


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
    groups: Integers
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
        enough = _CONJUGATE_ENOUGH**2 * square
        for _ in range(_CONJUGATE_STEPS):
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


def _centred(values: Floats, offsets: Integers, weights: Floats | None) -> Floats:
    """√v times the values less the weighted mean of their group."""
    lengths, starts = np.diff(offsets), offsets[:-1]
    if weights is None:
        means = np.add.reduceat(values, starts) / lengths
        return np.asarray(values - np.repeat(means, lengths))
    means = np.add.reduceat(weights * values, starts) / np.add.reduceat(weights, starts)
    return np.asarray(np.sqrt(weights) * (values - np.repeat(means, lengths)))


_absorb_rows = function("rankwise_absorb_rows", DOUBLES_OUT, INT64, INT64)
_absorb_diagonal = function("rankwise_absorb_diagonal", DOUBLES_OUT, INT64, INT64)
_minimal_norm = function(
    "rankwise_minimal_norm", DOUBLES_OUT, DOUBLES_OUT, INT64, INT64, DOUBLE, INT64S_OUT,
    DOUBLES_OUT, DOUBLES_OUT, returns=INT64,
)  # fmt: skip


def absorb(columns: Floats) -> None:
    """Reduce a triangle with more rows below it to a triangle; what lies below it is spent.

    Of n columns, the first n rows are the triangle, of which only what is on and above the
    diagonal is read. The triangle T of the result has T'T = A'A, A being what came in.
    """
    _absorb_rows(columns, *columns.shape)


def absorb_diagonal(columns: Floats) -> None:
    """As `absorb`, in half the time, where column j has nothing below the first j + 1 rows more."""
    _absorb_diagonal(columns, *columns.shape)


def minimal_norm(columns: Floats, target: Floats, tolerance: float) -> tuple[Floats, int]:
    """The x of least norm among those that minimise ‖A x − target‖, and the rank of A.

    A complete orthogonal decomposition: QR with the largest remaining column first, until what
    remains is below `tolerance` times the first, then QR of the transpose of what was found. Both
    arguments are spent.
    """
    width, length = columns.shape
    order, solution = np.empty(width, dtype=np.int64), np.empty(width)
    room = np.empty(width * (width + 2))
    rank = _minimal_norm(columns, target, width, length, tolerance, order, room, solution)
    return solution, int(rank)
