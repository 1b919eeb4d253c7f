"""A column of texts on flat arrays: ids and comments of millions of rows without objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class TextColumn(Sequence[str]):
    """Texts as slices of one UTF-8 buffer: text i is `data[starts[i]:ends[i]]`.

    Slicing shares the buffer. Bytes that are not UTF-8 survive a round trip: they come out as
    lone surrogates, as Python's file names do.
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> TextColumn:
        """Pack `texts` into one buffer."""
        encoded = [text.encode("utf-8", "surrogateescape") for text in texts]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), ends])[:-1]
        return cls(np.frombuffer(b"".join(encoded), np.uint8), starts, ends)

    @classmethod
    def blank(cls, count: int) -> TextColumn:
        """`count` empty texts."""
        return cls(np.empty(0, np.uint8), np.zeros(count, np.int64), np.zeros(count, np.int64))

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> TextColumn: ...
    def __getitem__(self, index: int | slice) -> str | TextColumn:
        if isinstance(index, slice):
            return TextColumn(self.data, self.starts[index], self.ends[index])
        return self.encoded(index).decode("utf-8", "surrogateescape")

    def __iter__(self) -> Iterator[str]:
        whole = self.data.tobytes()
        for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True):
            yield whole[start:end].decode("utf-8", "surrogateescape")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextColumn):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(repr(self[i]) for i in range(min(3, len(self))))
        return f"TextColumn([{shown}{', …' if len(self) > 3 else ''}], {len(self)} texts)"

    def encoded(self, index: int) -> bytes:
        """Text `index` as the bytes that stand in the file."""
        return self.data[self.starts[index] : self.ends[index]].tobytes()

    def changes(self) -> NDArray[np.bool_]:
        """For every text but the first, whether it differs from the one before."""
        lengths = self.ends - self.starts
        different: NDArray[np.bool_] = lengths[1:] != lengths[:-1]
        candidates = np.flatnonzero(~different)
        longest = int(lengths.max(initial=0))
        for offset in range(longest):
            candidates = candidates[lengths[candidates] > offset]
            unequal = (
                self.data[self.starts[candidates] + offset]
                != self.data[self.starts[candidates + 1] + offset]
            )
            different[candidates[unequal]] = True
            candidates = candidates[~unequal]
        return different

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> TextColumn:
        """The texts of `rows`, sharing the buffer."""
        return TextColumn(self.data, self.starts[rows], self.ends[rows])

    def packed(self) -> TextColumn:
        """The same texts in a buffer of their own that holds nothing else."""
        lengths = self.ends - self.starts
        ends = np.cumsum(lengths, dtype=np.int64)
        starts = ends - lengths
        within = np.arange(lengths.sum(), dtype=np.int64) - np.repeat(starts, lengths)
        return TextColumn(self.data[np.repeat(self.starts, lengths) + within], starts, ends)

    def to_numpy(self) -> NDArray[np.object_]:
        """An array of Python strings."""
        return np.array(list(self), dtype=object)


def join(columns: Sequence[TextColumn]) -> TextColumn:
    """The texts of all columns one after the other, in one buffer."""
    if len(columns) == 1:
        return columns[0]
    shifts = np.cumsum([0, *(len(column.data) for column in columns)])[:-1]
    return TextColumn(
        np.concatenate([column.data for column in columns]),
        np.concatenate([c.starts + s for c, s in zip(columns, shifts, strict=True)]),
        np.concatenate([c.ends + s for c, s in zip(columns, shifts, strict=True)]),
    )
