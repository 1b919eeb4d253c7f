"""A LETOR file read and parsed in chunks of whole lines, side by side, into one set of arrays.

Every byte is read once, into a small buffer that is used again: the file itself is never in memory
as a whole. A few samples tell about how wide and how many the rows are; what does not fit the
arrays that were made for them gets arrays of its own, which are joined at the end.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from rankwise.data.feature_matrix import Features, FileFeatures
from rankwise.data.formats import letor_parser
from rankwise.data.formats.compression import (
    BYTE_ORDER_MARK,
    LONGEST_LINE,
    ROOM_AFTER,
    ByteSource,
    count_lines,
    endless_line,
    in_order,
)
from rankwise.data.formats.letor_parser import (
    LARGEST_INDEX,
    ChunkTexts,
    ParsedRows,
    Place,
    chunk_texts,
    count_indices,
    explain,
    first_words,
    parse_rows,
    parse_sparse_rows,
)
from rankwise.data.sparse_features import (
    ALWAYS_DENSE,
    CELLS_PER_ENTRY,
    SparseFeatures,
    as_sparse,
    is_sparse,
)
from rankwise.errors import RankwiseError

BLOCK_BYTES = 1 << 22
SAMPLE_BYTES, SAMPLES = 1 << 15, 16
LOOK_BYTES = 1 << 14
# Rows are guessed generously: memory that is never written to costs nothing.
SURPLUS_ROWS = 1.5
# Files that write all their cells take half the bytes of the array, or more.
_WORTH_COUNTING = 4


class Chunk(NamedTuple):
    """Whole lines: where they begin and end in the source, their bytes, and how many they are."""

    begin: int
    end: int
    buffer: NDArray[np.uint8]
    lines: int


class ParsedChunk(NamedTuple):
    """A chunk's bytes in the source, the lines before it, its rows, and its texts."""

    begin: int
    end: int
    lines_before: int
    rows: RowArrays
    entries: int
    texts: ChunkTexts


class Rows(NamedTuple):
    """What the parser found."""

    features: Features
    labels: NDArray[np.float64]
    chunks: list[ParsedChunk]
    with_queries: bool


class RowSink(Protocol):
    """Takes features as they are parsed, in their order, and has them all at the end."""

    width: int

    def add(self, values: NDArray[np.float64]) -> None:
        """Take some rows, of `width` features at most."""

    def features(self) -> FileFeatures:
        """All rows that it took."""


class Extent(NamedTuple):
    """How large the features of a file are: lines that may be rows, columns, written features."""

    rows: int
    width: int
    entries: int


@dataclass(frozen=True)
class LetorFile:
    """One file and how it is to be read."""

    source: ByteSource
    first_index: int
    n_features: int
    threads: int | None
    _buffers: threading.local = field(default_factory=threading.local, repr=False)

    def measure(self) -> Extent:
        """How large the features are, by a pass over the file that parses no number."""

        def look(begin: int) -> Extent:
            chunk = self._read_chunk(begin)
            if chunk is None:
                return Extent(0, 0, 0)
            largest, entries = count_indices(chunk.buffer)
            return Extent(chunk.lines, self._columns(min(largest, LARGEST_INDEX)), entries)

        found = list(in_order(look, range(0, self.source.size, BLOCK_BYTES), self.threads))
        rows, widths, entries = zip(*found, strict=True)
        return Extent(sum(rows), max(*widths, self.n_features), sum(entries))

    def parse(self, sink: RowSink | None = None) -> Rows:
        """All rows; the first failure in the file is raised.

        Where there is a `sink`, features go there chunk by chunk, and are not held here.
        """
        with_queries = self.names_queries()
        arrays = self._arrays() if sink is None else LetorArrays(self.source, 0, sink.width)
        begins = range(0, self.source.size, BLOCK_BYTES)
        results = in_order(
            lambda number: self._parse_block(number, begins[number], arrays, with_queries),
            range(len(begins)),
            self.threads,
        )
        parsed = []
        with closing(results):
            for result in results:
                if isinstance(result, Exception):
                    raise result
                if result is not None:
                    parsed.append(result if sink is None else _give_away(result, sink))
        if sink is not None:
            labels = np.concatenate([chunk.rows.labels for chunk in parsed] or [np.empty(0)])
            return Rows(sink.features(), labels, parsed, with_queries)
        entries = sum(chunk.entries for chunk in parsed)
        least_width = max(arrays.width, self.n_features)
        features, labels = arrays.join([chunk.rows for chunk in parsed], entries, least_width)
        return Rows(features, labels, parsed, with_queries)

    def _parse_block(
        self, number: int, begin: int, arrays: LetorArrays, with_queries: bool
    ) -> ParsedChunk | RankwiseError | None:
        """The rows that begin in a block, or what is wrong with the first wrong one."""
        chunk, lines = None, 0
        try:
            chunk = self._read_chunk(begin)
            lines = 0 if chunk is None else chunk.lines
        finally:
            # Others wait for their turn, whatever happens here.
            lines_before = arrays.take_turn(number, lines)
        if chunk is None:
            return None
        try:
            return self._parse_chunk(chunk, lines_before, arrays, with_queries)
        except RankwiseError as error:
            return error

    def _parse_chunk(
        self, chunk: Chunk, lines_before: int, arrays: LetorArrays, with_queries: bool
    ) -> ParsedChunk:
        rows, found = self._parse_rows(chunk, lines_before, arrays, with_queries)
        if found.outcome == letor_parser.CHANGED:
            raise RankwiseError(f"{self.source.path}: the file changed while it was read")
        if found.outcome != letor_parser.FINE:
            place = Place(self.source, chunk.buffer, lines_before, found.position)
            raise explain(place, found.outcome)
        texts = chunk_texts(chunk.buffer, found)
        kept = rows.first(found.rows)
        return ParsedChunk(chunk.begin, chunk.end, lines_before, kept, found.entries, texts)

    def _parse_rows(
        self, chunk: Chunk, lines_before: int, arrays: LetorArrays, with_queries: bool
    ) -> tuple[RowArrays, ParsedRows]:
        """The rows of a chunk, in the shared arrays if they fit there."""
        how: dict[str, Any] = {"first_index": self.first_index, "with_queries": with_queries}
        if not _seems_sparse(chunk, arrays.width, arrays.sparse_in_places):
            rows = arrays.rows(lines_before, chunk.lines)
            found = self._parse_dense(chunk, rows, how)
            if found.outcome != letor_parser.INDEX_BEYOND:
                return rows, found
            width = self._columns(min(count_indices(chunk.buffer)[0], LARGEST_INDEX))
            if not _seems_sparse(chunk, width, False):
                rows = RowArrays.of_zeros(chunk.lines, width)
                return rows, self._parse_dense(chunk, rows, how)
        labels = np.empty(chunk.lines)
        first_byte = self._first_byte(chunk)
        found, features = parse_sparse_rows(chunk.buffer, first_byte, labels, **how)
        return RowArrays(features, labels), found

    def _parse_dense(self, chunk: Chunk, rows: RowArrays, how: dict[str, Any]) -> ParsedRows:
        features = cast("NDArray[np.float64]", rows.features)
        return parse_rows(chunk.buffer, self._first_byte(chunk), features, rows.labels, **how)

    def _read_chunk(self, begin: int) -> Chunk | None:
        """The lines of the block at `begin`: from after its first line feed to after its end."""
        block_end = min(begin + BLOCK_BYTES, self.source.size)
        end = self._line_end(block_end)
        buffer = self.source.read(begin, end, self._buffer())
        first = 0
        if begin > 0:
            feeds, feed = count_lines(buffer[: block_end - begin])
            if feeds == 0:
                return None
            first = feed + 1
        lines, _ = count_lines(buffer[first:-ROOM_AFTER])
        if end == self.source.size and buffer[-ROOM_AFTER - 2 :][:1] == 10:
            lines -= 1  # The source's own line feed ends no further line.
        return Chunk(begin + first, end, buffer[first:], lines) if lines else None

    def _line_end(self, position: int) -> int:
        """Where the line ends that the byte at `position` belongs to."""
        latest = position + LONGEST_LINE
        while position < self.source.size:
            if position > latest:
                raise endless_line(self.source.path)
            end = min(position + LOOK_BYTES, self.source.size)
            feeds, feed = count_lines(self.source.read(position, end)[:-ROOM_AFTER])
            if feeds:
                return position + feed + 1
            position = end
        return self.source.size

    def _buffer(self) -> NDArray[np.uint8]:
        """One per thread, used again for every chunk: fresh pages cost more than reading.

        Chunks are a block and at most one line long; longer ones get an array of their own.
        """
        if not hasattr(self._buffers, "buffer"):
            room = min(self.source.size, 2 * BLOCK_BYTES) + ROOM_AFTER
            self._buffers.buffer = np.empty(room, np.uint8)
        buffer: NDArray[np.uint8] = self._buffers.buffer
        return buffer

    def _first_byte(self, chunk: Chunk) -> int:
        begins = self.source.first == 0 and chunk.begin == 0
        marked = begins and chunk.buffer[:3].tobytes() == BYTE_ORDER_MARK
        return len(BYTE_ORDER_MARK) if marked else 0

    def names_queries(self) -> bool:
        """Whether the first row names its query; all others must then do so, too."""
        second = next((words[1] for _, words in first_words(self.source)), b"")
        return second.startswith(b"qid:") or b":" not in second

    def _arrays(self) -> LetorArrays:
        """Arrays as wide as the largest index in a few places, for as many rows as it seems."""
        size = self.source.size
        step = max(-(-size // SAMPLES), SAMPLE_BYTES)
        begins = range(0, size, step)
        samples = [self._sample(begin) for begin in begins]
        indices = [count_indices(sample) for sample in samples]
        largest = min(max(largest for largest, _ in indices), LARGEST_INDEX)
        lines = sum(count_lines(sample[:-ROOM_AFTER])[0] for sample in samples)
        seen = sum(len(sample) - ROOM_AFTER for sample in samples)
        rows = int(SURPLUS_ROWS * size * (lines + 1) / max(seen, 1))
        width = max(self._columns(largest), self.n_features)
        sparse = CELLS_PER_ENTRY * sum(entries for _, entries in indices) < lines * width
        return LetorArrays(self.source, rows, width, sparse)

    def _sample(self, begin: int) -> NDArray[np.uint8]:
        """What begins with a line: in the middle of a comment anything may look like a feature."""
        sample = self.source.read(begin, min(begin + SAMPLE_BYTES, self.source.size))
        if begin == 0:
            return sample
        feeds, first = count_lines(sample[:-ROOM_AFTER])
        return sample[first + 1 :] if feeds else sample[-ROOM_AFTER:]

    def _columns(self, largest: int) -> int:
        return max(largest + 1 - self.first_index, 0)


def _give_away(chunk: ParsedChunk, sink: RowSink) -> ParsedChunk:
    """The same chunk without its features, which the sink has now."""
    features, labels = chunk.rows.features, chunk.rows.labels
    if isinstance(features, SparseFeatures):
        for _, values in features.dense_blocks():
            sink.add(values)
    else:
        sink.add(features)
    return chunk._replace(rows=RowArrays(np.empty((len(labels), 0)), labels))


def _seems_sparse(chunk: Chunk, width: int, in_places: bool) -> bool:
    """Whether a chunk writes so few of its cells that they should not all be made.

    What was found in a few places of the file is believed; else cells are counted, but only where
    there is more than usual to be saved. A wrong guess costs time: all rows together decide.
    """
    cells = chunk.lines * width
    if 8 * cells <= _WORTH_COUNTING * len(chunk.buffer):
        return False
    return in_places or CELLS_PER_ENTRY * count_indices(chunk.buffer)[1] < cells


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
                _copy_rows(part, features, labels, filled)
            filled += len(part.labels)
        return features[:rows], labels[:rows]


def _copy_rows(
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
