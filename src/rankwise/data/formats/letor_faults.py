"""All lines of a LETOR file that cannot be read, where reading it ends at the first one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats import letor_text
from rankwise.data.formats.compression import BYTE_ORDER_MARK, ROOM_AFTER, ByteSource, open_source
from rankwise.data.formats.letor_chunks import LetorFile
from rankwise.data.formats.letor_errors import Place, explain
from rankwise.errors import FormatError

MOST_FAULTS = 20
BLOCK_BYTES = 1 << 20
_MOST_CELLS = 1 << 22
_INDEX = re.compile(rb"[ \t]0*([0-9]{1,7}):")


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
    end = len(place.buffer) - ROOM_AFTER
    width = _width(place.buffer[:end])
    while position < end:
        piece = _some_lines(place.buffer[position:end], max(_MOST_CELLS // width, 1))
        rows = np.zeros((int(np.count_nonzero(piece == 10)) + 1 - ROOM_AFTER, width))
        found = letor_text.parse_rows(
            piece, 0, rows, np.empty(len(rows)), first_index=first_index, with_queries=with_queries
        )
        if found.outcome in (letor_text.FINE, letor_text.CHANGED):
            position += len(piece) - ROOM_AFTER
            continue
        wrong = position + found.position
        yield _explain(place.at(wrong), found.outcome)
        position = wrong + int(np.flatnonzero(place.buffer[wrong:] == 10)[0]) + 1


def _explain(place: Place, outcome: int) -> FormatError:
    if outcome == letor_text.INDEX_BEYOND:
        limit = letor_text.LARGEST_INDEX
        return place.error(f"feature indices may go up to {limit}, found {place.token()}")
    return explain(place, outcome)


def _some_lines(text: NDArray[np.uint8], lines: int) -> NDArray[np.uint8]:
    """The first lines of a text, and the line feeds that the parser wants behind them."""
    feeds = np.flatnonzero(text == 10)
    if len(feeds) > lines:
        text = text[: feeds[lines - 1] + 1]
    return np.concatenate([text, np.full(ROOM_AFTER, 10, np.uint8)])


def _width(text: NDArray[np.uint8]) -> int:
    """As many columns as the largest index needs, those beyond reason left out."""
    found = (int(index) for index in _INDEX.findall(text.tobytes()))
    allowed = (index for index in found if index <= letor_text.LARGEST_INDEX)
    return max(allowed, default=0) + 1


def _first_byte(place: Place) -> int:
    marked = place.lines_before == 0 and place.buffer[:3].tobytes() == BYTE_ORDER_MARK
    return len(BYTE_ORDER_MARK) if marked else 0
