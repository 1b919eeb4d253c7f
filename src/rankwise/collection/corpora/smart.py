"""SMART's format: records that begin with `.I ID`, fields that begin with `.T`, `.A`, `.W`, `.X` …

Cranfield, CACM, CISI and MEDLINE come in it. The fields become streams: `.T` title, `.A` author,
`.B` source, `.W` abstract, `.K` keywords. `.N` and `.C` are notes and codes and are left out.

`.X` rows are `ID KIND WEIGHT`. In CACM, kind 5 says that one of the two documents cites the other,
without saying which, so these links go both ways; kinds 4 and 6 (bibliographic coupling and
co-citation) are counts derived from citations and are not links.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rankwise.collection.corpora.document import LARGEST_DOCUMENT, Broken, Document, Link
from rankwise.collection.corpora.text_files import decoded, lines

STREAMS = {"T": "title", "A": "author", "B": "source", "W": "abstract", "K": "keywords"}
_CITATION = "5"

Fields = dict[str, str]


def read_smart(path: Path) -> Iterator[Document | Broken]:
    """The documents of a SMART file."""
    for line, identifier, fields in smart_records(path):
        where = f"{path}:{line}"
        if not identifier:
            yield Broken(where, "a record must begin with '.I ID', found no id")
        elif sum(map(len, fields.values())) > LARGEST_DOCUMENT:
            yield Broken(where, f"a document must have at most {LARGEST_DOCUMENT} bytes")
        else:
            streams = {name: fields[key] for key, name in STREAMS.items() if key in fields}
            yield Document(identifier, streams, links=_citations(identifier, fields.get("X", "")))


def smart_records(path: str | Path) -> Iterator[tuple[int, str, Fields]]:
    """First line, id and fields of each record; a field that comes twice is joined."""
    begun = 0
    identifier = ""
    parts: dict[str, list[bytes]] = {}
    field = ""
    for number, line in lines(path):
        if line.startswith(b".I ") or line == b".I":
            if begun:
                yield begun, identifier, _joined(parts)
            begun, identifier, parts, field = number, smart_id(decoded(line[2:])), {}, ""
        elif len(line) in (2, 3) and line[:1] == b"." and line[1:2].isupper():
            field = chr(line[1])
        elif begun:
            parts.setdefault(field, []).append(line)
    if begun:
        yield begun, identifier, _joined(parts)


def smart_id(text: str) -> str:
    """An id without blanks and leading zeros: CACM's judgements call document `.I 1` `01`."""
    stripped = text.strip()
    return stripped.lstrip("0") or "0" if stripped.isdecimal() else stripped


def _joined(parts: dict[str, list[bytes]]) -> Fields:
    return {field: decoded(b"\n".join(texts)) for field, texts in parts.items()}


def _citations(identifier: str, rows: str) -> tuple[Link, ...]:
    cited = (row.split() for row in rows.splitlines())
    targets = (smart_id(row[0]) for row in cited if len(row) == 3 and row[1] == _CITATION)
    return tuple(Link(target) for target in dict.fromkeys(targets) if target != identifier)
