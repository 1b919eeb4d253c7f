"""Data in both forms, for tests that compare them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.sparse_features import SparseFeatures

SPECIAL = (0.0, 0.0, 0.0, 0.0, -0.0, float("nan"), 1.0, -1.5, 0.1, 3e-300)


def matrices(rows: int = 7, width: int = 9) -> st.SearchStrategy[NDArray[np.float64]]:
    """Matrices of mostly zeros, with −0 and NULL among the others."""
    shapes = st.tuples(st.integers(1, rows), st.integers(1, width))
    return shapes.flatmap(
        lambda shape: arrays(np.float64, shape, elements=st.sampled_from(SPECIAL))
    )


def data_sets(rows: int = 7, width: int = 9) -> st.SearchStrategy[Dataset]:
    """Dense data sets of such features, in queries of one to three rows."""
    return matrices(rows, width).flatmap(
        lambda matrix: st.lists(st.integers(1, 3), min_size=len(matrix), max_size=len(matrix)).map(
            lambda lengths: _in_queries(matrix, lengths)
        )
    )


def held_sparse(dataset: Dataset) -> Dataset:
    """The same data in the sparse form, however dense they are."""
    return dataset.with_features(SparseFeatures.from_dense(dataset.features))


def made_sparse(queries: int, documents: int, width: int, entries: int, seed: int = 0) -> Dataset:
    """Sparse data whose labels follow a weighted sum of their features."""
    rng = np.random.default_rng(seed)
    rows = queries * documents
    features = np.zeros((rows, width))
    for row in features:
        row[rng.choice(width, entries, replace=False)] = rng.random(entries).round(3)
    hidden = features @ rng.normal(size=width)
    labels = np.digitize(hidden, np.quantile(hidden, [0.5, 0.8])).astype(np.float64)
    return held_sparse(Dataset.from_arrays(features, labels, group=[documents] * queries))


def _in_queries(matrix: NDArray[np.float64], lengths: list[int]) -> Dataset:
    group = []
    while sum(group) < len(matrix):
        group.append(min(lengths[len(group)], len(matrix) - sum(group)))
    labels = np.arange(len(matrix)) % 3
    return Dataset.from_arrays(matrix, labels, group=group)
