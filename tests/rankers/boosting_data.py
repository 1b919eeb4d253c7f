"""Made-up judged documents for the tests of boosting, and the real folds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankwise import read
from rankwise.data.dataset import Dataset

HOMES = {
    "ohsumed": ("data/letor3/OHSUMED/QueryLevelNorm", "letor3"),
    "mq2008": ("data/letor4/MQ2008", "letor4"),
}


def made(
    seed: int, queries: int = 5, features: int = 4, labels: int = 3, longest: int = 9
) -> Dataset:
    """Queries of 1 to `longest` documents whose features know their labels a little."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, queries)
    lengths[0] = longest
    y = rng.integers(0, labels, lengths.sum()).astype(np.float64)
    y[:2] = 0.0, labels - 1.0
    noise = rng.normal(size=(len(y), features))
    return Dataset.from_arrays(noise + 0.5 * y[:, np.newaxis], y, group=lengths)


def pairs(dataset: Dataset) -> list[tuple[int, int, int]]:
    """(query, worse row, better row) of every pair with different labels."""
    found = []
    for query in range(dataset.n_queries):
        rows = range(int(dataset.query_offsets[query]), int(dataset.query_offsets[query + 1]))
        found += [
            (query, worse, better)
            for worse in rows
            for better in rows
            if dataset.labels[worse] < dataset.labels[better]
        ]
    return found


def fold(shared: Path, data: str, number: int) -> tuple[Dataset, Dataset, Dataset, str]:
    """Training, validation and test part of a real fold, and its tool."""
    home, tool = HOMES[data]
    parts = [
        read(shared / home / f"Fold{number}" / f"{part}.txt") for part in ("train", "vali", "test")
    ]
    return parts[0], parts[1], parts[2], tool
