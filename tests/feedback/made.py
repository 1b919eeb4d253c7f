"""Small data for tests of feedback: one list of known grades, and queries that features explain."""

from __future__ import annotations

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold
from rankwise.data.normalization.normalizing import normalize
from rankwise.data.synthetic import make_dataset

GRADES = np.array([0, 2, 1, 0, 2, 1, 1, 0])


def one_list() -> Dataset:
    """One query whose documents have the grades above, in order of falling score."""
    features = np.arange(len(GRADES), 0.0, -1.0)[:, np.newaxis]
    return Dataset.from_arrays(features, GRADES, group=[len(GRADES)])


def few_queries(count: int = 20, seed: int = 3) -> Dataset:
    """Queries of 5 to 60 documents, features from 0 to 1."""
    return normalize(make_dataset(count, seed=seed), "query-level")


def two_folds(count: int = 24) -> list[Fold]:
    """Queries that give feedback, and others that are held out, twice."""
    data = few_queries(count)
    half = count // 2
    first, second = data.select_queries(slice(0, half)), data.select_queries(slice(half, count))
    return [Fold(1, first, None, second), Fold(2, second, None, first)]
