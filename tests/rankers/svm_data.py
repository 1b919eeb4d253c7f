"""Small made-up data, listed pairs and the real folds, for the tests of the SVM family."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read

FOLDERS = {"OHSUMED": "letor3/OHSUMED/QueryLevelNorm", "MQ2008": "letor4/MQ2008"}


def made(
    seed: int = 0, n_queries: int = 8, length: int = 7, n_features: int = 4, n_labels: int = 3
) -> Dataset:
    """Queries whose labels follow the first two features, with noise."""
    rng = np.random.default_rng(seed)
    features = rng.random((n_queries * length, n_features))
    hidden = 0.6 * features[:, 0] + 0.4 * features[:, 1] + 0.1 * rng.normal(size=len(features))
    labels = np.clip(np.floor(hidden * n_labels), 0, n_labels - 1)
    return Dataset.from_arrays(features, labels, np.repeat(np.arange(n_queries), length))


def listed_pairs(dataset: Dataset) -> NDArray[np.int64]:
    """(pairs, 2) rows (i, j) of one query with y_i > y_j."""
    found = [
        (i, j)
        for first, last in zip(dataset.query_offsets, dataset.query_offsets[1:], strict=False)
        for i in range(first, last)
        for j in range(first, last)
        if dataset.labels[i] > dataset.labels[j]
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def margins(dataset: Dataset, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """w · (x_i − x_j) of all pairs."""
    pairs = listed_pairs(dataset)
    return (dataset.features[pairs[:, 0]] - dataset.features[pairs[:, 1]]) @ weights


@cache
def real_training(shared: Path, name: str, fold: int) -> Dataset:
    """The training part of a real fold."""
    return read(shared / "data" / FOLDERS[name] / f"Fold{fold}" / "train.txt")


def all_folds(optima: dict[str, tuple[float, ...]], fast: tuple[int, ...] = (1,)) -> list:
    """(data set, fold, optimum) for each; folds that are not `fast` are marked slow."""
    return [
        pytest.param(
            name, fold, value, id=f"{name}-{fold}", marks=[] if fold in fast else pytest.mark.slow
        )
        for name, values in optima.items()
        for fold, value in enumerate(values, 1)
    ]
