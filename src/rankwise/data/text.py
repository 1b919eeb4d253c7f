"""A column of texts on flat arrays: ids and comments of millions of rows without objects.

The comments of rows may hold the class of their query: `#docid = D7 query-class = home page`. They
are kept as they are by every scale, fold and format, and so is the class in them. It stands last,
since the name of a class may hold blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.native import INT64, INT64S, UINT8S, UINT8S_OUT, function

_COLUMN = (UINT8S, INT64, INT64S, INT64S, INT64)
_pack_texts = function("rankwise_pack_texts", *_COLUMN, UINT8S_OUT, INT64, returns=INT64)
_compare_texts = function("rankwise_compare_texts", *_COLUMN, UINT8S_OUT, returns=INT64)


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
        return cls.from_encoded([text.encode("utf-8", "surrogateescape") for text in texts])

    @classmethod
    def from_encoded(cls, texts: Sequence[bytes]) -> TextColumn:
        """Pack texts that are bytes already."""
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        return cls.from_ends(np.frombuffer(b"".join(texts), np.uint8), ends)

    @classmethod
    def from_ends(cls, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> TextColumn:
        """Texts that stand in `data` one after the other, as on disk."""
        starts = np.concatenate([np.zeros(1, np.int64), np.asarray(ends)])[:-1]
        return cls(np.asarray(data), starts, np.asarray(ends))

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
        return (text.decode("utf-8", "surrogateescape") for text in self.encoded_texts())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextColumn):
            return NotImplemented
        mine, its = self.packed(), other.packed()
        return np.array_equal(mine.ends, its.ends) and np.array_equal(mine.data, its.data)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(repr(self[i]) for i in range(min(3, len(self))))
        return f"TextColumn([{shown}{', …' if len(self) > 3 else ''}], {len(self)} texts)"

    def encoded(self, index: int) -> bytes:
        """Text `index` as the bytes that stand in the file."""
        return self.data[self.starts[index] : self.ends[index]].tobytes()

    def encoded_texts(self) -> Iterator[bytes]:
        """The texts one after the other, as bytes."""
        whole = self.data.tobytes()
        for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True):
            yield whole[start:end]

    def changes(self) -> NDArray[np.bool_]:
        """For every text but the first, whether it differs from the one before."""
        different = np.empty(max(len(self) - 1, 0), np.uint8)
        if _compare_texts(*self._flat(), different) < 0:
            raise IndexError("a text lies outside its buffer")
        return different.view(np.bool_)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> TextColumn:
        """The texts of `rows`, sharing the buffer."""
        return TextColumn(self.data, self.starts[rows], self.ends[rows])

    def packed(self) -> TextColumn:
        """The same texts in a buffer of their own that holds nothing else."""
        lengths = self.ends - self.starts
        ends = np.cumsum(lengths, dtype=np.int64)
        packed = np.empty(max(int(lengths.sum()), 0), np.uint8)
        if _pack_texts(*self._flat(), packed, len(packed)) != len(packed):
            raise IndexError("a text lies outside its buffer")
        return TextColumn(packed, ends - lengths, ends)

    def to_numpy(self) -> NDArray[np.object_]:
        """An array of Python strings."""
        return np.array(list(self), dtype=object)

    def _flat(self) -> tuple[NDArray[np.uint8], int, NDArray[np.int64], NDArray[np.int64], int]:
        """The arrays and their lengths, as the compiled core takes them."""
        data = np.ascontiguousarray(self.data)
        starts, ends = np.ascontiguousarray(self.starts), np.ascontiguousarray(self.ends)
        return data, len(data), starts, ends, len(starts)


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


_CLASS_MARK = b"query-class = "
_CLASS = re.compile(rb"(?:^|\s)query-class =\s*(.*?)\s*$")


def classes_of_comments(
    comments: TextColumn | None, query_offsets: NDArray[np.int64], query_ids: Sequence[str]
) -> TextColumn | None:
    """The class of every query, where the comment of the first row names one.

    Then all rows must, and the rows of a query the same one.
    """
    if comments is None or not len(comments) or _CLASS_MARK.rstrip() not in comments.encoded(0):
        return None
    found = [_class_of(comment) for comment in comments.encoded_texts()]
    firsts = [found[start] for start in query_offsets[:-1]]
    for number, name in enumerate(firsts):
        rows = set(found[query_offsets[number] : query_offsets[number + 1]])
        if not name or len(rows) > 1:
            shown = " and ".join(repr((one or b"").decode("utf-8", "replace")) for one in rows)
            raise RankwiseError(
                "the comments of all rows of a query must name one class, query-class = NAME, "
                f"found {shown} for query {query_ids[number]!r}"
            )
    return TextColumn.from_encoded([name or b"" for name in firsts])


def comments_with_classes(
    comments: TextColumn | None,
    document_ids: TextColumn | None,
    classes: TextColumn | None,
    query_lengths: NDArray[np.int64],
) -> TextColumn | None:
    """The comments, each with the class of its query at the end, where queries have classes.

    Rows without a comment but with a document id get `docid = ID` before it.
    """
    if classes is None:
        return comments
    for name in classes.encoded_texts():
        if not name.strip() or name != name.strip() or b"\n" in name or b"\r" in name:
            raise RankwiseError(
                "the class of a query must be a text without line breaks and without blanks at "
                f"its ends to be written, found {name.decode('utf-8', 'replace')!r}"
            )
    count = int(query_lengths.sum())
    if comments is not None:
        begins = [_CLASS.sub(b"", comment) for comment in comments.encoded_texts()]
    elif document_ids is not None:
        begins = [b"docid = " + text for text in document_ids.encoded_texts()]
    else:
        begins = [b""] * count
    names = np.repeat(np.arange(len(classes)), query_lengths).tolist()
    encoded = [_CLASS_MARK + name for name in classes.encoded_texts()]
    return TextColumn.from_encoded(
        [
            begin + (b" " if begin and not begin.endswith(b" ") else b"") + encoded[name]
            for begin, name in zip(begins, names, strict=True)
        ]
    )


def _class_of(comment: bytes) -> bytes | None:
    found = _CLASS.search(comment)
    return None if found is None else found[1]
