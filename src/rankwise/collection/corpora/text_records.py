"""Records of plain text, as collections before SMART's and TREC's formats have them."""

from __future__ import annotations

from typing import NamedTuple

from rankwise.collection.corpora.text_files import decoded

LARGEST_RECORD = 1 << 24


class TextRecord(NamedTuple):
    """First line, id and text of a record, and what is wrong with it (empty: nothing)."""

    line: int
    id: str
    text: str
    problem: str


class GatheredText:
    """A record while its lines come; what is past the largest size is not kept."""

    def __init__(self, line: int, identifier: str) -> None:
        self._line = line
        self._id = identifier
        self._lines: list[bytes] = []
        self._size = 0

    def add(self, line: bytes) -> None:
        """Take one more line of the text."""
        # The line feed counts too: empty lines take memory.
        self._size += len(line) + 1
        if self._size <= LARGEST_RECORD:
            self._lines.append(line)

    def record(self, problem: str = "") -> TextRecord:
        """The record, with what is wrong with it."""
        if self._size > LARGEST_RECORD:
            problem = f"a record must have at most {LARGEST_RECORD} bytes, found {self._size}"
        return TextRecord(self._line, self._id, decoded(b"\n".join(self._lines)).strip(), problem)
