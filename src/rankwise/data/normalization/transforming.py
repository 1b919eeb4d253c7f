"""The same rows with other features, computed whole queries at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.normalization.blocks import Block, blocks
from rankwise.data.normalization.sparse_blocks import transform_sparse


def transformed(
    dataset: Dataset, transformation: Callable[[Block], NDArray[np.float64]]
) -> Dataset:
    """The same rows with the features that `transformation` gives for each block."""
    if dataset.sparse is not None:
        return transform_sparse(dataset, dataset.sparse, transformation)
    features = np.empty(dataset.features.shape, np.float64)
    for block in blocks(dataset):
        features[block.rows] = transformation(block)
    return dataset.with_features(features)
