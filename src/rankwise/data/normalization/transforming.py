"""The same rows with other features, computed whole queries at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.file_features import spill
from rankwise.data.normalization.blocks import Block, blocks
from rankwise.data.normalization.sparse_blocks import transform_sparse


def transformed(
    dataset: Dataset, transformation: Callable[[Block], NDArray[np.float64]]
) -> Dataset:
    """The same rows with the features that `transformation` gives for each block.

    Those of data in a file come into another one, without a name, in the temporary folder.
    """
    if dataset.sparse is not None:
        return transform_sparse(dataset, dataset.sparse, transformation)
    if dataset.in_file is not None:
        made = (transformation(block) for block in blocks(dataset))
        return dataset.with_features(spill(made, dataset.n_features))
    features = np.empty(dataset.features.shape, np.float64)
    for block in blocks(dataset):
        features[block.rows] = transformation(block)
    return dataset.with_features(features)
