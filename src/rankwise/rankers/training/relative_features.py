"""Features as pairs of documents see them: relative to their query, large ones scaled down.

Networks start from standard features, counted from their mean in their deviation. How far the
features of sparse data are spread around their means is found from the entries alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.feature_matrix import Features, FileFeatures, row_blocks
from rankwise.data.sparse_features import EntryGroups, SparseFeatures
from rankwise.errors import RankwiseError
from rankwise.models.scorers.linear import combine, multiply
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, INT64S, function
from rankwise.native.arrays import Floats, Integers

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
    query_offsets: Integers
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
        refuse_huge(found)
        scales = np.maximum(found, 1.0) if scale_large else np.ones(len(found))
        return cls(_fixed(dataset), dataset.query_offsets, scales)

    def of_part(self, part: Dataset) -> RelativeFeatures:
        """Some queries of the same data, with the same scales."""
        return RelativeFeatures(_fixed(part), part.query_offsets, self.scales)

    def take(self, columns: Integers) -> RelativeFeatures:
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
    features: Floats | FileFeatures, query_offsets: Integers
) -> Iterator[tuple[slice, Floats, Integers]]:
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
    features: Floats, query_offsets: Integers, weights: Floats, squares: Floats
) -> None:
    """Add Σ_i v_i (x_ij − mean)² of every feature j, query by query."""
    for first, end in pairwise(query_offsets.tolist()):
        away = features[first:end] - features[first:end].mean(axis=0)
        squares += weights[first] * np.square(away).sum(axis=0)


def _pass_over(
    run: Callable[..., int],
    features: Floats,
    query_offsets: Integers,
    numbers: Floats,
    found: Floats,
) -> None:
    """Run a compiled pass over the matrix, which fills `found`."""
    if run(features, *features.shape, query_offsets, len(query_offsets) - 1, numbers, found) != 0:
        raise ValueError("query offsets must rise and end within the rows of the features")


def find_standard(train: Dataset) -> tuple[Floats, Floats]:
    """The mean of every feature, and its deviation from it; 1 for a constant feature."""
    with np.errstate(over="ignore", invalid="ignore"):
        means = train.features.mean(axis=0)
        scales = np.sqrt(((train.features - means) ** 2).mean(axis=0))
    refuse_huge(scales)
    # The mean of equal numbers may differ from them in the last bits.
    constant = scales <= 1e-12 * np.abs(means)
    return means, np.where(constant, 1.0, scales)


def refuse_huge(deviations: Floats) -> None:
    """Refuse features whose squares no number can hold."""
    if not np.isfinite(deviations).all():
        column = int(np.flatnonzero(~np.isfinite(deviations))[0]) + 1
        raise RankwiseError(
            "features must have squares that a number can hold (below about 1e150), "
            f"found larger ones in feature {column}; scale it down first"
        )


def draw_weights(inputs: int, outputs: int, rng: np.random.Generator) -> Floats:
    """(outputs, inputs), uniform within √(6 / (inputs + outputs)): Glorot and Bengio (2010)."""
    bound = np.sqrt(6.0 / (inputs + outputs))
    return rng.uniform(-bound, bound, (outputs, inputs))


def sparse_deviations(
    sparse: SparseFeatures, offsets: Integers, weights: Floats | None = None
) -> Floats:
    """√(1/n Σ_i (x_ij − mean)²) of every feature j, each mean that of its query.

    With `weights` v it is √(Σ_i v_i (x_ij − mean)² / Σ_i v_i), the means weighted too.

    `offsets` are those of the queries, or 0 and n where the mean is that of all n rows. In a query
    of m rows, Σ (x − mean)² = Σ (x − s)² − (Σ (x − s))² / m for any s: for 0 where rows are without
    an entry, else for the first of the values, so that a large offset costs no digits.
    """
    if len(sparse.values) == 0:
        return np.zeros(sparse.width)
    groups = EntryGroups.of(sparse, offsets)
    values = sparse.values[groups.order]
    with np.errstate(over="ignore", invalid="ignore"):
        shifts = np.where(groups.with_zeros, 0.0, values[groups.starts])
        away = values - np.repeat(shifts, groups.counts)
        counted = _count_entries(sparse, offsets, groups, weights)
        plain = np.add.reduceat(counted.of_entries * away, groups.starts)
        spreads = np.add.reduceat(counted.of_entries * np.square(away), groups.starts)
        spreads = spreads - np.square(plain) / counted.of_groups
        # Not `spreads > 0`: what is no number stays none, and is refused later.
        spreads = np.where(spreads < 0.0, 0.0, spreads)
        total = np.bincount(groups.columns, spreads, sparse.width)
        return np.asarray(np.sqrt(total / counted.total))


class _EntryCounts(NamedTuple):
    """What entries, the rows of their groups, and all rows weigh; 1 a row without weights."""

    of_entries: Floats | float
    of_groups: Floats | Integers
    total: float


def _count_entries(
    sparse: SparseFeatures,
    offsets: Integers,
    groups: EntryGroups,
    weights: Floats | None,
) -> _EntryCounts:
    if weights is None:
        return _EntryCounts(1.0, groups.lengths, float(len(sparse)))
    of_groups = np.add.reduceat(weights, offsets[:-1])[groups.queries]
    # A group that weighs nothing adds nothing, whatever it is divided by.
    shares = np.where(of_groups > 0.0, of_groups, 1.0)
    rows = sparse.row_of_entries[groups.order]
    return _EntryCounts(weights[rows], shares, float(weights.sum()))
