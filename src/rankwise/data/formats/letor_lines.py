"""The first words of a file's rows, from any place on, without reading more than is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankwise.data.formats.compression import (
    LONGEST_LINE,
    ROOM_AFTER,
    ByteSource,
    endless_line,
)

LOOK_BYTES = 1 << 16
# What the parser takes for blanks and words.
_ROW = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r]*([^\x00-\x20#]+)[ \t\r]*([^\x00-\x20#]*)")


def first_words(
    source: ByteSource, position: int = 0, look: int = LOOK_BYTES
) -> Iterator[tuple[int, tuple[bytes, bytes]]]:
    """Rows that begin at `position` or later: where, and their first two words.

    The file is read piece by piece of `look` bytes, as rows are asked for.
    """
    for begin, line in _lines(source, position, look):
        words = _ROW.match(line)
        if words is not None:
            yield begin, (words[1], words[2])


def _lines(source: ByteSource, position: int, look: int) -> Iterator[tuple[int, bytes]]:
    """Whole lines that begin at `position` or later."""
    # From the byte before, which ends a line exactly where one begins at `position`.
    begin = max(position - 1, 0)
    wanted = position == 0
    held: list[bytes] = []
    for place in range(begin, source.size, look):
        end = min(place + look, source.size)
        first, *others = source.read(place, end)[:-ROOM_AFTER].tobytes().split(b"\n")
        held.append(first)
        if len(held) * look > LONGEST_LINE:
            raise endless_line(source.path)
        for next_line in others:
            line = b"".join(held)
            if wanted:
                yield begin, line
            wanted = True
            begin += len(line) + 1
            held = [next_line]
