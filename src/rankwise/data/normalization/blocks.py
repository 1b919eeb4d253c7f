"""Whole queries at a time, so that a transformation needs little memory beside its result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError


@dataclass(frozen=True, eq=False)
class Block:
    """The rows of some neighbouring queries.

    Attributes:
        values: (rows, features), a view into the data set, or read from its file.
        starts: the first row of each query, counted within the block.
        lengths: the number of rows of each query.
        query_ids: one text per query.
        rows: where the block stands in the data set.
        weights: for how many rows each row stands; None: for itself.
        columns: of a block of entries (`sparse_blocks`), whose values are a single column and
            whose queries are those of one feature, the feature of every row.
        row_numbers: of such a block, the row of every entry in the data set.
    """

    values: NDArray[np.float64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    query_ids: TextColumn
    rows: slice
    weights: NDArray[np.float64] | None = None
    columns: NDArray[np.int64] | None = None
    row_numbers: NDArray[np.int64] | None = None

    def least(self) -> NDArray[np.float64]:
        """Per query and feature the smallest value that is not NULL; NaN where all are."""
        return np.asarray(np.fmin.reduceat(self.values, self.starts, axis=0))

    def greatest(self) -> NDArray[np.float64]:
        """Per query and feature the largest value that is not NULL; NaN where all are."""
        return np.asarray(np.fmax.reduceat(self.values, self.starts, axis=0))

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Per query and feature the sum of `values`, which have the shape of the block."""
        if self.weights is not None:
            values = values * self.weights
        return np.asarray(np.add.reduceat(values, self.starts, axis=0))

    def per_query(self, figures: NDArray[np.float64]) -> NDArray[np.float64]:
        """Figures of features as they go with figures of queries and features."""
        return figures if self.columns is None else figures[self.columns[self.starts], np.newaxis]

    def on_rows(self, figures: NDArray[np.float64]) -> NDArray[np.float64]:
        """Figures of queries, repeated for each of their rows."""
        return np.repeat(figures, self.lengths, axis=0)


def blocks(dataset: Dataset) -> Iterator[Block]:
    """The data set in blocks of a bounded number of values; a query is never divided."""
    offsets = dataset.query_offsets
    for queries, rows, values in dataset.row_blocks():
        yield Block(
            values=values,
            starts=offsets[queries] - offsets[queries.start],
            lengths=np.diff(offsets[queries.start : queries.stop + 1]),
            query_ids=dataset.query_ids[queries],
            rows=rows,
        )


def refuse_infinite(block: Block) -> None:
    """Refuse an infinite value, for which no scale exists; the message says where it stands."""
    infinite = np.argwhere(np.isinf(block.values))
    if len(infinite):
        row, feature = (int(index) for index in infinite[0])
        query = int(np.searchsorted(block.starts, row, side="right")) - 1
        value, number = block.values[row, feature], block.rows.start + row
        if block.columns is not None and block.row_numbers is not None:
            feature, number = int(block.columns[row]), int(block.row_numbers[row])
        raise RankwiseError(
            f"features must be finite or NULL to be scaled, found {value} as feature "
            f"{feature + 1} of row {number + 1}, query {block.query_ids[query]!r}"
        )
