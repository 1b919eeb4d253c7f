"""Read judgements: TREC qrels, SMART relations, TIME's, NPL's, plain columns, or of tools.

Plain columns are `query document label`.

SMART relations list relevant documents, `query document`. CACM's rows are `query document 0 0`,
CISI's `query document 0 0.000000`;
Cranfield's are `query document code` with Cleverdon's codes, where 1 is a complete answer and 4 of
least interest, so that taking the code for a label would turn relevance upside down.

Judgement lists of RankLib and of plug-ins around it are `grade qid:ID # document`.

Quepid exports comma-separated tables with a header, whose queries are texts. A case is exported
with a column for the rating, `query,docid,rating`, or in detail with further columns, `Query Text`,
`Doc ID`, `Rating`; a book with a column for each judge. An empty cell is no judgement.

A document may have a row for each of several assessors. A rule makes one label of theirs, and the
data card says how far they agree.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from math import comb, fsum
from pathlib import Path
from typing import NamedTuple

from rankwise.arguments import check_choice
from rankwise.collection.corpora.classical import (
    is_time_judgements,
    read_npl_judgements,
    read_time_judgements,
)
from rankwise.collection.corpora.text_files import decoded, lines
from rankwise.data.formats.trec import ColumnLayout, read_columns
from rankwise.errors import Advice, FormatError, RankwiseError

LabelOf = Callable[[float], float]
Labels = dict[str, dict[str, float]]


def _take_as_is(code: float) -> float:
    return max(code, 0)


LABEL_RULES: dict[str, tuple[str, LabelOf]] = {
    "as-is": ("the number of the file; negative ones are 0", _take_as_is),
    "binary": ("1 for positive numbers, else 0", lambda code: int(code > 0)),
    "cleverdon": (
        "Cranfield's codes turned round: 1 is 4, 2 is 3, 3 is 2, 4 is 1, others (5, −1) are 0",
        lambda code: 5 - code if 1 <= code <= 4 else 0,
    ),
    "mean": ("of several assessors, the mean of their numbers", _take_as_is),
    "majority": (
        "of several assessors, the number most of them gave, the lower of equals",
        _take_as_is,
    ),
    "max": ("of several assessors, the largest of their numbers", _take_as_is),
    "assessor=N": (
        "the numbers of one assessor, by name, or as the file has them, from 1",
        _take_as_is,
    ),
}
_OF_ASSESSORS = ("mean", "majority", "max", "assessor=N")
_ZERO = re.compile(r"0+(\.0*)?")
_LARGEST_LABEL = 1000
_TREC = ColumnLayout(("query", "iteration", "document", "label"), "label")
_PLAIN = ColumnLayout(("query", "document", "label"), "label")
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
    check_choice("a judgement format", format_name, ("auto", *JUDGEMENT_FORMATS), verb="is")
    chosen = _detect_format(path) if format_name == "auto" else format_name
    read, usual_rule = JUDGEMENT_FORMATS[chosen]
    rule = rule or usual_rule
    word, equals, assessor = rule.partition("=")
    kind = f"{word}=N" if equals else word
    if kind not in LABEL_RULES or (equals and not assessor):
        raise RankwiseError(f"a label rule is one of {', '.join(LABEL_RULES)}, found {rule!r}")
    label_of = LABEL_RULES[kind][1]
    if kind not in _OF_ASSESSORS:
        return Judgements(_make_labels(path, _read_rows(path, read), label_of), chosen, rule)
    votes: Votes = {}
    for row in _read_rows(path, _read_iteration_rows if chosen == "trec" else read):
        votes.setdefault(row.query, {}).setdefault(row.document, []).append(
            (row.assessor, row.code)
        )
    labels = {
        query: {document: label_of(code) for document, code in found.items()}
        for query, found in combine_votes(votes, word, assessor, path).items()
    }
    _refuse_no_labels(path, labels)
    return Judgements(labels, chosen, rule, describe_agreement(votes))


def _read_rows(path: str | Path, read: ReadRows) -> Iterator[JudgementRow]:
    for row in read(path):
        if not abs(row.code) <= _LARGEST_LABEL:
            raise _make_label_error(path, row.line, f"{row.code:g}")
        yield row


def _detect_format(path: str | Path) -> str:
    """Two columns are SMART's, three plain ones, four TREC's unless the last two are all 0.

    Ends of texts are NPL's, and rows of differently many numbers, each query once, TIME's. RankLib
    names queries by `qid:`, Quepid writes a header.
    """
    if is_quepid(path):
        return "quepid"
    first = [columns for _, columns in islice(_read_columns_of_lines(path), 1000)]
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


def _read_columns_of_lines(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines(path):
        columns = decoded(line).split()
        if columns:
            yield number, columns


def _read_layout_rows(path: str | Path, layout: ColumnLayout) -> Iterator[JudgementRow]:
    for run in read_columns(path, layout, decoded).runs():
        for document, code, line in zip(run.documents, run.numbers, run.lines, strict=True):
            yield JudgementRow(int(line), run.query, document, code)


def _read_iteration_rows(path: str | Path) -> Iterator[JudgementRow]:
    """TREC's rows, whose second column is the assessor; they were read once without it."""
    rows = _read_layout_rows(path, _TREC)
    for row, (_, columns) in zip(rows, _read_columns_of_lines(path), strict=True):
        yield row._replace(assessor=columns[1])


def _list_relevant(rows: Iterable[tuple[int, str, str]]) -> Iterator[JudgementRow]:
    """Rows of formats that name the relevant documents only."""
    return (JudgementRow(*row, 1) for row in rows)


def _read_smart_rows(path: str | Path) -> Iterator[JudgementRow]:
    for number, columns in _read_columns_of_lines(path):
        if len(columns) not in (2, 3, 4):
            raise FormatError(
                f"a row of smart judgements must have 2 or 3 or 4 columns, found {len(columns)}",
                path,
                number,
            )
        code = _parse_code(path, number, columns[2]) if len(columns) == 3 else 1
        yield JudgementRow(number, columns[0], columns[1], code)


def _read_ranklib_rows(path: str | Path) -> Iterator[JudgementRow]:
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
            number, found["query"], found["document"], _parse_code(path, number, found["code"])
        )


def _make_labels(path: str | Path, rows: Iterable[JudgementRow], label_of: LabelOf) -> Labels:
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
    _refuse_no_labels(path, labels)
    return labels


def _refuse_no_labels(path: str | Path, labels: Labels) -> None:
    if not labels:
        raise RankwiseError(f"{path} must hold judgements, found none")


def _parse_code(path: str | Path, number: int, text: str) -> float:
    try:
        return float("nan" if "_" in text else text)
    except ValueError:
        raise _make_label_error(path, number, text) from None


def _make_label_error(path: str | Path, number: int, found: str) -> FormatError:
    return FormatError(
        f"a label must be a number of at most {_LARGEST_LABEL}, found {found[:40]!r}", path, number
    )


Votes = dict[str, dict[str, list[tuple[str, float]]]]
"""By query and document the assessors, who may all be called the same, and their labels."""

_MOST_NAMES = 6


def combine_votes(
    votes: Votes, rule: str, assessor: str, path: str | Path
) -> dict[str, dict[str, float]]:
    """One label for each document: the `mean`, `majority` or `max`, or that of one `assessor`.

    Where assessors have no names of their own, they are called 1, 2, … in the order of their rows.
    A document that the assessor did not judge has no label.
    """
    if rule == "assessor":
        return _choose_assessor(votes, assessor, path)
    ways: dict[str, Callable[[list[float]], float]] = {
        "mean": _average_votes,
        "majority": _take_majority,
        "max": max,
    }
    return {
        query: {
            document: ways[rule]([code for _, code in given]) for document, given in found.items()
        }
        for query, found in votes.items()
    }


def describe_agreement(votes: Votes) -> dict[str, object]:
    """What a data card says: how many assessors, documents with several labels, and agreement.

    The agreement is the share of pairs of labels of one document that are equal, a, and kappa is
    (a − e) / (1 − e), where e is the share that labels drawn from all of these would have (Fleiss,
    1971, Measuring nominal scale agreement among many raters). Without such pairs there is neither.
    """
    several = [
        [code for _, code in given] for given in _list_votes_by_document(votes) if len(given) > 1
    ]
    facts: dict[str, object] = {
        "assessors": len(_list_assessors(votes)),
        "documents_with_several": len(several),
    }
    if not several:
        return facts
    shares = [
        sum(comb(count, 2) for count in Counter(codes).values()) / comb(len(codes), 2)
        for codes in several
    ]
    agreement = fsum(shares) / len(shares)
    counts = Counter(chain.from_iterable(several))
    expected = fsum((count / counts.total()) ** 2 for count in counts.values())
    kappa = None if len(counts) == 1 else round((agreement - expected) / (1 - expected), 6)
    return {**facts, "agreement": round(agreement, 6), "kappa": kappa}


def _average_votes(codes: list[float]) -> float:
    return fsum(codes) / len(codes)


def _take_majority(codes: list[float]) -> float:
    counts = Counter(codes)
    most = max(counts.values())
    return min(code for code, count in counts.items() if count == most)


def _choose_assessor(votes: Votes, assessor: str, path: str | Path) -> dict[str, dict[str, float]]:
    named = _assessors_have_names(votes)
    labels: dict[str, dict[str, float]] = {}
    for query, found in votes.items():
        for document, given in found.items():
            for number, (name, code) in enumerate(given, 1):
                if (name if named else str(number)) == assessor:
                    labels.setdefault(query, {})[document] = code
    if not labels:
        names = _list_assessors(votes)
        more = ", …" if len(names) > _MOST_NAMES else ""
        raise RankwiseError(
            f"{path}: the assessor must be one of {', '.join(names[:_MOST_NAMES])}{more}, found "
            f"{assessor!r}"
        )
    return labels


def _list_votes_by_document(votes: Votes) -> Iterator[list[tuple[str, float]]]:
    return chain.from_iterable(found.values() for found in votes.values())


def _assessors_have_names(votes: Votes) -> bool:
    """Whether each label of a document has another assessor, and not all have the same."""
    names = {name for given in _list_votes_by_document(votes) for name, _ in given}
    apart = all(
        len({name for name, _ in given}) == len(given) for given in _list_votes_by_document(votes)
    )
    return apart and len(names) > 1


def _list_assessors(votes: Votes) -> list[str]:
    if _assessors_have_names(votes):
        return sorted({name for given in _list_votes_by_document(votes) for name, _ in given})
    most = max(map(len, _list_votes_by_document(votes)), default=0)
    return [str(number) for number in range(1, most + 1)]


_QUEPID_QUERY, _QUEPID_DOCUMENT, _QUEPID_RATING = ("query", "querytext"), ("docid",), ("rating",)


def is_quepid(path: str | Path) -> bool:
    """Whether a file begins with the header of such a table."""
    for _, line in lines(path):
        if line.strip():
            header = next(csv.reader([decoded(line)]), [])
            columns = [_strip_column_name(name) for name in header]
            return (
                _find_column(columns, _QUEPID_QUERY) is not None
                and _find_column(columns, _QUEPID_DOCUMENT) is not None
            )
    return False


def read_quepid(path: str | Path) -> Iterator[JudgementRow]:
    """The judgements of a table, judge by judge where it has a column for each."""
    texts = (decoded(line) + "\n" for _, line in lines(path))
    reader = csv.reader(texts, strict=True)
    try:
        header = next(reader, [])
        columns = [_strip_column_name(name) for name in header]
        query, document = (
            _find_column(columns, _QUEPID_QUERY),
            _find_column(columns, _QUEPID_DOCUMENT),
        )
        if query is None or document is None:
            raise FormatError(
                "the header must name the columns query and docid, divided by commas, found "
                f"{','.join(header)[:60]!r}",
                path,
                1,
            )
        rating = _find_column(columns, _QUEPID_RATING)
        # Without a rating every other column is a judge.
        rated = [n for n in range(len(header)) if n not in (query, document)]
        judges = {n: header[n].strip() for n in rated} if rating is None else {rating: ""}
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise FormatError(
                    f"every row must have the header's {len(header)} cells, found {len(cells)}",
                    path,
                    reader.line_num,
                )
            for place, judge in judges.items():
                if cell := cells[place].strip():
                    text = " ".join(cells[query].split())
                    number = _parse_rating(cell, path, reader.line_num)
                    named = cells[document].strip()
                    yield JudgementRow(reader.line_num, text, named, number, judge)
    except csv.Error as error:
        raise FormatError(f"the file must be a table ({error})", path, reader.line_num) from error


def _strip_column_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _find_column(columns: list[str], names: tuple[str, ...]) -> int | None:
    return next((place for place, name in enumerate(columns) if name in names), None)


def _parse_rating(cell: str, path: str | Path, line: int) -> float:
    try:
        return float("nan" if "_" in cell else cell)
    except ValueError:
        raise FormatError(f"a rating must be a number, found {cell[:40]!r}", path, line) from None


ReadRows = Callable[[str | Path], Iterator[JudgementRow]]

JUDGEMENT_FORMATS: dict[str, tuple[ReadRows, str]] = {
    "trec": (lambda path: _read_layout_rows(path, _TREC), "as-is"),
    "smart": (_read_smart_rows, "binary"),
    "columns": (lambda path: _read_layout_rows(path, _PLAIN), "as-is"),
    "time": (lambda path: _list_relevant(read_time_judgements(path)), "binary"),
    "npl": (lambda path: _list_relevant(read_npl_judgements(path)), "binary"),
    "ranklib": (_read_ranklib_rows, "as-is"),
    "quepid": (read_quepid, "as-is"),
}
"""How each format is read, and the rule by which its numbers become labels where none is named."""
