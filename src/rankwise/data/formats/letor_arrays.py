"""The arrays that the rows of a LETOR file are parsed into, before their number is known."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.compression import ByteSource
from rankwise.data.sparse_features import (
    ALWAYS_DENSE,
    SparseFeatures,
    as_sparse,
    is_sparse,
)

ROWS_MOVED = 4096
# Data that are not sparse write one cell in 8, of 8 bytes, in 4 bytes at least: their array takes
# at most 16 times what their file does.
_DENSE_EXPANSION = 16


class RowArrays(NamedTuple):
    """Features and labels of some rows, and their first row in shared arrays (-1: own arrays)."""

    features: NDArray[np.float64] | SparseFeatures
    labels: NDArray[np.float64]
    position: int = -1

    @classmethod
    def of_zeros(cls, rows: int, width: int) -> RowArrays:
        """Arrays of their own."""
        return cls(np.zeros((rows, width)), np.empty(rows))

    def first(self, rows: int) -> RowArrays:
        """The first rows of them."""
        return self._replace(features=self.features[:rows], labels=self.labels[:rows])


class LetorArrays:
    """Shared arrays of a guessed size; rows beyond it get arrays of their own.

    `sparse_in_places` is what a look at a few places of the file says of its rows.
    """

    def __init__(
        self, source: ByteSource, rows: int, width: int, sparse_in_places: bool = False
    ) -> None:
        self.width = width
        self.sparse_in_places = sparse_in_places
        allowed = max(ALWAYS_DENSE, _DENSE_EXPANSION * source.size)
        rows = min(rows, allowed // (8 * width)) if width else rows
        self._features, self._labels = np.zeros((rows, width)), np.empty(rows)
        self._turn, self._lines = 0, 0
        self._next_turn = threading.Condition()

    def take_turn(self, number: int, lines: int) -> int:
        """The lines before chunk `number`, once all chunks before it have told theirs."""
        with self._next_turn:
            self._next_turn.wait_for(lambda: self._turn == number)
            before = self._lines
            self._turn += 1
            self._lines += lines
            self._next_turn.notify_all()
        return before

    def rows(self, first: int, count: int) -> RowArrays:
        """Room for `count` rows from row `first` on."""
        if first + count <= len(self._labels):
            rows = slice(first, first + count)
            return RowArrays(self._features[rows], self._labels[rows], first)
        return RowArrays.of_zeros(count, self.width)

    def join(
        self, parts: Sequence[RowArrays], entries: int, least_width: int
    ) -> tuple[NDArray[np.float64] | SparseFeatures, NDArray[np.float64]]:
        """All parts one after the other, in the form for data of which so many cells are written.

        Dense ones are moved together in the shared arrays, or copied.
        """
        rows = sum(len(part.labels) for part in parts)
        width = max([part.features.shape[1] for part in parts] + [least_width])
        if is_sparse(rows, width, entries):
            joined = SparseFeatures.concatenate([as_sparse(part.features) for part in parts])
            return joined.widened(width), np.concatenate([part.labels for part in parts])
        shared = all(part.position >= 0 for part in parts) and width == self.width
        features = self._features if shared else np.zeros((rows, width))
        labels = self._labels if shared else np.empty(rows)
        filled = 0
        for part in parts:
            if part.position != filled or not shared:
                _copy(part, features, labels, filled)
            filled += len(part.labels)
        return features[:rows], labels[:rows]


def _copy(
    part: RowArrays, features: NDArray[np.float64], labels: NDArray[np.float64], filled: int
) -> None:
    """Copy rows to `filled`, some at a time: a part may lie just behind where it goes."""
    for row in range(0, len(part.labels), ROWS_MOVED):
        rows = slice(row, row + ROWS_MOVED)
        to = slice(filled + row, filled + row + len(part.labels[rows]))
        if isinstance(part.features, SparseFeatures):
            part.features[rows].fill(features[to])
        else:
            features[to, : part.features.shape[1]] = part.features[rows]
        labels[to] = part.labels[rows]
