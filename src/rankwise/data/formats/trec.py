"""TREC judgements (qrels) and runs: rows of blank-separated columns, strictly read.

    qrels: query iteration document label          301 0 FR940202-2-00150 1
    run:   query Q0 document rank score tag        301 Q0 FR940202-2-00150 1 2.129 bm25

The iteration, Q0 and rank columns are not used: the order is that of the scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankwise.data.formats.compression import ROOM_AFTER, open_source
from rankwise.data.formats.lines import count_lines
from rankwise.data.formats.shown import shown
from rankwise.data.text import TextColumn
from rankwise.errors import FormatError
from rankwise.native import DOUBLES_OUT, INT64, INT64S_OUT, UINT8S, UINT8S_OUT, function

Judgements = dict[str, dict[str, float]]
RunScores = dict[str, dict[str, float]]

# What parsing can end in; the same numbers stand in trec.c.
_FINE, _WRONG_COLUMNS, _NOT_A_NUMBER, _LACKS_ROOM = range(4)
_parse_trec = function(
    "rankwise_parse_trec",
    *(UINT8S, INT64, INT64, INT64, INT64, INT64),  # text, its bytes, end, width, column, rows
    *(DOUBLES_OUT, INT64S_OUT, INT64S_OUT),  # values, lines, runs
    *(UINT8S_OUT, INT64, INT64S_OUT),  # packed documents and their room, what was found
    returns=INT64,
)


@dataclass(frozen=True)
class Run:
    """A ranking by scores: query, document, score; and the tag of its first row."""

    scores: RunScores
    tag: str


class _Layout(NamedTuple):
    """The columns of a file, which of them is its number, and what that is called."""

    columns: tuple[str, ...]
    number: int
    rows: str

    @property
    def number_name(self) -> str:
        return self.columns[self.number]


_QRELS = _Layout(("query", "iteration", "document", "label"), 3, "judgements")
_RUN = _Layout(("query", "Q0", "document", "rank", "score", "tag"), 4, "rows")


def read_qrels(path: str | Path) -> Judgements:
    """The label of every judged document of every query, in the order of the file."""
    return _read(path, _QRELS)[0]


def read_run(path: str | Path) -> Run:
    """The score of every retrieved document of every query, in the order of the file."""
    return Run(*_read(path, _RUN))


def _read(path: str | Path, layout: _Layout) -> tuple[dict[str, dict[str, float]], str]:
    """The numbers by query and document, and the last column of the first row."""
    with open_source(path) as source:
        text = source.read(0, source.size - 1)
    end = len(text) - ROOM_AFTER
    rows = count_lines(text[:end])[0] + 1
    values, lines, runs = np.empty(rows), np.empty(rows, np.int64), np.empty((rows, 3), np.int64)
    packed, found = np.empty(end + 1, np.uint8), np.empty(9, np.int64)
    outcome = _parse_trec(
        *(text, len(text), end, len(layout.columns), layout.number, rows),
        *(values, lines, runs, packed, len(packed), found),
    )
    count, n_runs, n_packed, line, columns, begin, number_end, *last = found.tolist()
    starts, begins, ends = np.ascontiguousarray(runs[:n_runs].T)
    table = _table(
        path,
        TextColumn(text, begins, ends).packed(),
        np.append(starts, count),
        packed[:n_packed],
        values[:count],
        lines,
    )
    if outcome == _WRONG_COLUMNS:
        names = ", ".join(layout.columns)
        raise FormatError(
            f"expected {len(layout.columns)} columns ({names}), found {columns}", path, line
        )
    if outcome != _FINE:
        number = shown(text[begin:number_end].tobytes())
        raise FormatError(f"a {layout.number_name} must be a number, found {number}", path, line)
    if not table:
        raise FormatError(f"the file must hold {layout.rows}, found none", path)
    return table, text[slice(*last)].tobytes().decode("utf-8", "surrogateescape")


def _table(
    path: str | Path,
    queries: TextColumn,
    bounds: NDArray[np.int64],
    packed: NDArray[np.uint8],
    values: NDArray[np.float64],
    lines: NDArray[np.int64],
) -> dict[str, dict[str, float]]:
    """Numbers by query and document; a document that comes back in its query is an error."""
    documents = packed.tobytes().decode("utf-8", "surrogateescape").split("\n")
    numbers = values.tolist()
    table: dict[str, dict[str, float]] = {}
    for query, begin, end in zip(queries, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        rows = dict(zip(documents[begin:end], numbers[begin:end], strict=True))
        before = table.setdefault(query, rows)
        repeated = before is not rows and not before.keys().isdisjoint(rows)
        if repeated or len(rows) < end - begin:
            seen = set() if before is rows else set(before)
            _refuse_repeated(path, query, documents[begin:end], lines[begin:end].tolist(), seen)
        if before is not rows:
            before.update(rows)
    return table


def _refuse_repeated(
    path: str | Path, query: str, documents: list[str], lines: list[int], seen: set[str]
) -> None:
    for document, line in zip(documents, lines, strict=True):
        if document in seen:
            raise FormatError(
                f"document {_quoted(document)} must occur once in query {_quoted(query)}, "
                "found it again",
                path,
                line,
            )
        seen.add(document)


def _quoted(text: str) -> str:
    return shown(text.encode("utf-8", "surrogateescape"))
