"""Bagging over queries: trees grown on samples of whole queries, their scores averaged.

Breiman (1996). Bagging predictors. Machine Learning 24.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.ranker import Round, Watch
from rankwise.rankers.scorers.trees import Trees
from rankwise.rankers.trees.joined_trees import average_trees

GrowBag = Callable[[Dataset, Dataset | None, int], Trees]
"""Grows the trees of one bag: its sample, the queries left out of it if any, a seed of its own."""


def grow_bags(
    train: Dataset, bags: int, grow: GrowBag, rng: np.random.Generator, watch: Watch
) -> tuple[Trees, dict[str, Any]]:
    """f(x) = 1/B Σ_b f_b(x), f_b grown on as many queries as there are, drawn with replacement."""
    grown: list[Trees] = []
    for number in range(1, bags + 1):
        drawn = np.sort(rng.integers(train.n_queries, size=train.n_queries))
        left = np.setdiff1d(np.arange(train.n_queries), drawn)
        out = train.select_queries(left) if len(left) else None
        grown.append(grow(train.select_queries(drawn), out, int(rng.integers(2**31))))
        if watch(Round(number, bags)):
            break
    joined = average_trees(grown)
    return joined, {"bags": len(grown), "trees": joined.n_trees}
