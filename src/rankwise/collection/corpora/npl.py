"""The format of the NPL collection: numbered texts that end with a line of `/`.

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

from rankwise.collection.corpora.document import Broken, Document
from rankwise.collection.corpora.text_files import decoded, lines
from rankwise.collection.corpora.text_records import GatheredText, TextRecord
from rankwise.errors import FormatError

BEGINNING = re.compile(rb"\s*[0-9]{1,18}[ \t]*\r?\n(?:.*\n)*?[ \t]*/[ \t]*(?:\r?\n|$)")
"""What such a file begins with: a number alone on its line, and an end below it."""
_END = b"/"


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
    current: GatheredText | None = None
    problem = ""
    for number, line in lines(path):
        content = line.strip()
        if content == _END:
            if current is not None:
                yield current.record(problem)
            current = None
        elif current is not None:
            current.add(line)
        elif content:
            digits = content.isdigit() and len(content) <= 18
            found = decoded(content[:40])
            problem = "" if digits else f"a text must begin with its number, found {found!r}"
            current = GatheredText(number, str(int(content)) if digits else "")
    if current is not None:
        yield current.record(problem or "a text must end with a line of '/', found the file's end")


def read_npl_judgements(path: str | Path) -> Iterator[tuple[int, str, str]]:
    """Line, query and document of every judgement."""
    for record in read_npl_records(path):
        words = record.text.split()
        wrong = next((word for word in words if not word.isdecimal()), None)
        problem = record.problem or (
            f"documents must be numbers, found {wrong[:40]!r}" if wrong is not None else ""
        )
        if problem:
            raise FormatError(problem, path, record.line)
        for word in words:
            yield record.line, record.id, word.lstrip("0") or "0"
