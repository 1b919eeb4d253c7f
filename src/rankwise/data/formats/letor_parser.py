"""LETOR rows from bytes: numbers, texts, first words, and the sentences for what is no row.

The functions are those of letor_text.c; here stands what their arrays hold. Query ids, comments and
document ids come chunk by chunk. The first words of a file's rows are read from any place on,
without reading more than is asked for. What is not in LETOR's layout is named with line and column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.compression import (
    LONGEST_LINE,
    LONGEST_SHOWN,
    ROOM_AFTER,
    ByteSource,
    endless_line,
    shown,
)
from rankwise.data.sparse_features import SparseFeatures
from rankwise.data.text import TextColumn, join
from rankwise.errors import Advice, FormatError
from rankwise.native import DOUBLES_OUT, INT32S_OUT, INT64, INT64S_OUT, UINT8S, function

LARGEST_INDEX = 1 << 20

# What parsing can end in; the same numbers stand in letor_text.c.
(
    FINE,
    BAD_LABEL,
    NO_QUERY,
    EMPTY_QUERY,
    UNEXPECTED_QUERY,
    BAD_FEATURE,
    INDEX_ZERO,
    BAD_VALUE,
    REPEATED_INDEX,
    INDEX_BEYOND,
    CHANGED,
) = range(11)

_parse_letor = function(
    "rankwise_parse_letor",
    *(UINT8S, INT64, INT64, INT64),  # text, its bytes, where to begin and to end
    *(INT64, INT64, INT64),  # first and largest index, whether rows name their queries
    *(INT64, INT64, DOUBLES_OUT, DOUBLES_OUT),  # rows, width, features, labels
    *(INT64S_OUT, INT64S_OUT, INT64S_OUT),  # spans, runs, stamps
    *(INT64, INT32S_OUT, INT64S_OUT, INT64),  # whether sparse: columns, row offsets, room
    INT64S_OUT,  # what was found
    returns=INT64,
)
_largest_index = function(
    "rankwise_largest_index", UINT8S, INT64, INT64, INT64, INT64S_OUT, returns=INT64
)


# An index, a colon and a value, each of a character at least, and the blank before.
_BYTES_OF_A_PARSED_ENTRY = 4
_FOUND = 9


class ParsedRows(NamedTuple):
    """What a chunk's text held, and where it went wrong if it did.

    Attributes:
        outcome: `FINE`, or what is wrong at byte `position`.
        rows: how many rows were parsed.
        runs: per run of rows with one query id: its first row, begin and end of the id.
        spans: per row: begin and end of its comment, begin and end of its document id.
        comments: rows with a comment; documents: rows with a document id.
        entries: how many features were written, zeros too.
    """

    outcome: int
    position: int
    rows: int
    runs: NDArray[np.int64]
    spans: NDArray[np.int64]
    comments: int
    documents: int
    entries: int


def parse_rows(
    buffer: NDArray[np.uint8],
    begin: int,
    features: NDArray[np.float64],
    labels: NDArray[np.float64],
    *,
    first_index: int,
    with_queries: bool,
) -> ParsedRows:
    """Parse whole lines, which `ROOM_AFTER` line feeds follow, into arrays of as many rows.

    With `first_index` 1 the first column is feature 1, with 0 it is feature 0.
    """
    none = np.empty(0, np.int32), np.empty(0, np.int64)
    _, rows = _parse(
        *(buffer, begin, labels, first_index, with_queries),
        *(features.shape[1], features, (0, *none, 0)),
    )
    return rows


def parse_sparse_rows(
    buffer: NDArray[np.uint8],
    begin: int,
    labels: NDArray[np.float64],
    *,
    first_index: int,
    with_queries: bool,
) -> tuple[ParsedRows, SparseFeatures]:
    """As `parse_rows`, for rows that hold few of their features; any index fits."""
    room = len(buffer) // _BYTES_OF_A_PARSED_ENTRY + 1
    values, columns = np.empty(room), np.empty(room, np.int32)
    offsets = np.zeros(len(labels) + 1, np.int64)
    found, rows = _parse(
        *(buffer, begin, labels, first_index, with_queries),
        *(LARGEST_INDEX + 1 - first_index, values, (1, columns, offsets, room)),
    )
    kept, width, unsorted = found[6:]
    # What was made in vain is given back, without a copy. Nobody else has seen the arrays.
    for array, length in ((values, kept), (columns, kept), (offsets, rows.rows + 1)):
        array.resize(length, refcheck=False)
    features = SparseFeatures(values, columns, offsets, width)
    return rows, _sort_entries(features) if unsorted and rows.outcome == FINE else features


def _parse(
    buffer: NDArray[np.uint8],
    begin: int,
    labels: NDArray[np.float64],
    first_index: int,
    with_queries: bool,
    width: int,
    values: NDArray[np.float64],
    sparse: tuple[Any, ...],
) -> tuple[list[int], ParsedRows]:
    rows = len(labels)
    spans, runs = np.empty((rows, 4), np.int64), np.empty((rows, 3), np.int64)
    stamps, found = np.zeros(width, np.int64), np.zeros(_FOUND, np.int64)
    outcome = _parse_letor(
        *(buffer, len(buffer), begin, len(buffer) - ROOM_AFTER),
        *(first_index, LARGEST_INDEX, with_queries),
        *(rows, width, values, labels),
        *(spans, runs, stamps, *sparse, found),
    )
    parsed, position, n_runs, *counts = numbers = found.tolist()
    texts = runs[:n_runs], spans[:parsed]
    return numbers, ParsedRows(outcome, position, parsed, *texts, *counts[:3])


def _sort_entries(features: SparseFeatures) -> SparseFeatures:
    """The same entries with rising columns in every row."""
    order = np.lexsort((features.columns, features.row_of_entries))
    columns, values = features.columns[order], features.values[order]
    return SparseFeatures(values, columns, features.row_offsets, features.width)


def count_indices(buffer: NDArray[np.uint8]) -> tuple[int, int]:
    """The largest feature index of a text (-1: none), and how many there are.

    One beyond `LARGEST_INDEX` stands for all that are larger.
    """
    entries = np.empty(1, np.int64)
    end = len(buffer) - ROOM_AFTER
    largest = _largest_index(buffer, len(buffer), end, LARGEST_INDEX, entries)
    return largest, int(entries[0])


class ChunkTexts(NamedTuple):
    """Texts in a buffer of their own; `document_ids` is None where some row has none."""

    run_starts: NDArray[np.int64]
    run_positions: NDArray[np.int64]
    run_ids: TextColumn
    comments: TextColumn | None
    document_ids: TextColumn | None


def chunk_texts(buffer: NDArray[np.uint8], found: ParsedRows) -> ChunkTexts:
    """What the parser's spans point at: runs of equal query ids, comments, document ids."""
    starts, positions, ends = np.ascontiguousarray(found.runs.T)
    run_ids = TextColumn(buffer, positions, ends).packed()
    comments = document_ids = None
    if found.comments:
        begins, ends, documents, document_ends = np.ascontiguousarray(found.spans.T)
        comments = TextColumn(buffer, begins, ends).packed()
        if found.documents == found.rows:
            shifts = comments.starts - begins
            document_ids = TextColumn(comments.data, documents + shifts, document_ends + shifts)
    return ChunkTexts(starts, positions, run_ids, comments, document_ids)


def joined_texts(
    chunks: Sequence[tuple[ChunkTexts, int]],
) -> tuple[TextColumn | None, TextColumn | None]:
    """Comments of all rows, where any has one, and document ids, where every row has one."""
    if all(texts.comments is None for texts, _ in chunks):
        return None, None
    comments = join([texts.comments or TextColumn.blank(rows) for texts, rows in chunks])
    ids = [texts.document_ids for texts, rows in chunks if rows]
    present = [column for column in ids if column is not None]
    return comments, join(present) if len(present) == len(ids) else None


LOOK_BYTES = 1 << 16
# What the parser takes for blanks and words.
_FIRST_WORDS = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r]*([^\x00-\x20#]+)[ \t\r]*([^\x00-\x20#]*)")


def first_words(
    source: ByteSource, position: int = 0, look: int = LOOK_BYTES
) -> Iterator[tuple[int, tuple[bytes, bytes]]]:
    """Rows that begin at `position` or later: where, and their first two words.

    The file is read piece by piece of `look` bytes, as rows are asked for.
    """
    for begin, line in _whole_lines(source, position, look):
        words = _FIRST_WORDS.match(line)
        if words is not None:
            yield begin, (words[1], words[2])


def _whole_lines(source: ByteSource, position: int, look: int) -> Iterator[tuple[int, bytes]]:
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
        BAD_LABEL: "a row must begin with its label, a finite number, found {}",
        NO_QUERY: "after the label must come qid:ID, found {}",
        EMPTY_QUERY: "qid: must be followed by the query's id, found {}",
        UNEXPECTED_QUERY: "the rows before have no qid, so none may have one, found {}",
        BAD_FEATURE: "a feature must be written index:value, found {}",
        INDEX_ZERO: "feature indices begin at 1, found {}",
        BAD_VALUE: "a feature's value must be a number or NULL, found {}",
        INDEX_BEYOND: f"feature indices may go up to {LARGEST_INDEX}, found {{}}",
        REPEATED_INDEX: "a feature index may stand once in a row, found it again in {}",
    }
    advice = (_ZERO_BASED,) if outcome == INDEX_ZERO else ()
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
