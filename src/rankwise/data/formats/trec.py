"""TREC judgements (qrels) and runs: rows of blank-separated columns, strictly read.

    qrels: query iteration document label          301 0 FR940202-2-00150 1
    run:   query Q0 document rank score tag        301 Q0 FR940202-2-00150 1 2.129 bm25

The iteration, Q0 and rank columns are not used: the order is that of the scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from rankwise.data.formats.columns import ColumnFile, ColumnLayout, QueryRows, read_columns
from rankwise.data.formats.shown import shown
from rankwise.errors import FormatError

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
    return _table(path, found)


def read_run(path: str | Path) -> Run:
    """The score of every retrieved document of every query, in the order of the file."""
    found = read_columns(path, _RUN)
    return Run(_table(path, found), found.last_column)


def _table(path: str | Path, found: ColumnFile) -> dict[str, dict[str, float]]:
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
