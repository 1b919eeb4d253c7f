"""Judgements as TREC qrels, SMART relations, TIME's or NPL's, or lines of `query document label`.

SMART relations list relevant documents, `query document`. CACM's rows are `query document 0 0`,
CISI's `query document 0 0.000000`;
Cranfield's are `query document code` with Cleverdon's codes, where 1 is a complete answer and 4 of
least interest, so that taking the code for a label would turn relevance upside down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from rankwise.collection.corpora.npl import read_npl_judgements
from rankwise.collection.corpora.text_files import decoded, lines
from rankwise.collection.corpora.time_magazine import is_time_judgements, read_time_judgements
from rankwise.data.formats.columns import ColumnLayout, read_columns
from rankwise.errors import FormatError, RankwiseError

Row = tuple[int, str, str, int]
LabelOf = Callable[[int], int]
Labels = dict[str, dict[str, int]]

LABEL_RULES: dict[str, tuple[str, LabelOf]] = {
    "as-is": ("the number of the file; negative ones are 0", lambda code: max(code, 0)),
    "binary": ("1 for positive numbers, else 0", lambda code: int(code > 0)),
    "cleverdon": (
        "Cranfield's codes turned round: 1 is 4, 2 is 3, 3 is 2, 4 is 1, others (5, −1) are 0",
        lambda code: 5 - code if 1 <= code <= 4 else 0,
    ),
}
JUDGEMENT_FORMATS = ("trec", "smart", "columns", "time", "npl")
_USUAL_RULES = {
    "trec": "as-is", "smart": "binary", "columns": "as-is", "time": "binary", "npl": "binary",
}  # fmt: skip
_ZERO = re.compile(r"0+(\.0*)?")
_LARGEST_LABEL = 1000
_LAYOUTS = {
    "trec": ColumnLayout(("query", "iteration", "document", "label"), "label", _LARGEST_LABEL),
    "columns": ColumnLayout(("query", "document", "label"), "label", _LARGEST_LABEL),
}


@dataclass(frozen=True)
class Judgements:
    """Labels by query and document, and how they were read."""

    labels: Labels
    format: str
    rule: str

    @property
    def query_ids(self) -> set[str]:
        """The queries that have judgements."""
        return set(self.labels)


def read_judgements(
    path: str | Path, format_name: str = "auto", *, rule: str | None = None
) -> Judgements:
    """The judgements of a file.

    `rule` says how codes become labels, a key of `LABEL_RULES`; by default the codes of TREC and
    of columns are labels, and a document that SMART lists with a positive code is relevant (1), as
    is one that TIME or NPL lists.
    """
    chosen = _detected(path) if format_name == "auto" else format_name
    if chosen not in JUDGEMENT_FORMATS:
        raise RankwiseError(
            f"a judgement format is one of auto, {', '.join(JUDGEMENT_FORMATS)}, found {chosen!r}"
        )
    rule = rule or _USUAL_RULES[chosen]
    if rule not in LABEL_RULES:
        raise RankwiseError(f"a label rule is one of {', '.join(LABEL_RULES)}, found {rule!r}")
    if chosen in _LISTS:
        rows: Iterable[Row] = ((*found, 1) for found in _LISTS[chosen](path))
    else:
        rows = _smart_rows(path) if chosen == "smart" else _rows(path, _LAYOUTS[chosen])
    return Judgements(_labels(path, rows, LABEL_RULES[rule][1]), chosen, rule)


def _detected(path: str | Path) -> str:
    """Two columns are SMART's, three plain ones, four TREC's unless the last two are all 0.

    Ends of texts are NPL's, and rows of differently many numbers, each query once, TIME's.
    """
    first = [columns for _, columns in islice(_columns(path), 1000)]
    if not first:
        raise RankwiseError(f"{path} must hold judgements, found none")
    if ["/"] in first:
        return "npl"
    if is_time_judgements(first):
        return "time"
    if len(first[0]) in (2, 3):
        return "smart" if len(first[0]) == 2 else "columns"
    zeros = all(len(columns) == 4 and all(map(_ZERO.fullmatch, columns[2:])) for columns in first)
    iterations = {columns[1] for columns in first if len(columns) > 1}
    return "smart" if zeros and len(iterations) > 1 else "trec"


_LISTS = {"time": read_time_judgements, "npl": read_npl_judgements}


def _columns(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines(path):
        columns = decoded(line).split()
        if columns:
            yield number, columns


def _rows(path: str | Path, layout: ColumnLayout) -> Iterator[Row]:
    for run in read_columns(path, layout, decoded).runs():
        for document, code, line in zip(run.documents, run.numbers, run.lines, strict=True):
            yield int(line), run.query, document, int(code)


def _smart_rows(path: str | Path) -> Iterator[Row]:
    for number, columns in _columns(path):
        if len(columns) not in (2, 3, 4):
            raise FormatError(
                f"a row of smart judgements must have 2 or 3 or 4 columns, found {len(columns)}",
                path,
                number,
            )
        code = _code(path, number, columns[2]) if len(columns) == 3 else 1
        yield number, columns[0], columns[1], code


def _labels(path: str | Path, rows: Iterable[Row], label_of: LabelOf) -> Labels:
    labels: Labels = {}
    for number, query, document, code in rows:
        label = label_of(code)
        # A repeated row says nothing new; Cranfield has such rows. A contradiction is an error.
        if labels.setdefault(query, {}).setdefault(document, label) != label:
            raise FormatError(
                f"document {document!r} must have one label in query {query!r}, found two",
                path,
                number,
            )
    if not labels:
        raise RankwiseError(f"{path} must hold judgements, found none")
    return labels


def _code(path: str | Path, number: int, text: str) -> int:
    digits = text.removeprefix("-")
    # Of a number past all limits its first digits are past this one, and quickly read.
    size = int(digits.lstrip("0")[:9] or 0) if digits.isascii() and digits.isdecimal() else -1
    if not 0 <= size <= _LARGEST_LABEL:
        raise FormatError(_LAYOUTS["columns"].wrong_number(text.encode()), path, number)
    return -size if text.startswith("-") else size
