"""SMART's format: records that begin with `.I ID`, fields that begin with `.T`, `.A`, `.W`, `.X` …

Cranfield, CACM, CISI and MEDLINE come in it. The fields become streams: `.T` title, `.A` author,
`.B` source, `.W` abstract, `.K` keywords. `.N` and `.C` are notes and codes and are left out.

Text may stand on the line of its mark, `.T Wings`, for the marks that the format has.

`.X` rows are `OTHER NUMBER OWN`, ids of documents around a number that each collection uses in its
own way. In CACM it is a kind, which its `cite.info` explains: 5 says that one of the two documents
cites the other, without saying which, so these links go both ways; 4 and 6 (bibliographic coupling
and co-citation) are derived from citations and are not links. In CISI it is how often the two are
cited together, which makes no link either. A file is CACM's where no number is another than these.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rankwise.collection.corpora.document import Broken, Document, Link
from rankwise.collection.corpora.text_files import decoded, lines

STREAMS = {"T": "title", "A": "author", "B": "source", "W": "abstract", "K": "keywords"}
_MARKS = b"TABWKXNC"
LARGEST_RECORD = 1 << 24
_KINDS = {"4", "5", "6"}
_CITATION = "5"
_SHOWN = 40


class SmartRecord(NamedTuple):
    """First line, id and fields of a record, and what is wrong with it (empty: nothing)."""

    line: int
    id: str
    fields: dict[str, str]
    problem: str


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
            yield Document(record.id, name_fields(record, STREAMS), links=links, where=where)


def read_smart_records(path: str | Path, marks: bytes = _MARKS) -> Iterator[SmartRecord]:
    """The records of a file; a field that comes twice is joined, a record too large not kept.

    A field begins with a point and a capital letter alone on a line, and with one of `marks` also
    where text follows it. Text before the first record is a record without id, which has a problem,
    as has a record with text before its first field.
    """
    current: _Gathered | None = None
    stray = False
    for number, line in lines(path):
        if line.startswith((b".I ", b".I\t")) or line == b".I":
            if current is not None:
                yield current.record()
            current = _Gathered(number, decoded(line[2:]).strip(), marks)
        elif current is not None:
            current.add(line)
        elif line.strip() and not stray:
            stray = True
            yield SmartRecord(number, "", {}, "text must follow a '.I ID', found some before it")
    if current is not None:
        yield current.record()


def name_fields(record: SmartRecord, names: dict[str, str]) -> dict[str, str]:
    """The fields that are streams, by the names of the streams."""
    return {name: record.fields[key] for key, name in names.items() if key in record.fields}


class _Gathered:
    """A record while its lines come; what is past the largest size is not kept."""

    def __init__(self, line: int, identifier: str, marks: bytes) -> None:
        self._line = line
        self._id = identifier
        self._marks = marks
        self._field = ""
        self._lines: dict[str, list[bytes]] = {}
        self._size = 0

    def add(self, line: bytes) -> None:
        mark = line.rstrip()
        if len(mark) == 2 and mark[:1] == b"." and mark[1:].isupper():
            self._field = chr(line[1])
            return
        if line[:1] == b"." and line[1:2] in self._marks and line[2:3] in (b" ", b"\t"):
            self._field, line = chr(line[1]), line[3:]
        # The line feed counts too: empty lines take memory.
        self._size += len(line) + 1
        if self._size <= LARGEST_RECORD:
            self._lines.setdefault(self._field, []).append(line)

    def record(self) -> SmartRecord:
        fields = {field: decoded(b"\n".join(texts)) for field, texts in self._lines.items()}
        problem = ""
        if self._size > LARGEST_RECORD:
            problem = f"a record must have at most {LARGEST_RECORD} bytes, found {self._size}"
        elif stray := fields.get("", "").strip():
            problem = f"text must follow a mark such as '.T', found {stray[:_SHOWN]!r} before any"
        return SmartRecord(self._line, self._id, fields, problem)


def _has_citations(path: Path) -> bool:
    """Whether the numbers of all `.X` rows are CACM's kinds; reading ends at the first other."""
    return all(
        number in _KINDS for record in read_smart_records(path) for _, number, _ in _rows(record)
    )


def _read_citations(record: SmartRecord) -> tuple[Link, ...]:
    cited = dict.fromkeys(other for other, number, _ in _rows(record) if number == _CITATION)
    return tuple(Link(target) for target in cited if target != record.id)


def _rows(record: SmartRecord) -> Iterator[list[str]]:
    rows = (row.split() for row in record.fields.get("X", "").splitlines())
    return (row for row in rows if len(row) == 3)
