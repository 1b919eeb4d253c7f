"""Read the classical collections: SMART's format, OHSUMED, TIME and NPL.

**SMART**: records that begin with `.I ID`, fields that begin with `.T`, `.A`, `.W`, `.X` …
Cranfield, CACM, CISI and MEDLINE come in it. The fields become streams: `.T` title, `.A` author,
`.B` source, `.W` abstract, `.K` keywords. `.N` and `.C` are notes and codes and are left out. Text
may stand on the line of its mark, `.T Wings`, for the marks that the format has.

`.X` rows are `OTHER NUMBER OWN`, ids of documents around a number that each collection uses in its
own way. In CACM it is a kind, which its `cite.info` explains: 5 says that one of the two documents
cites the other, without saying which, so these links go both ways; 4 and 6 (bibliographic coupling
and co-citation) are derived from citations and are not links. In CISI it is how often the two are
cited together, which makes no link either. A file is CACM's where no number is another than these.

**OHSUMED**: SMART-like records of MEDLINE references (Hersh et al. 1994). `.I` is a running number
and `.U` the MEDLINE identifier, which the judgements of TREC-9 name; `.T` is the title, `.W` the
abstract, `.A` the authors, `.M` the MeSH terms, `.S` the source; `.P`, the kind of publication, is
left out.

**TIME**: articles of TIME magazine of 1963, as SMART's group distributed them.

    *TEXT 017 01/04/63 PAGE 020      a document, to the next *TEXT or *STOP
    *FIND      1                     a query
    1  268 288 304                   judgements: a query and the places of its relevant documents

The numbers after `*TEXT` have gaps and judgements do not use them: a document is called by its
place in the file, from 1, which is also its id here. Judgements name each query once.

**NPL**: numbered texts that end with a line of `/`.

    1                                    the number
    compact memories have flexible       the text
    capacities
       /                                 the end

Documents (titles and abstracts of physics in one text) and queries are stored so, and judgements
too, where the text is the numbers of the relevant documents (Vaswani and Cameron, The National
Physical Laboratory experiments in statistical word associations, 1970).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rankwise.collection.corpora.document import Broken, Document, Link
from rankwise.collection.corpora.text_files import decoded, lines
from rankwise.errors import FormatError

SMART_STREAMS = {"T": "title", "A": "author", "B": "source", "W": "abstract", "K": "keywords"}
_SMART_MARKS = b"TABWKXNC"
LARGEST_RECORD = 1 << 24
_CITATION_KINDS = {"4", "5", "6"}
_CITATION = "5"
_EXCERPT = 40


class TextRecord(NamedTuple):
    """First line, id and fields of a record, and what is wrong with it (empty: nothing).

    What stands before any mark of a field, in TIME and NPL all of it, is the field without a name.
    """

    line: int
    id: str
    fields: dict[str, str]
    problem: str

    @property
    def text(self) -> str:
        """What stands before any mark of a field."""
        return self.fields.get("", "").strip()


class _GatheredRecord:
    """A record while its lines come; what is past the largest size is not kept.

    Without `marks` the record has no fields, and all of it is text.
    """

    def __init__(self, line: int, identifier: str, marks: bytes | None = None) -> None:
        self._line = line
        self._id = identifier
        self._marks = marks
        self._field = ""
        self._lines: dict[str, list[bytes]] = {}
        self._size = 0

    def add(self, line: bytes) -> None:
        if self._marks is not None and line[:1] == b".":
            mark = line.rstrip()
            if len(mark) == 2 and mark[1:].isupper():
                self._field = chr(line[1])
                return
            if line[1:2] in self._marks and line[2:3] in (b" ", b"\t"):
                self._field, line = chr(line[1]), line[3:]
        # The line feed counts too: empty lines take memory.
        self._size += len(line) + 1
        if self._size <= LARGEST_RECORD:
            self._lines.setdefault(self._field, []).append(line)

    def record(self, problem: str = "") -> TextRecord:
        fields = {field: decoded(b"\n".join(texts)) for field, texts in self._lines.items()}
        found = TextRecord(self._line, self._id, fields, problem)
        if self._size > LARGEST_RECORD:
            problem = f"a record must have at most {LARGEST_RECORD} bytes, found {self._size}"
        elif self._marks is not None and found.text:
            stray = found.text[:_EXCERPT]
            problem = f"text must follow a mark such as '.T', found {stray!r} before any"
        return found._replace(problem=problem)


def read_smart(path: Path) -> Iterator[Document | Broken]:
    """The documents of a SMART file."""
    has_citations: bool | None = None
    for record in read_smart_records(path):
        where = f"{path}:{record.line}"
        if has_citations is None and record.fields.get("X"):
            has_citations = _has_citations(path)
        if record.problem or not record.id:
            yield Broken(where, record.problem or "a record must begin with '.I ID', found no id")
        else:
            links = _read_citations(record) if has_citations else ()
            yield Document(record.id, name_fields(record, SMART_STREAMS), links=links, where=where)


def read_smart_records(path: str | Path, marks: bytes = _SMART_MARKS) -> Iterator[TextRecord]:
    """The records of a file; a field that comes twice is joined, a record too large not kept.

    A field begins with a point and a capital letter alone on a line, and with one of `marks` also
    where text follows it. Text before the first record is a record without id, which has a problem,
    as has a record with text before its first field.
    """
    current: _GatheredRecord | None = None
    stray = False
    for number, line in lines(path):
        if line.startswith((b".I ", b".I\t")) or line == b".I":
            if current is not None:
                yield current.record()
            current = _GatheredRecord(number, decoded(line[2:]).strip(), marks)
        elif current is not None:
            current.add(line)
        elif line.strip() and not stray:
            stray = True
            yield TextRecord(number, "", {}, "text must follow a '.I ID', found some before it")
    if current is not None:
        yield current.record()


def name_fields(record: TextRecord, names: dict[str, str]) -> dict[str, str]:
    """The fields that are streams, by the names of the streams."""
    return {name: record.fields[key] for key, name in names.items() if key in record.fields}


def _has_citations(path: Path) -> bool:
    """Whether the numbers of all `.X` rows are CACM's kinds; reading ends at the first other."""
    return all(
        number in _CITATION_KINDS
        for record in read_smart_records(path)
        for _, number, _ in _read_citation_rows(record)
    )


def _read_citations(record: TextRecord) -> tuple[Link, ...]:
    cited = dict.fromkeys(
        other for other, number, _ in _read_citation_rows(record) if number == _CITATION
    )
    return tuple(Link(target) for target in cited if target != record.id)


def _read_citation_rows(record: TextRecord) -> Iterator[list[str]]:
    rows = (row.split() for row in record.fields.get("X", "").splitlines())
    return (row for row in rows if len(row) == 3)


OHSUMED_STREAMS = {"T": "title", "W": "abstract", "A": "author", "M": "mesh", "S": "source"}
_OHSUMED_MARKS = b"UTWAMSP"


def read_ohsumed(path: Path) -> Iterator[Document | Broken]:
    """The references of a file, named by `.U`; by `.I` where a reference has no `.U`."""
    for record in read_smart_records(path, _OHSUMED_MARKS):
        where = f"{path}:{record.line}"
        identifier = record.fields.get("U", "").strip() or record.id
        if record.problem or not identifier:
            nameless = "a reference must have '.I' or '.U', found neither"
            yield Broken(where, record.problem or nameless)
        else:
            yield Document(identifier, name_fields(record, OHSUMED_STREAMS), where=where)


TIME_DOCUMENT_MARK, TIME_QUERY_MARK, _TIME_END = b"*TEXT", b"*FIND", b"*STOP"


def read_time(path: Path) -> Iterator[Document | Broken]:
    """The articles of a file, named by their places in it."""
    place = 0
    for record in _read_time_records(path, TIME_DOCUMENT_MARK):
        where = f"{path}:{record.line}"
        if record.line and not record.problem.startswith(_STRAY_TEXT):
            place += 1
        if record.problem:
            yield Broken(where, record.problem)
        else:
            yield Document(str(place), {"body": record.text}, where=where)


def read_time_queries(path: str | Path) -> Iterator[TextRecord]:
    """The queries of a file, named by the numbers after `*FIND`."""
    for record in _read_time_records(path, TIME_QUERY_MARK):
        name = record.id.split()[0] if record.id.split() else ""
        nameless = "" if name else "a query must begin with '*FIND number', found no number"
        yield record._replace(id=name, problem=record.problem or nameless)


def read_time_judgements(path: str | Path) -> Iterator[tuple[int, str, str]]:
    """Line, query and document of every judgement."""
    for number, line in lines(path):
        query, *places = decoded(line).split() or [""]
        wrong = next((word for word in places if not _is_document_place(word)), None)
        if wrong is not None:
            raise FormatError(
                f"a row must be a query and places of documents, whole numbers from 1, "
                f"found {wrong[:_EXCERPT]!r}",
                path,
                number,
            )
        for place in places:
            yield number, query, place.lstrip("0")


def is_time_judgements(rows: list[list[str]]) -> bool:
    """Whether rows of columns name each query once, with differently many places of documents."""
    return (
        len({len(row) for row in rows}) > 1
        and len({row[0] for row in rows}) == len(rows)
        and all(_is_document_place(word) for row in rows for word in row)
    )


_STRAY_TEXT = "text must follow a"


def _read_time_records(path: str | Path, mark: bytes) -> Iterator[TextRecord]:
    """What stands between a mark and the next; text before the first one has a problem."""
    current: _GatheredRecord | None = None
    ended, stray = False, False
    for number, line in lines(path):
        if line.startswith(mark) and line[len(mark) :][:1] in (b" ", b"\t", b""):
            if current is not None:
                yield current.record()
            current, ended = _GatheredRecord(number, decoded(line[len(mark) :]).strip()), False
        elif line.rstrip() == _TIME_END:
            ended = True
        elif current is not None and not ended:
            current.add(line)
        elif line.strip() and not stray:
            stray = True
            problem = f"{_STRAY_TEXT} '{mark.decode()}', found some that does not"
            yield TextRecord(number, "", {}, problem)
    if current is not None:
        yield current.record()


def _is_document_place(word: str) -> bool:
    return word.isascii() and word.isdecimal() and word.strip("0") != "" and len(word) <= 18


NPL_BEGINNING = re.compile(rb"\s*[0-9]{1,18}[ \t]*\r?\n(?:.*\n)*?[ \t]*/[ \t]*(?:\r?\n|$)")
"""What such a file begins with: a number alone on its line, and an end below it."""
_NPL_END = b"/"


def read_npl(path: Path) -> Iterator[Document | Broken]:
    """The documents of a file."""
    for record in read_npl_records(path):
        where = f"{path}:{record.line}"
        if record.problem:
            yield Broken(where, record.problem)
        else:
            yield Document(record.id, {"body": record.text}, where=where)


def read_npl_records(path: str | Path) -> Iterator[TextRecord]:
    """The numbered texts of a file; one without a number or without an end has a problem."""
    current: _GatheredRecord | None = None
    problem = ""
    for number, line in lines(path):
        content = line.strip()
        if content == _NPL_END:
            if current is not None:
                yield current.record(problem)
            current = None
        elif current is not None:
            current.add(line)
        elif content:
            digits = content.isdigit() and len(content) <= 18
            found = decoded(content[:_EXCERPT])
            problem = "" if digits else f"a text must begin with its number, found {found!r}"
            current = _GatheredRecord(number, str(int(content)) if digits else "")
    if current is not None:
        yield current.record(problem or "a text must end with a line of '/', found the file's end")


def read_npl_judgements(path: str | Path) -> Iterator[tuple[int, str, str]]:
    """Line, query and document of every judgement."""
    for record in read_npl_records(path):
        words = record.text.split()
        wrong = next((word for word in words if not word.isdecimal()), None)
        problem = record.problem or (
            f"documents must be numbers, found {wrong[:_EXCERPT]!r}" if wrong is not None else ""
        )
        if problem:
            raise FormatError(problem, path, record.line)
        for word in words:
            yield record.line, record.id, word.lstrip("0") or "0"
