"""TREC files cut at `<DOC>` and `</DOC>`, wherever on a line they stand, as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rankwise.data.formats.compression import BYTE_ORDER_MARK
from rankwise.data.formats.decompression import open_bytes

DOCUMENT_MARK = re.compile(rb"(</?DOC\s{0,9}>)", re.IGNORECASE)
_NOT_BLANK = re.compile(rb"\S")
_LONGEST_MARK = len(b"</DOC>") + 9
_PIECE = 1 << 20
_SHOWN = 40


class Part(NamedTuple):
    """A mark or the text between two, and the line that it begins on; long text has many parts."""

    line: int
    content: bytes
    is_mark: bool


class Stretch:
    """Bytes that belong together, from a line on; those past `most` are counted but not kept."""

    def __init__(self, line: int, most: int) -> None:
        self.line = line
        self.size = 0
        self._most = most
        self._parts: list[bytes] = []

    @property
    def content(self) -> bytes:
        """What was kept."""
        return b"".join(self._parts)

    def add(self, part: bytes) -> None:
        """Take in the next bytes."""
        if self.size < self._most:
            self._parts.append(part[: self._most - self.size])
        self.size += len(part)


def read_parts(path: Path) -> Iterator[Part]:
    """Marks and text in turn."""
    line, kept = 1, b""
    with open_bytes(path) as stream:
        piece = stream.read1(_PIECE).removeprefix(BYTE_ORDER_MARK)
        while piece:
            block = kept + piece
            end = _find_unfinished_mark(block)
            for number, content in enumerate(DOCUMENT_MARK.split(block[:end])):
                yield Part(line, content, number % 2 == 1)
                line += content.count(b"\n")
            kept = block[end:]
            piece = stream.read1(_PIECE)
    yield Part(line, kept, False)


def find_stray_text(outside: Stretch) -> tuple[int, bytes] | None:
    """Line and beginning of the first thing that may not stand between documents, if any."""
    content = outside.content
    place = 0
    while (begin := _skip_blanks(content, place)) < len(content):
        place = _skip_declaration(content, begin)
        if place == begin:
            line = outside.line + content.count(b"\n", 0, begin)
            return line, content[begin : begin + _SHOWN]
    return None


def _find_unfinished_mark(block: bytes) -> int:
    """Where a mark may begin of which the end is still to come; else the end of the block."""
    begin = block.rfind(b"<", max(0, len(block) - _LONGEST_MARK))
    return len(block) if begin < 0 or b">" in block[begin:] else begin


def _skip_blanks(content: bytes, place: int) -> int:
    found = _NOT_BLANK.search(content, place)
    return found.start() if found else len(content)


def _skip_declaration(content: bytes, begin: int) -> int:
    """The end of the comment, instruction or document type that begins here; else its begin."""
    if content.startswith(b"<!--", begin):
        closing = b"-->"
    elif content.startswith(b"<?", begin):
        closing = b"?>"
    elif content.startswith(b"<!", begin):
        first = content.find(b">", begin)
        closing = b"]>" if content.find(b"[", begin, first) >= 0 else b">"
    else:
        return begin
    end = content.find(closing, begin)
    return end + len(closing) if end >= 0 else begin
