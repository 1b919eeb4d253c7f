"""Judgements as TREC qrels, SMART relations, TIME's or NPL's, `query document label`, or of tools.

SMART relations list relevant documents, `query document`. CACM's rows are `query document 0 0`,
CISI's `query document 0 0.000000`;
Cranfield's are `query document code` with Cleverdon's codes, where 1 is a complete answer and 4 of
least interest, so that taking the code for a label would turn relevance upside down.

Judgement lists of RankLib and of plug-ins around it are `grade qid:ID # document`,
and `rankwise.collection.corpora.quepid` reads those of Quepid. A document may have a row for each
of several assessors, whose labels a rule then makes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from rankwise.collection.corpora.assessors import Votes, combine, describe_agreement
from rankwise.collection.corpora.npl import read_npl_judgements
from rankwise.collection.corpora.quepid import is_quepid, read_quepid
from rankwise.collection.corpora.text_files import decoded, lines
from rankwise.collection.corpora.time_magazine import is_time_judgements, read_time_judgements
from rankwise.data.formats.columns import ColumnLayout, read_columns
from rankwise.errors import Advice, FormatError, RankwiseError

LabelOf = Callable[[float], float]
Labels = dict[str, dict[str, float]]


def _as_is(code: float) -> float:
    return max(code, 0)


LABEL_RULES: dict[str, tuple[str, LabelOf]] = {
    "as-is": ("the number of the file; negative ones are 0", _as_is),
    "binary": ("1 for positive numbers, else 0", lambda code: int(code > 0)),
    "cleverdon": (
        "Cranfield's codes turned round: 1 is 4, 2 is 3, 3 is 2, 4 is 1, others (5, −1) are 0",
        lambda code: 5 - code if 1 <= code <= 4 else 0,
    ),
    "mean": ("of several assessors, the mean of their numbers", _as_is),
    "majority": ("of several assessors, the number most of them gave, the lower of equals", _as_is),
    "max": ("of several assessors, the largest of their numbers", _as_is),
    "assessor=N": ("the numbers of one assessor, by name, or as the file has them, from 1", _as_is),
}
_OF_ASSESSORS = ("mean", "majority", "max", "assessor=N")
JUDGEMENT_FORMATS = ("trec", "smart", "columns", "time", "npl", "ranklib", "quepid")
_USUAL_RULES = {
    "trec": "as-is", "smart": "binary", "columns": "as-is", "time": "binary", "npl": "binary",
    "ranklib": "as-is", "quepid": "as-is",
}  # fmt: skip
_ZERO = re.compile(r"0+(\.0*)?")
_LARGEST_LABEL = 1000
_LAYOUTS = {
    "trec": ColumnLayout(("query", "iteration", "document", "label"), "label"),
    "columns": ColumnLayout(("query", "document", "label"), "label"),
}
_JUDGEMENT = re.compile(
    r"(?P<code>\S+)\s+qid:(?P<query>\S+)[^#]*#\s*(docid\s*=\s*)?(?P<document>\S+)"
)


class JudgementRow(NamedTuple):
    """A document with the number that an assessor, who may have a name, gave it for a query."""

    line: int
    query: str
    document: str
    code: float
    assessor: str = ""


@dataclass(frozen=True)
class Judgements:
    """Labels by query and document, and how they were read.

    Attributes:
        labels: by query, then by document.
        format: a key of `JUDGEMENT_FORMATS`.
        rule: a key of `LABEL_RULES`.
        agreement: how far several assessors agree, where a rule makes one label of theirs.
    """

    labels: Labels
    format: str
    rule: str
    agreement: dict[str, object] = field(default_factory=dict)

    @property
    def query_ids(self) -> set[str]:
        """The queries that have judgements."""
        return set(self.labels)


def read_judgements(
    path: str | Path, format_name: str = "auto", *, rule: str | None = None
) -> Judgements:
    """The judgements of a file.

    `rule` says how codes become labels, a key of `LABEL_RULES`; by default the codes of TREC, of
    columns and of tools are labels, and a document that SMART lists with a positive code is
    relevant (1), as is one that TIME or NPL lists.
    """
    chosen = _detected(path) if format_name == "auto" else format_name
    if chosen not in JUDGEMENT_FORMATS:
        raise RankwiseError(
            f"a judgement format is one of auto, {', '.join(JUDGEMENT_FORMATS)}, found {chosen!r}"
        )
    rule = rule or _USUAL_RULES[chosen]
    word, equals, assessor = rule.partition("=")
    kind = f"{word}=N" if equals else word
    if kind not in LABEL_RULES or (equals and not assessor):
        raise RankwiseError(f"a label rule is one of {', '.join(LABEL_RULES)}, found {rule!r}")
    label_of = LABEL_RULES[kind][1]
    if kind not in _OF_ASSESSORS:
        return Judgements(_labels(path, _read_rows(path, chosen), label_of), chosen, rule)
    votes: Votes = {}
    for row in _read_rows(path, chosen, assessors=True):
        votes.setdefault(row.query, {}).setdefault(row.document, []).append(
            (row.assessor, row.code)
        )
    labels = {
        query: {document: label_of(code) for document, code in found.items()}
        for query, found in combine(votes, word, assessor, path).items()
    }
    _refuse_none(path, labels)
    return Judgements(labels, chosen, rule, describe_agreement(votes))


def _read_rows(
    path: str | Path, format_name: str, *, assessors: bool = False
) -> Iterator[JudgementRow]:
    """The rows of a file; where the format names assessors, these too if they are asked for."""
    if format_name in _LISTS:
        rows: Iterable[JudgementRow] = (
            JudgementRow(*found, 1) for found in _LISTS[format_name](path)
        )
    elif format_name == "smart":
        rows = _smart_rows(path)
    elif format_name == "ranklib":
        rows = _list_rows(path)
    elif format_name == "quepid":
        rows = (JudgementRow(*found) for found in read_quepid(path))
    elif format_name == "trec" and assessors:
        rows = _rows_of_iterations(path)
    else:
        rows = _rows(path, _LAYOUTS[format_name])
    for row in rows:
        if not abs(row.code) <= _LARGEST_LABEL:
            raise _wrong_label(path, row.line, f"{row.code:g}")
        yield row


def _detected(path: str | Path) -> str:
    """Two columns are SMART's, three plain ones, four TREC's unless the last two are all 0.

    Ends of texts are NPL's, and rows of differently many numbers, each query once, TIME's. RankLib
    names queries by `qid:`, Quepid writes a header.
    """
    if is_quepid(path):
        return "quepid"
    first = [columns for _, columns in islice(_columns(path), 1000)]
    if not first:
        raise RankwiseError(f"{path} must hold judgements, found none")
    rows = [columns for columns in first if not columns[0].startswith("#")]
    if rows and all(columns[1:] and columns[1].startswith("qid:") for columns in rows):
        return "ranklib"
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


def _rows(path: str | Path, layout: ColumnLayout) -> Iterator[JudgementRow]:
    for run in read_columns(path, layout, decoded).runs():
        for document, code, line in zip(run.documents, run.numbers, run.lines, strict=True):
            yield JudgementRow(int(line), run.query, document, code)


def _rows_of_iterations(path: str | Path) -> Iterator[JudgementRow]:
    """TREC's rows, whose second column is the assessor; they were read once without it."""
    rows = _rows(path, _LAYOUTS["trec"])
    for row, (_, columns) in zip(rows, _columns(path), strict=True):
        yield row._replace(assessor=columns[1])


def _smart_rows(path: str | Path) -> Iterator[JudgementRow]:
    for number, columns in _columns(path):
        if len(columns) not in (2, 3, 4):
            raise FormatError(
                f"a row of smart judgements must have 2 or 3 or 4 columns, found {len(columns)}",
                path,
                number,
            )
        code = _code(path, number, columns[2]) if len(columns) == 3 else 1
        yield JudgementRow(number, columns[0], columns[1], code)


def _list_rows(path: str | Path) -> Iterator[JudgementRow]:
    """Rows of a judgement list; lines that begin with `#` are comments."""
    for number, line in lines(path):
        text = decoded(line).strip()
        if not text or text.startswith("#"):
            continue
        found = _JUDGEMENT.match(text)
        if found is None:
            raise FormatError(
                f"a row of a judgement list must be: grade qid:ID # document, found {text[:40]!r}",
                path,
                number,
            )
        yield JudgementRow(
            number, found["query"], found["document"], _code(path, number, found["code"])
        )


def _labels(path: str | Path, rows: Iterable[JudgementRow], label_of: LabelOf) -> Labels:
    labels: Labels = {}
    for row in rows:
        label = label_of(row.code)
        # A repeated row says nothing new; Cranfield has such rows. A contradiction is an error.
        if labels.setdefault(row.query, {}).setdefault(row.document, label) != label:
            raise FormatError(
                f"document {row.document!r} must have one label in query {row.query!r}, found two",
                path,
                row.line,
                advice=(
                    Advice(
                        "say how those of several assessors become one: {}", "labels", _OF_ASSESSORS
                    ),
                ),
            )
    _refuse_none(path, labels)
    return labels


def _refuse_none(path: str | Path, labels: Labels) -> None:
    if not labels:
        raise RankwiseError(f"{path} must hold judgements, found none")


def _code(path: str | Path, number: int, text: str) -> float:
    try:
        return float("nan" if "_" in text else text)
    except ValueError:
        raise _wrong_label(path, number, text) from None


def _wrong_label(path: str | Path, number: int, found: str) -> FormatError:
    return FormatError(
        f"a label must be a number of at most {_LARGEST_LABEL}, found {found[:40]!r}", path, number
    )
