"""Lists of texts as two arrays, in segments and on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankwise.data.text import TextColumn


@dataclass(frozen=True, eq=False)
class TextArrays:
    """Text i is `data[ends[i - 1] : ends[i]]`, in UTF-8."""

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]

    def encoded(self) -> Iterator[bytes]:
        """The texts one after the other, as bytes."""
        whole = self.data.tobytes()
        begin = 0
        for end in self.ends.tolist():
            yield whole[begin:end]
            begin = end

    def column(self) -> TextColumn:
        """The same texts, sharing the arrays."""
        starts = np.concatenate([np.zeros(1, np.int64), np.asarray(self.ends)])[:-1]
        return TextColumn(np.asarray(self.data), starts, np.asarray(self.ends))


def text_arrays(texts: Iterable[str]) -> TextArrays:
    """Pack texts; what is not Unicode text (lone surrogates) survives."""
    return byte_arrays([text.encode("utf-8", "surrogatepass") for text in texts])


def byte_arrays(encoded: Sequence[bytes]) -> TextArrays:
    """Pack texts that are already bytes."""
    ends = np.cumsum(np.array([len(text) for text in encoded], np.int64))
    return TextArrays(np.frombuffer(b"".join(encoded), np.uint8), ends.astype(np.int64))


def joined(parts: Sequence[TextArrays]) -> TextArrays:
    """The texts of all parts one after the other."""
    shifts = np.cumsum([0, *(len(part.data) for part in parts)])
    return TextArrays(
        np.concatenate([part.data for part in parts]),
        np.concatenate([part.ends + shift for part, shift in zip(parts, shifts, strict=False)]),
    )
