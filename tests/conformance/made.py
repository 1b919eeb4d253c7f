"""Made-up data with a planted order, and rankers set to train quickly: what all laws use."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.text import TextColumn
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Model, Ranker
from rankwise.rankers.registry import find_ranker

# Parameters that say how long to train; the laws do not need long training.
LENGTHS = {"rounds": 60, "trees": 20, "epochs": 20, "restarts": 1, "starts": 1, "steps": 5}


def quick(name: str, **changes: Any) -> Ranker:
    """The ranker with its defaults, but short training."""
    ranker = find_ranker(name)
    short = {
        one.name: min(one.default, LENGTHS[one.name])
        for one in parameters_of(ranker)
        if one.name in LENGTHS
    }
    return ranker(**short | changes)


def planted(
    queries: int = 24,
    documents: int = 14,
    features: int = 5,
    levels: int = 3,
    seed: int = 0,
) -> Dataset:
    """Labels follow x_1 + x_2 / 2 with a little noise; the other features know nothing.

    Features lie in [0, 1], as query-level normalised ones do; rows stand in random order.
    """
    rng = np.random.default_rng(seed)
    rows = rng.random((queries * documents, features))
    hidden = rows[:, 0] + 0.5 * rows[:, min(1, features - 1)]
    noisy = hidden + 0.05 * rng.normal(size=len(rows))
    cuts = np.quantile(noisy, np.linspace(0.5, 0.95, levels - 1)) if levels > 1 else []
    labels = np.digitize(noisy, cuts).astype(np.float64)
    return Dataset.from_arrays(rows, labels, group=[documents] * queries)


def with_labels(data: Dataset, labels: np.ndarray) -> Dataset:
    return replace(data, labels=labels)


def reordered(data: Dataset, rows: np.ndarray) -> Dataset:
    """Other rows in the places of the same queries."""
    return replace(data, features=data.features[rows], labels=data.labels[rows])


def joined(*parts: Dataset) -> Dataset:
    """Data sets one after the other, queries numbered anew."""
    lengths = np.concatenate([part.query_lengths for part in parts])
    return Dataset(
        features=np.vstack([part.features for part in parts]),
        labels=np.concatenate([part.labels for part in parts]),
        query_offsets=np.append(0, np.cumsum(lengths)),
        query_ids=TextColumn.from_texts(map(str, range(1, len(lengths) + 1))),
    )


@cache
def trained(name: str) -> Model:
    """One model of each ranker for the laws that only look at models."""
    return quick(name).fit(planted(), planted(12, seed=1), seed=3)
