"""TREC judgements (qrels) and runs: rows of blank-separated columns, strictly read.

    qrels: query iteration document label          301 0 FR940202-2-00150 1
    run:   query Q0 document rank score tag        301 Q0 FR940202-2-00150 1 2.129 bm25

The iteration, Q0 and rank columns are not used: the order is that of the scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rankwise.data.formats.compression import read_bytes
from rankwise.errors import FormatError

Judgements = dict[str, dict[str, float]]
RunScores = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Run:
    """A ranking by scores: query, document, score; and the tag of its first row."""

    scores: RunScores
    tag: str


def read_qrels(path: str | Path) -> Judgements:
    """The label of every judged document of every query, in the order of the file."""
    judgements: Judgements = {}
    for number, columns in _rows(path, 4, "query, iteration, document, label"):
        label = _number(path, number, columns[3], "label")
        _put(judgements, columns[0], columns[2], label, path, number)
    _check_some(judgements, path, "judgements")
    return judgements


def read_run(path: str | Path) -> Run:
    """The score of every retrieved document of every query, in the order of the file."""
    scores: RunScores = {}
    tag = ""
    for number, columns in _rows(path, 6, "query, Q0, document, rank, score, tag"):
        score = _number(path, number, columns[4], "score")
        if score != score:
            raise FormatError(f"a score must be a number, found {columns[4]!r}", path, number)
        _put(scores, columns[0], columns[2], score, path, number)
        tag = tag or columns[5]
    _check_some(scores, path, "rows")
    return Run(scores, tag)


def _rows(path: str | Path, width: int, names: str) -> Iterator[tuple[int, list[str]]]:
    text = read_bytes(path).decode("utf-8", "surrogateescape")
    for number, line in enumerate(text.split("\n"), 1):
        columns = line.split()
        if len(columns) == width:
            yield number, columns
        elif columns:
            raise FormatError(
                f"expected {width} columns ({names}), found {len(columns)}", path, number
            )


def _number(path: str | Path, line: int, text: str, what: str) -> float:
    try:
        if "_" in text:
            raise ValueError
        return float(text)
    except ValueError:
        raise FormatError(f"a {what} must be a number, found {text!r}", path, line) from None


def _put(
    table: dict[str, dict[str, float]],
    query: str,
    document: str,
    value: float,
    path: str | Path,
    line: int,
) -> None:
    documents = table.setdefault(query, {})
    if document in documents:
        raise FormatError(
            f"document {document!r} must occur once in query {query!r}, found it again", path, line
        )
    documents[document] = value


def _check_some(table: dict[str, dict[str, float]], path: str | Path, what: str) -> None:
    if not table:
        raise FormatError(f"the file must hold {what}, found none", path)
