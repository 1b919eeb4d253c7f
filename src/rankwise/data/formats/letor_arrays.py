"""The arrays that the rows of a LETOR file are parsed into, before their number is known."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.compression import ByteSource
from rankwise.errors import RankwiseError

ROWS_MOVED = 4096
# A tiny hostile file must not ask for all the memory of the machine: arrays up to the first size
# are always made, up to the second if the file is a thousandth of them, beyond it a hundredth.
ALWAYS_MADE, OFTEN_MADE = 1 << 28, 1 << 32


class RowArrays(NamedTuple):
    """Features and labels of some rows, and their first row in shared arrays (-1: own arrays)."""

    features: NDArray[np.float64]
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
    """Shared arrays of a guessed size; rows beyond it get arrays of their own."""

    def __init__(self, source: ByteSource, rows: int, width: int) -> None:
        self._source = source
        # What the guess promises too much of is refused only where rows really are that many.
        rows = min(rows, _bytes_allowed(source) // (8 * width)) if width else rows
        self._shared = RowArrays.of_zeros(rows, width)
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
        features, labels, _ = self._shared
        if first + count <= len(labels):
            rows = slice(first, first + count)
            return RowArrays(features[rows], labels[rows], first)
        width = features.shape[1]
        refuse_excess(self._source, first + count, width)
        return RowArrays.of_zeros(count, width)

    def join(self, parts: Sequence[RowArrays]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All parts one after the other: moved together in the shared arrays, or copied."""
        rows = sum(len(part.labels) for part in parts)
        if all(part.position >= 0 for part in parts):
            target = self._shared
        else:
            width = max(part.features.shape[1] for part in parts)
            refuse_excess(self._source, rows, width)
            target = RowArrays.of_zeros(rows, width)
        filled = 0
        for part in parts:
            if part.position != filled or target is not self._shared:
                _copy(part, target, filled)
            filled += len(part.labels)
        return target.features[:rows], target.labels[:rows]


def refuse_excess(source: ByteSource, rows: int, width: int) -> None:
    """Refuse arrays that are out of all proportion to their file."""
    needed = rows * width * 8
    if needed > _bytes_allowed(source):
        raise RankwiseError(
            f"{source.path}: {rows} lines with feature indices up to {width} would need "
            f"{needed / 2**30:.1f} GiB as an array; renumber the features without gaps"
        )


def _bytes_allowed(source: ByteSource) -> int:
    usual = min(1000 * source.size, max(100 * source.size, OFTEN_MADE))
    return max(usual, ALWAYS_MADE)


def _copy(part: RowArrays, target: RowArrays, filled: int) -> None:
    """Copy rows to `filled`, some at a time: a part may lie just behind where it goes."""
    width = part.features.shape[1]
    for row in range(0, len(part.labels), ROWS_MOVED):
        rows = slice(row, row + ROWS_MOVED)
        to = slice(filled + row, filled + row + len(part.labels[rows]))
        target.features[to, :width] = part.features[rows]
        target.labels[to] = part.labels[rows]
