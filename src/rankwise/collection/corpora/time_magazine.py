"""The TIME collection: articles of TIME magazine of 1963, as SMART's group distributed them.

    *TEXT 017 01/04/63 PAGE 020      a document, to the next *TEXT or *STOP
    *FIND      1                     a query
    1  268 288 304                   judgements: a query and the places of its relevant documents

The numbers after `*TEXT` have gaps and judgements do not use them: a document is called by its
place in the file, from 1, which is also its id here. Judgements name each query once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rankwise.collection.corpora.document import Broken, Document
from rankwise.collection.corpora.text_files import decoded, lines
from rankwise.collection.corpora.text_records import GatheredText, TextRecord
from rankwise.errors import FormatError

DOCUMENT_MARK, QUERY_MARK, _END = b"*TEXT", b"*FIND", b"*STOP"


def read_time(path: Path) -> Iterator[Document | Broken]:
    """The articles of a file, named by their places in it."""
    place = 0
    for record in _read_records(path, DOCUMENT_MARK):
        where = f"{path}:{record.line}"
        if record.line and not record.problem.startswith(_STRAY):
            place += 1
        if record.problem:
            yield Broken(where, record.problem)
        else:
            yield Document(str(place), {"body": record.text}, where=where)


def read_time_queries(path: str | Path) -> Iterator[TextRecord]:
    """The queries of a file, named by the numbers after `*FIND`."""
    for record in _read_records(path, QUERY_MARK):
        name = record.id.split()[0] if record.id.split() else ""
        nameless = "" if name else "a query must begin with '*FIND number', found no number"
        yield record._replace(id=name, problem=record.problem or nameless)


def read_time_judgements(path: str | Path) -> Iterator[tuple[int, str, str]]:
    """Line, query and document of every judgement."""
    for number, line in lines(path):
        query, *places = decoded(line).split() or [""]
        wrong = next((word for word in places if not _is_place(word)), None)
        if wrong is not None:
            raise FormatError(
                f"a row must be a query and places of documents, whole numbers from 1, "
                f"found {wrong[:40]!r}",
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
        and all(_is_place(word) for row in rows for word in row)
    )


_STRAY = "text must follow a"


def _read_records(path: str | Path, mark: bytes) -> Iterator[TextRecord]:
    """What stands between a mark and the next; text before the first one has a problem."""
    current: GatheredText | None = None
    ended, stray = False, False
    for number, line in lines(path):
        if line.startswith(mark) and line[len(mark) :][:1] in (b" ", b"\t", b""):
            if current is not None:
                yield current.record()
            current, ended = GatheredText(number, decoded(line[len(mark) :]).strip()), False
        elif line.rstrip() == _END:
            ended = True
        elif current is not None and not ended:
            current.add(line)
        elif line.strip() and not stray:
            stray = True
            problem = f"{_STRAY} '{mark.decode()}', found some that does not"
            yield TextRecord(number, "", "", problem)
    if current is not None:
        yield current.record()


def _is_place(word: str) -> bool:
    return word.isascii() and word.isdecimal() and word.strip("0") != "" and len(word) <= 18
