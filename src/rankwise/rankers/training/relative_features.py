"""Features as pairs of documents see them: relative to their query, large ones scaled down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.feature_forms import Features, row_blocks
from rankwise.data.file_features import FileFeatures
from rankwise.data.sparse_features import SparseFeatures
from rankwise.errors import RankwiseError
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.rankers.scorers.sparse_products import combine, multiply
from rankwise.rankers.training.sparse_deviations import sparse_deviations

Floats = NDArray[np.float64]

_MATRIX = (DOUBLES, INT64, INT64, INT64S, INT64)
_relative_scores = function(
    "rankwise_relative_scores", *_MATRIX, DOUBLES, DOUBLES_OUT, returns=INT64
)
_relative_sums = function("rankwise_relative_sums", *_MATRIX, DOUBLES, DOUBLES_OUT, returns=INT64)
_squared_deviations = function(
    "rankwise_squared_deviations", *_MATRIX, DOUBLES_OUT, DOUBLES_OUT, returns=INT64
)


@dataclass(frozen=True, eq=False)
class RelativeFeatures:
    """The linear map z_i = (x_i − x_first(i)) / scale, never written out.

    A loss of score differences within the query cannot see the query's first document x_first,
    which every row is counted from: large offsets then cost no precision. The matrix itself is
    read where it lies, so that training needs no second copy of the data. Sparse rows stay sparse:
    their scores are counted from 0, and the score of x_first is taken off afterwards. Features in a
    file are read in blocks of whole queries in every pass, which changes no bit.

    Attributes:
        features: (documents, features), in the form that the data set holds.
        query_offsets: as in the data set.
        scales: one divisor per feature.
    """

    features: Features
    query_offsets: NDArray[np.int64]
    scales: Floats

    @classmethod
    def of(cls, dataset: Dataset, scale_large: bool) -> RelativeFeatures:
        """The rows of a data set; `scale_large` divides feature j by max(1, σ_j).

        σ_j is the root mean square distance from the mean in the query, every document counting
        what it weighs, the same for all of a query. Features in [0, 1], such
        as LETOR's QueryLevelNorm, have σ_j ≤ 1/2 and are left alone; a feature of 1e9 becomes one
        of 1, without which λ would not count and no solver would get anywhere.
        """
        found = _deviations_of(dataset)
        if not np.isfinite(found).all():
            column = int(np.flatnonzero(~np.isfinite(found))[0]) + 1
            raise RankwiseError(
                "features must have squares that a number can hold (below about 1e150), "
                f"found larger ones in feature {column}; scale it down first"
            )
        scales = np.maximum(found, 1.0) if scale_large else np.ones(len(found))
        return cls(_fixed(dataset), dataset.query_offsets, scales)

    def of_part(self, part: Dataset) -> RelativeFeatures:
        """Some queries of the same data, with the same scales."""
        return RelativeFeatures(_fixed(part), part.query_offsets, self.scales)

    def take(self, columns: NDArray[np.int64]) -> RelativeFeatures:
        """Some features of the same documents, with the same scales; these are copied."""
        if isinstance(self.features, SparseFeatures):
            chosen: Features = self.features.take_columns(columns)
        elif isinstance(self.features, FileFeatures):
            chosen = self.features.take_columns(columns)
        else:
            chosen = np.ascontiguousarray(self.features[:, columns])
        return RelativeFeatures(chosen, self.query_offsets, self.scales[columns])

    def scores(self, weights: Floats) -> Floats:
        """w · z_i for every document."""
        scaled = weights / self.scales
        if isinstance(self.features, SparseFeatures):
            scores = multiply(self.features, scaled)
            firsts = scores[self.query_offsets[:-1]]
            return scores - np.repeat(firsts, np.diff(self.query_offsets))
        scores = np.zeros(len(self.features))
        for rows, values, offsets in _pieces(self.features, self.query_offsets):
            _pass_over(_relative_scores, values, offsets, scaled, scores[rows])
        return scores

    def columns(self) -> Floats:
        """z feature by feature, written out: (features, documents); of dense data only."""
        if isinstance(self.features, SparseFeatures):
            raise TypeError("sparse features are not written out")
        held = self.features
        features = held.to_array() if isinstance(held, FileFeatures) else held
        firsts = np.repeat(self.query_offsets[:-1], np.diff(self.query_offsets))
        found = np.empty(features.shape[::-1])
        for number, column in enumerate(found):
            values = features[:, number]
            column[:] = (values - values[firsts]) / self.scales[number]
        return found

    def combine(self, slopes: Floats) -> Floats:
        """Σ_i g_i z_i: what slopes in the scores are in the weights."""
        if len(slopes) != len(self.features):
            raise ValueError(f"{len(self.features)} slopes are needed, found {len(slopes)}")
        if isinstance(self.features, SparseFeatures):
            return combine(self.features, self._slopes_from_zero(slopes)) / self.scales
        sums = np.zeros(len(self.scales))
        for rows, values, offsets in _pieces(self.features, self.query_offsets):
            _pass_over(_relative_sums, values, offsets, slopes[rows], sums)
        return sums / self.scales

    def _slopes_from_zero(self, slopes: Floats) -> Floats:
        """Slopes for scores counted from 0: x_first gets those of all others, with a minus."""
        firsts = self.query_offsets[:-1]
        found = slopes.copy()
        found[firsts] = 0.0
        found[firsts] = -np.add.reduceat(found, firsts)
        return found

    def plain_weights(self, weights: Floats) -> Floats:
        """Weights for features as they stand in files: the same order of documents."""
        return weights / self.scales


def _fixed(dataset: Dataset) -> Features:
    """The features, which nobody writes to; dense ones row by row in memory, or in a file."""
    held = dataset.stored
    if not isinstance(held, np.ndarray):
        return held
    features = np.ascontiguousarray(held).view()
    features.flags.writeable = False
    return features


def _pieces(
    features: Floats | FileFeatures, query_offsets: NDArray[np.int64]
) -> Iterator[tuple[slice, Floats, NDArray[np.int64]]]:
    """The matrix where it lies, or some queries of a file at a time: rows, values, offsets."""
    if isinstance(features, np.ndarray):
        yield slice(0, len(features)), features, query_offsets
        return
    for queries, rows, values in row_blocks(features, query_offsets):
        yield rows, values, query_offsets[queries.start : queries.stop + 1] - rows.start


def _deviations_of(dataset: Dataset) -> Floats:
    """The root mean square distance of every feature from its mean in the query."""
    features = _fixed(dataset)
    if isinstance(features, SparseFeatures):
        return sparse_deviations(features, dataset.query_offsets, dataset.weights)
    width = features.shape[1]
    room, squares = np.empty(2 * width), np.zeros(width)
    with np.errstate(over="ignore", invalid="ignore"):
        for rows, values, offsets in _pieces(features, dataset.query_offsets):
            if dataset.weights is None:
                _pass_over(_squared_deviations, values, offsets, room, squares)
            else:
                _add_weighted(values, offsets, dataset.weights[rows], squares)
        total = len(features) if dataset.weights is None else dataset.weights.sum()
        return np.asarray(np.sqrt(squares / total))


def _add_weighted(
    features: Floats, query_offsets: NDArray[np.int64], weights: Floats, squares: Floats
) -> None:
    """Add Σ_i v_i (x_ij − mean)² of every feature j, query by query."""
    for first, end in pairwise(query_offsets.tolist()):
        away = features[first:end] - features[first:end].mean(axis=0)
        squares += weights[first] * np.square(away).sum(axis=0)


def _pass_over(
    run: Callable[..., int],
    features: Floats,
    query_offsets: NDArray[np.int64],
    numbers: Floats,
    found: Floats,
) -> None:
    """Run a compiled pass over the matrix, which fills `found`."""
    if run(features, *features.shape, query_offsets, len(query_offsets) - 1, numbers, found) != 0:
        raise ValueError("query offsets must rise and end within the rows of the features")
