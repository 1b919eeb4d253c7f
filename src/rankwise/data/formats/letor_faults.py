"""All lines of a LETOR file that cannot be read, where reading it ends at the first one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats import letor_text
from rankwise.data.formats.compression import ROOM_AFTER, ByteSource, open_source
from rankwise.data.formats.letor_chunks import LetorFile
from rankwise.data.formats.letor_errors import Place, explain
from rankwise.errors import FormatError

MOST_FAULTS = 20
BLOCK_BYTES = 1 << 20


def find_faults(
    path: str | Path, *, zero_based: bool = False, most: int = MOST_FAULTS + 1
) -> list[FormatError]:
    """What is wrong with each line that is no row of LETOR, the first `most` of them.

    One that says more than it may about the queries of others, a query that comes back, is none.
    """
    with open_source(path) as source:
        first_index = 0 if zero_based else 1
        with_queries = LetorFile(source, first_index, 0, 1).names_queries()
        found: Iterator[FormatError] = (
            fault
            for place in _blocks(source)
            for fault in _faults(place, first_index, with_queries)
        )
        return list(islice(found, most))


def _blocks(source: ByteSource) -> Iterator[Place]:
    """Whole lines, about `BLOCK_BYTES` at a time."""
    begin = lines = 0
    block = BLOCK_BYTES
    while begin < source.size - 1:
        end = min(begin + block, source.size)
        buffer = source.read(begin, end)
        feeds = np.flatnonzero(buffer[:-ROOM_AFTER] == 10)
        if len(feeds) == 0 and end < source.size:
            block *= 2
            continue
        if end < source.size:
            end = begin + int(feeds[-1]) + 1
            buffer = source.read(begin, end)
        yield Place(source, buffer, lines)
        begin, lines, block = end, lines + len(feeds), BLOCK_BYTES


def _faults(place: Place, first_index: int, with_queries: bool) -> Iterator[FormatError]:
    """What is wrong within a block: after a fault it is read on from the next line."""
    position = _first_byte(place)
    while position < len(place.buffer) - ROOM_AFTER:
        rest = place.buffer[position:]
        lines = int(np.count_nonzero(rest[:-ROOM_AFTER] == 10)) + 1
        found = _parse(rest, lines, first_index, with_queries)
        if found.outcome in (letor_text.FINE, letor_text.CHANGED):
            return
        wrong = position + found.position
        yield explain(place.at(wrong), found.outcome)
        feeds = np.flatnonzero(place.buffer[wrong:] == 10)
        position = wrong + int(feeds[0]) + 1


def _parse(
    rest: NDArray[np.uint8], lines: int, first_index: int, with_queries: bool
) -> letor_text.ParsedRows:
    largest = min(letor_text.largest_index(rest)[0], letor_text.LARGEST_INDEX)
    return letor_text.parse_rows(
        rest,
        0,
        np.zeros((lines, max(largest + 1 - first_index, 0))),
        np.empty(lines),
        first_index=first_index,
        with_queries=with_queries,
    )


def _first_byte(place: Place) -> int:
    marked = place.lines_before == 0 and place.buffer[:3].tobytes() == b"\xef\xbb\xbf"
    return 3 if marked else 0
