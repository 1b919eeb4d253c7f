"""TREC judgements (qrels) and runs: rows of blank-separated columns, strictly read.

    qrels: query iteration document label          301 0 FR940202-2-00150 1
    run:   query Q0 document rank score tag        301 Q0 FR940202-2-00150 1 2.129 bm25

The iteration, Q0 and rank columns are not used: the order is that of the scores. The compiled core
splits lines, as Python splits text, and reads the numbers; what comes back is flat, a run of rows
with one query at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.compression import (
    BYTE_ORDER_MARK,
    ROOM_AFTER,
    count_lines,
    open_source,
    shown,
)
from rankwise.data.text import TextColumn
from rankwise.errors import FormatError
from rankwise.native import DOUBLES_OUT, INT64, INT64S_OUT, UINT8S, UINT8S_OUT, function

# What parsing can end in; the same numbers stand in columns.c.
_COLUMNS_FINE, _WRONG_COLUMNS = 0, 1
_ANY_NUMBER = -1

_parse_columns = function(
    "rankwise_parse_columns",
    *(UINT8S, INT64, INT64, INT64),  # text, its bytes, where to begin and to end
    *(INT64, INT64, INT64, INT64, INT64),  # width, document, number, largest number, rows
    *(DOUBLES_OUT, INT64S_OUT, INT64S_OUT),  # values, lines, runs
    *(UINT8S_OUT, INT64, INT64S_OUT),  # packed documents and their room, what was found
    returns=INT64,
)


@dataclass(frozen=True)
class ColumnLayout:
    """The columns of a file: the first is the query, others are `document` and the number.

    Attributes:
        columns: their names.
        number: the name of the column that is a number.
        largest: the size up to which it must be a whole number; None: it is any number.
        rows: what rows are called where there are none.
    """

    columns: tuple[str, ...]
    number: str
    largest: int | None = None
    rows: str = "judgements"

    def wrong_number(self, found: bytes) -> str:
        """The sentence for a number that is none."""
        limit = "" if self.largest is None else f" whole number of at most {self.largest}"
        return f"a {self.number} must be a{limit or ' number'}, found {shown(found)}"


class QueryRows(NamedTuple):
    """Rows with one query that stand together: documents, numbers, and their lines."""

    query: str
    documents: list[str]
    numbers: list[float]
    lines: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ColumnFile:
    """The rows of a file up to the first that is wrong, and what is wrong with it.

    Attributes:
        queries: the query of every run of rows.
        offsets: the first row of every run, and the number of rows.
        documents: one per row; `numbers` and `lines` alike.
        last_column: that of the first row.
        failure: what is wrong with the first wrong row.
    """

    queries: list[str]
    offsets: list[int]
    documents: list[str]
    numbers: list[float]
    lines: NDArray[np.int64]
    last_column: str
    failure: FormatError | None

    def runs(self) -> Iterator[QueryRows]:
        """Run after run in the order of the file; at the end the failure is raised, if any."""
        for query, (begin, end) in zip(self.queries, pairwise(self.offsets), strict=True):
            rows = slice(begin, end)
            yield QueryRows(query, self.documents[rows], self.numbers[rows], self.lines[rows])
        if self.failure is not None:
            raise self.failure


def escaped(content: bytes) -> str:
    """UTF-8; bytes that are none survive as lone surrogates."""
    return content.decode("utf-8", "surrogateescape")


def read_columns(
    path: str | Path, layout: ColumnLayout, decode: Callable[[bytes], str] = escaped
) -> ColumnFile:
    """The rows of a file, plain or compressed."""
    with open_source(path) as source:
        text = source.read(0, source.size - 1)
    parsed = _parse_rows(text, layout)
    starts, begins, ends = np.ascontiguousarray(parsed.runs.T)
    queries = TextColumn(text, begins, ends)
    *documents, _ = _decoded_lines(parsed.packed.tobytes(), decode)
    return ColumnFile(
        [decode(queries.encoded(number)) for number in range(len(queries))],
        [*starts.tolist(), len(parsed.values)],
        documents,
        parsed.values.tolist(),
        parsed.lines,
        decode(text[slice(*parsed.last)].tobytes()),
        None if parsed.sentence is None else FormatError(parsed.sentence, path, parsed.line),
    )


class _ParsedColumns(NamedTuple):
    """Rows as columns.c gives them, and the sentence for line `line` where it went wrong."""

    values: NDArray[np.float64]
    lines: NDArray[np.int64]
    runs: NDArray[np.int64]
    packed: NDArray[np.uint8]
    last: tuple[int, int]
    sentence: str | None
    line: int | None


def _parse_rows(text: NDArray[np.uint8], layout: ColumnLayout) -> _ParsedColumns:
    begin = len(BYTE_ORDER_MARK) if text[:3].tobytes() == BYTE_ORDER_MARK else 0
    end = len(text) - ROOM_AFTER
    rows = count_lines(text[:end])[0] + 1
    values, lines, runs = np.empty(rows), np.empty(rows, np.int64), np.empty((rows, 3), np.int64)
    packed, found = np.empty(end + 1, np.uint8), np.empty(9, np.int64)
    columns = layout.columns
    outcome = _parse_columns(
        *(text, len(text), begin, end),
        *(len(columns), columns.index("document"), columns.index(layout.number)),
        *(_ANY_NUMBER if layout.largest is None else layout.largest, rows),
        *(values, lines, runs, packed, len(packed), found),
    )
    count, n_runs, n_packed, failed, width, *number, last_begin, last_end = found.tolist()
    sentence: str | None = None
    line: int | None = failed
    if outcome == _WRONG_COLUMNS:
        sentence = f"expected {len(columns)} columns ({', '.join(columns)}), found {width}"
    elif outcome != _COLUMNS_FINE:
        sentence = layout.wrong_number(text[slice(*number)].tobytes())
    elif count == 0:
        sentence, line = f"the file must hold {layout.rows}, found none", None
    last = (last_begin, last_end)
    return _ParsedColumns(
        values[:count], lines[:count], runs[:n_runs], packed[:n_packed], last, sentence, line
    )


def _decoded_lines(content: bytes, decode: Callable[[bytes], str]) -> list[str]:
    """The lines of a text as strings, decoded at once where it is UTF-8."""
    try:
        return content.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return [decode(line) for line in content.split(b"\n")]


Judgements = dict[str, dict[str, float]]
RunScores = dict[str, dict[str, float]]

_QRELS = ColumnLayout(("query", "iteration", "document", "label"), "label")
_RUN = ColumnLayout(("query", "Q0", "document", "rank", "score", "tag"), "score", rows="rows")


@dataclass(frozen=True)
class Run:
    """A ranking by scores: query, document, score; and the tag of its first row."""

    scores: RunScores
    tag: str


def read_qrels(path: str | Path) -> Judgements:
    """The label of every judged document of every query, in the order of the file."""
    found = read_columns(path, _QRELS)
    for label, line in zip(found.numbers, found.lines.tolist(), strict=True):
        if math.isinf(label):
            raise FormatError(f"a label must be a finite number, found {label}", path, line)
    return _as_dictionaries(path, found)


def read_run(path: str | Path) -> Run:
    """The score of every retrieved document of every query, in the order of the file."""
    found = read_columns(path, _RUN)
    return Run(_as_dictionaries(path, found), found.last_column)


def _as_dictionaries(path: str | Path, found: ColumnFile) -> dict[str, dict[str, float]]:
    """Numbers by query and document; a document that comes back in its query is an error."""
    table: dict[str, dict[str, float]] = {}
    for run in found.runs():
        rows = dict(zip(run.documents, run.numbers, strict=True))
        before = table.setdefault(run.query, rows)
        if before is rows:
            if len(rows) < len(run.documents):
                _refuse_repeated(path, run, set())
            continue
        if len(rows) < len(run.documents) or not before.keys().isdisjoint(rows):
            _refuse_repeated(path, run, set(before))
        before.update(rows)
    return table


def _refuse_repeated(path: str | Path, run: QueryRows, seen: set[str]) -> None:
    for document, line in zip(run.documents, run.lines.tolist(), strict=True):
        if document in seen:
            raise FormatError(
                f"document {_quoted(document)} must occur once in query {_quoted(run.query)}, "
                "found it again",
                path,
                line,
            )
        seen.add(document)


def _quoted(text: str) -> str:
    return shown(text.encode("utf-8", "surrogateescape"))
