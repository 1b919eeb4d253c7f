"""The sentences for files that are not in LETOR's layout, with line and column."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats import letor_text
from rankwise.data.formats.compression import ByteSource
from rankwise.data.formats.shown import LONGEST_SHOWN, shown
from rankwise.errors import Advice, FormatError

_ZERO_BASED = Advice(
    "{} if its indices begin at 0",
    "zero_based",
    True,
    "if its indices begin at 0, 'rankwise data convert IN OUT --zero-based' makes them begin at 1",
)
_MERGED = Advice(
    "{} joins its rows",
    "repeated_queries",
    "merge",
    "'rankwise data convert IN OUT --repeated-queries merge' joins its rows",
)


@dataclass(frozen=True)
class Place:
    """A byte position in a chunk of a source that has `lines_before` lines before it."""

    source: ByteSource
    buffer: NDArray[np.uint8]
    lines_before: int
    position: int = 0

    def at(self, position: int) -> Place:
        """Another position in the same chunk."""
        return replace(self, position=position)

    def line_and_column(self) -> tuple[int, int]:
        """Both counted from 1 in the whole file; the column in bytes."""
        feeds = np.flatnonzero(self.buffer[: self.position] == 10)
        begin = int(feeds[-1]) + 1 if len(feeds) else 0
        before = self.source.lines_before() + self.lines_before
        return before + len(feeds) + 1, self.position - begin + 1

    def error(self, sentence: str, *advice: Advice) -> FormatError:
        """The sentence with file, line and column before it."""
        return FormatError(sentence, self.source.path, *self.line_and_column(), advice)

    def token(self) -> str:
        """What stands here up to the next blank, shortened and safe to print."""
        piece = self.buffer[self.position : self.position + 4 * LONGEST_SHOWN].tobytes()
        words = piece.split(b"\n")[0].split()
        if not words:
            return "the end of the line"
        return shown(words[0])


def explain(place: Place, outcome: int) -> FormatError:
    """What the parser's `outcome` means for the one who wrote the file."""
    sentences = {
        letor_text.BAD_LABEL: "a row must begin with its label, a finite number, found {}",
        letor_text.NO_QUERY: "after the label must come qid:ID, found {}",
        letor_text.EMPTY_QUERY: "qid: must be followed by the query's id, found {}",
        letor_text.UNEXPECTED_QUERY: "the rows before have no qid, so none may have one, found {}",
        letor_text.BAD_FEATURE: "a feature must be written index:value, found {}",
        letor_text.INDEX_ZERO: "feature indices begin at 1, found {}",
        letor_text.BAD_VALUE: "a feature's value must be a number or NULL, found {}",
        letor_text.INDEX_BEYOND: f"feature indices may go up to {letor_text.LARGEST_INDEX}, "
        "found {}",
        letor_text.REPEATED_INDEX: "a feature index may stand once in a row, found it again in {}",
    }
    advice = (_ZERO_BASED,) if outcome == letor_text.INDEX_ZERO else ()
    return place.error(sentences[outcome].format(place.token()), *advice)


def repeated_query(place: Place, query_id: str, first_line: int) -> FormatError:
    """A query id that comes back after other queries."""
    query = shown(query_id.encode("utf-8", "surrogateescape"))
    return place.error(
        f"the rows of a query must stand together, found query {query} again, first seen "
        f"in line {first_line}",
        Advice("sort the file by query"),
        _MERGED,
    )
