"""Scales that are fitted once, on the training part, and then applied to every part.

A scale fitted on all data would tell the learner about the queries it is tested on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.normalization.arithmetic import power_of_two, standardized
from rankwise.data.normalization.blocks import Block, blocks, refuse_infinite
from rankwise.data.normalization.sparse_blocks import Filling, fill
from rankwise.data.normalization.sparse_columns import sparse_extremes, sparse_moments
from rankwise.data.normalization.transforming import transformed
from rankwise.data.sparse_features import SparseFeatures, differs_from_zero
from rankwise.errors import RankwiseError

SCALING_KINDS = ("min-max", "z-score")


@dataclass(frozen=True, eq=False)
class Scaling:
    """x ↦ (x − center) / spread for each feature, with the figures of the training part.

    Where spread is 0, the feature was constant in training and becomes 0 everywhere. NULL stays
    NULL. Values of other parts may leave the range seen in training; they are not cut off.
    """

    kind: str
    center: NDArray[np.float64]
    spread: NDArray[np.float64]

    def apply(self, dataset: Dataset) -> Dataset:
        """The same rows, scaled."""
        if dataset.n_features != len(self.center):
            raise RankwiseError(
                f"the scaling was fitted on {len(self.center)} features and cannot be applied to "
                f"data with {dataset.n_features}"
            )
        if dataset.sparse is not None:
            return dataset.with_features(self._scaled_entries(dataset.sparse))
        return transformed(dataset, self._scaled)

    def _scaled_entries(self, sparse: SparseFeatures) -> SparseFeatures | NDArray[np.float64]:
        """The entries scaled, and every 0 of the features whose 0 is moved."""
        if np.isinf(sparse.values).any():
            raise RankwiseError("features must be finite or NULL to be scaled, found infinite ones")
        center, spread = self.center[sparse.columns], self.spread[sparse.columns]
        entries = sparse.with_values(standardized(sparse.values, center, spread))
        zeros = standardized(np.zeros(sparse.width), self.center, self.spread)
        moved = np.flatnonzero(differs_from_zero(zeros))
        first = np.zeros(len(moved), np.int64)
        return fill(entries, sparse, Filling(first, first + len(sparse), moved, zeros[moved]))

    def _scaled(self, block: Block) -> NDArray[np.float64]:
        refuse_infinite(block)
        return standardized(block.values, self.center, self.spread)


def fit_scaling(train: Dataset, kind: str) -> Scaling:
    """The scaling of a training part, NULL left out of its figures.

    `min-max`: center = min, spread = max − min. `z-score`: center = mean, spread² =
    Σ (x − mean)² / n, as scikit-learn's StandardScaler. A feature without any value has center
    and spread 0.
    """
    if kind not in SCALING_KINDS:
        raise RankwiseError(f"a scaling is one of {', '.join(SCALING_KINDS)}, found {kind!r}")
    extremes = _extremes(train)
    center, spread = _min_max(extremes) if kind == "min-max" else _z_score(train, extremes)
    return Scaling(kind, _fixed(center), _fixed(spread))


class _Extremes(NamedTuple):
    least: NDArray[np.float64]
    greatest: NDArray[np.float64]


def _extremes(train: Dataset) -> _Extremes:
    if train.sparse is not None:
        return _Extremes(*sparse_extremes(train.sparse))
    least = np.full(train.n_features, np.nan)
    greatest = np.full(train.n_features, np.nan)
    for block in blocks(train):
        refuse_infinite(block)
        least = np.fmin(least, np.fmin.reduce(block.values, axis=0))
        greatest = np.fmax(greatest, np.fmax.reduce(block.values, axis=0))
    return _Extremes(_zero_for_nan(least), _zero_for_nan(greatest))


def _min_max(extremes: _Extremes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    with np.errstate(over="ignore"):
        spread = extremes.greatest - extremes.least
    if np.isinf(spread).any():
        feature = int(np.argmax(np.isinf(spread)))
        raise RankwiseError(
            f"the range of a feature must fit into a double, but feature {feature + 1} goes from "
            f"{extremes.least[feature]:g} to {extremes.greatest[feature]:g}"
        )
    return extremes.least, spread


def _z_score(
    train: Dataset, extremes: _Extremes
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    unit = power_of_two(np.maximum(np.abs(extremes.least), np.abs(extremes.greatest)))
    least = extremes.least / unit
    if train.sparse is not None:
        return sparse_moments(train.sparse, unit, least)
    n = np.zeros(train.n_features)
    total = np.zeros(train.n_features)
    for block in blocks(train):
        n += np.count_nonzero(~np.isnan(block.values), axis=0)
        # Distances from the least keep their digits where values differ by little.
        total += np.nansum(block.values / unit - least, axis=0)
    n = np.maximum(n, 1.0)
    mean = total / n
    squares = np.zeros(train.n_features)
    for block in blocks(train):
        squares += np.nansum(np.square(block.values / unit - least - mean), axis=0)
    return (least + mean) * unit, np.sqrt(squares / n) * unit


def _zero_for_nan(figures: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isnan(figures), 0.0, figures)


def _fixed(figures: NDArray[np.float64]) -> NDArray[np.float64]:
    figures.flags.writeable = False
    return figures
