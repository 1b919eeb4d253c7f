"""A LETOR file read and parsed in chunks of whole lines, side by side, into one set of arrays.

The file itself is never in memory as a whole: a first pass counts lines, so that the arrays can
be made and every chunk knows its rows; a second reads each chunk into a small buffer and parses.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.compression import ByteSource
from rankwise.data.formats.letor_errors import Place, explain, too_wide
from rankwise.data.formats.letor_numbers import first_repeated_index, largest_index, settle
from rankwise.data.formats.letor_texts import ChunkTexts, chunk_texts
from rankwise.errors import FormatError, RankwiseError
from rankwise.processors import processors

LARGEST_INDEX = 1 << 20
BLOCK_BYTES = 1 << 22
SAMPLE_BYTES, SAMPLES = 1 << 14, 8
ROOM = 4096
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class Chunk(NamedTuple):
    """Whole lines: bytes `begin` to `end`, the lines before them, and how many they are."""

    begin: int
    end: int
    lines_before: int
    lines: int


class ParsedChunk(NamedTuple):
    """A chunk's bytes, its rows in the arrays (as many lines stand before it), and its texts."""

    begin: int
    end: int
    first_row: int
    last_row: int
    texts: ChunkTexts


class Rows(NamedTuple):
    """What the parser found."""

    features: NDArray[np.float64]
    labels: NDArray[np.float64]
    chunks: list[ParsedChunk]
    with_queries: bool


class _TooNarrow(Exception):
    """A feature index beyond the width that was assumed, and the sentence if it is beyond any."""

    def __init__(self, error: FormatError) -> None:
        self.error = error


@dataclass(frozen=True)
class LetorFile:
    """One file and how it is to be read."""

    source: ByteSource
    first_index: int
    n_features: int
    threads: int | None
    _rooms: threading.local = field(default_factory=threading.local, repr=False)

    def parse(self) -> Rows:
        """All rows; parsed once more where the width seen in samples was too small."""
        chunks = self._chunks()
        width = max(self._sampled_width(chunks), self.n_features)
        try:
            return self._parse(chunks, width)
        except _TooNarrow as failure:
            return self._parse(chunks, self._exact_width(chunks, failure))

    def _parse(self, chunks: list[Chunk], width: int) -> Rows:
        """Parse all chunks into one set of arrays; the first failure in the file is raised."""
        total = chunks[-1].lines_before + chunks[-1].lines
        self._refuse_excess(total, width)
        features, labels = np.zeros((total, width)), np.empty(total)
        with_queries = self._names_queries(chunks)
        results = self._each(
            lambda chunk: self._parse_chunk(chunk, with_queries, features, labels), chunks
        )
        parsed = []
        for result in results:
            if isinstance(result, Exception):
                raise result
            parsed.append(result)
        return _close_gaps(features, labels, parsed, with_queries)

    def _parse_chunk(
        self,
        chunk: Chunk,
        with_queries: bool,
        features: NDArray[np.float64],
        labels: NDArray[np.float64],
    ) -> ParsedChunk | Exception:
        """The chunk's rows, or what is wrong with the first wrong one."""
        from rankwise.data.formats import letor_kernel as kernel

        buffer = self.source.read(chunk.begin, chunk.end, self._room())
        spans = np.empty((chunk.lines, 6), np.int64)
        open_numbers = np.empty((max(ROOM, 2 * (features.shape[1] + 1)), 4), np.int64)
        place = Place(self.source, buffer, chunk.lines_before)
        position, row = self._first_byte(chunk, buffer), chunk.lines_before
        outcome, all_rising = kernel.OPEN_NUMBERS_FULL, True
        while outcome == kernel.OPEN_NUMBERS_FULL:
            row, opened, outcome, position, rising = kernel.parse_rows(
                buffer,
                position,
                chunk.end - chunk.begin,
                row,
                chunk.lines_before,
                self.first_index,
                with_queries,
                features,
                labels,
                spans,
                open_numbers,
            )
            all_rising = all_rising and rising
            failure = settle(buffer, open_numbers[:opened], features, labels)
            if failure is not None:
                wrong = kernel.BAD_LABEL if failure[1] else kernel.BAD_VALUE
                return explain(place.at(failure[0]), wrong)
        if outcome == kernel.INDEX_BEYOND:
            return _TooNarrow(too_wide(place.at(position), LARGEST_INDEX))
        if outcome != kernel.FINE:
            return explain(place.at(position), outcome)
        repeated = None if all_rising else first_repeated_index(buffer)
        if repeated is not None:
            return explain(place.at(repeated), kernel.REPEATED_INDEX)
        texts = chunk_texts(buffer, spans[: row - chunk.lines_before], with_queries)
        return ParsedChunk(chunk.begin, chunk.end, chunk.lines_before, row, texts)

    def _chunks(self) -> list[Chunk]:
        """Whole lines of about a block each, counted."""
        size = self.source.size
        begins = range(0, size, BLOCK_BYTES)
        blocks = self._each(lambda begin: self._count_block(begin), begins)
        chunks: list[Chunk] = []
        begin = lines_before = lines = 0
        for (count, first), block in zip(blocks, begins, strict=True):
            if block > 0 and count > 0:
                chunks.append(Chunk(begin, first + 1, lines_before, lines + 1))
                begin, lines_before, lines = first + 1, lines_before + lines + 1, -1
            lines += count
        # The source ends with a line feed of its own, so the last chunk is never cut short.
        chunks.append(Chunk(begin, size, lines_before, lines))
        return [chunk for chunk in chunks if chunk.end > chunk.begin] or chunks

    def _count_block(self, begin: int) -> tuple[int, int]:
        """Line feeds of a block, and where the first of them is."""
        end = min(begin + BLOCK_BYTES, self.source.size)
        block = self.source.read(begin, end, self._room())[:-1]
        is_feed = block == 10
        count = int(np.count_nonzero(is_feed))
        return count, begin + int(is_feed.argmax()) if count else -1

    def _room(self) -> NDArray[np.uint8]:
        """One buffer per thread, used again for every chunk: fresh pages cost more than reading.

        Chunks are a block and at most one line long; longer ones get an array of their own.
        """
        if not hasattr(self._rooms, "buffer"):
            self._rooms.buffer = np.empty(min(self.source.size, 2 * BLOCK_BYTES) + 1, np.uint8)
        room: NDArray[np.uint8] = self._rooms.buffer
        return room

    def _first_byte(self, chunk: Chunk, buffer: NDArray[np.uint8]) -> int:
        begins = self.source.first == 0 and chunk.begin == 0
        marked = begins and buffer[:3].tobytes() == BYTE_ORDER_MARK
        return len(BYTE_ORDER_MARK) if marked else 0

    def _names_queries(self, chunks: list[Chunk]) -> bool:
        """Whether the first row names its query; all others must then do so, too."""
        for chunk in chunks:
            buffer = self.source.read(chunk.begin, chunk.end)
            for line in buffer[self._first_byte(chunk, buffer) :].tobytes().splitlines():
                words = line.split(None, 2)
                if words and not words[0].startswith(b"#"):
                    return len(words) < 2 or words[1].startswith(b"qid:") or b":" not in words[1]
        return True

    def _sampled_width(self, chunks: list[Chunk]) -> int:
        """The largest index in a few places; the parser tells when it was not the largest."""
        largest = 0
        step = max(1, len(chunks) // SAMPLES)
        for chunk in chunks[::step]:
            end = min(chunk.begin + SAMPLE_BYTES, chunk.end)
            largest = max(largest, largest_index(self.source.read(chunk.begin, end)))
        return self._columns(min(largest, LARGEST_INDEX))

    def _exact_width(self, chunks: list[Chunk], failure: _TooNarrow) -> int:
        largest = max(largest_index(self.source.read(chunk.begin, chunk.end)) for chunk in chunks)
        if largest > LARGEST_INDEX:
            raise failure.error
        return max(self._columns(largest), self.n_features)

    def _columns(self, largest: int) -> int:
        return largest + 1 - self.first_index if largest or not self.first_index else 0

    def _refuse_excess(self, rows: int, width: int) -> None:
        """A tiny hostile file must not ask for all the memory of the machine."""
        needed = rows * width * 8
        if needed > 1 << 32 and needed > 100 * self.source.size:
            raise RankwiseError(
                f"{self.source.path}: {rows} rows with feature indices up to {width} would need "
                f"{needed / 2**30:.0f} GiB as an array; renumber the features without gaps"
            )

    def _each(self, work: Callable[[Item], Outcome], items: Sequence[Item]) -> list[Outcome]:
        """Apply `work` to all items; the first alone, since it may compile."""
        if len(items) == 0:
            return []
        first = work(items[0])
        if len(items) == 1:
            return [first]
        with ThreadPoolExecutor(self.threads or processors()) as pool:
            return [first, *pool.map(work, items[1:])]


def _close_gaps(
    features: NDArray[np.float64],
    labels: NDArray[np.float64],
    chunks: list[ParsedChunk],
    with_queries: bool,
) -> Rows:
    """Move rows down over the space that blank and comment lines left at the end of chunks."""
    filled = chunks[0].last_row
    for _, _, first, last, _ in chunks[1:]:
        if first > filled:
            for row in range(first, last, ROOM):
                stop = min(row + ROOM, last)
                to = filled + row - first
                features[to : to + stop - row] = features[row:stop]
                labels[to : to + stop - row] = labels[row:stop]
        filled += last - first
    return Rows(features[:filled], labels[:filled], chunks, with_queries)
