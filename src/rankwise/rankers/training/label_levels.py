"""Labels as levels within their query: 0 for its lowest label, 1 for the next, and so on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LabelLevels:
    """The preferences of a data set, in as many numbers as it has documents.

    Attributes:
        levels: for every document how many different labels of its query are lower.
        order: rows by query, then by rising label; equal labels as in the file.
        worse: for every place of `order` how many documents of the query have a lower label;
            they fill the first places of the query.
        query_offsets: where queries begin and end, in rows and in `order` alike.
    """

    levels: Integers
    order: Integers
    worse: Integers
    query_offsets: Integers

    @classmethod
    def of(cls, dataset: Dataset) -> LabelLevels:
        """Rank the labels of every query."""
        queries = dataset.query_of_rows
        order = np.lexsort((dataset.labels, queries)).astype(np.int64)
        rising = np.diff(dataset.labels[order], prepend=np.nan) > 0
        rising[dataset.query_offsets[:-1]] = False
        climbed = np.cumsum(rising)
        starts = dataset.query_offsets[:-1][queries]
        levels = np.empty(dataset.n_documents, dtype=np.int64)
        levels[order] = climbed - climbed[starts]
        # The last place at or before each one where a level begins.
        begins = rising.copy()
        begins[dataset.query_offsets[:-1]] = True
        places = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
        return cls(levels, order, (places - starts).astype(np.int64), dataset.query_offsets)

    @property
    def pairs(self) -> Integers:
        """The number of pairs with different labels of every query."""
        return np.add.reduceat(self.worse, self.query_offsets[:-1])


def refuse_equal_labels(train: Dataset, name: str) -> None:
    """Refuse data in which no query prefers one of its documents to another."""
    if not has_preference(train):
        raise no_order(name, train.n_queries)


def has_preference(dataset: Dataset) -> bool:
    """Whether some query has documents of different labels."""
    highest = np.maximum.reduceat(dataset.labels, dataset.query_offsets[:-1])
    lowest = np.minimum.reduceat(dataset.labels, dataset.query_offsets[:-1])
    return bool(np.any(highest > lowest))


def no_order(name: str, n_queries: int) -> RankwiseError:
    """What to raise where no training query has a preference."""
    return RankwiseError(
        f"{name}: some training query must have documents of different labels, found none "
        f"in {n_queries}: there is no order to learn"
    )
