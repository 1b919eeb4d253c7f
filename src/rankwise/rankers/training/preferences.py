"""Preferences between the documents of a query, and what rows and queries count.

Labels are levels within their query: 0 for its lowest label, 1 for the next, and so on. Rows and
queries count by weights of the data, by pairs, or every query the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.native.arrays import Floats, Integers


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


def weigh_by_pairs(dataset: Dataset) -> Floats:
    """v_i = n n_q / |P|, with which least squares in queries are least squares of pairs.

    For errors e, Σ_{i<j} (e_i − e_j)² = n_q Σ_i (e_i − ē)² in a query of n_q documents, so that
    1/n Σ_i v_i (e_i − ē)² is the mean over all |P| = Σ_q n_q (n_q − 1) / 2 pairs of one query.
    """
    lengths = dataset.query_lengths.astype(np.float64)
    pairs = float((lengths * (lengths - 1.0) / 2.0).sum())
    return np.repeat(lengths * (dataset.n_documents / pairs), dataset.query_lengths)


def weigh_queries_equally(dataset: Dataset) -> Floats:
    """v_i = n / (|Q| n_q), with which 1/n Σ_i v_i e_i² is the mean over queries of their means."""
    lengths = dataset.query_lengths.astype(np.float64)
    shares = dataset.n_documents / (dataset.n_queries * lengths)
    return np.repeat(shares, dataset.query_lengths)


def weights_of_queries(dataset: Dataset, ranker: str) -> Floats | None:
    """One weight a query, for rankers that weigh no single documents; None where all weigh 1."""
    weights = dataset.weights
    if weights is None:
        return None
    firsts = dataset.query_offsets[:-1]
    found = weights[firsts]
    wrong = np.flatnonzero(weights != np.repeat(found, dataset.query_lengths))
    if len(wrong):
        query = dataset.query_ids[int(dataset.query_of_rows[wrong[0]])]
        raise RankwiseError(
            f"{ranker} weighs whole queries: all documents of a query must have one weight, found "
            f"several in query {query!r}"
        )
    return np.asarray(found)
