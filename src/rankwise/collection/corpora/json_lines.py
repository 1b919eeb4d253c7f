"""JSON lines: one document a line, its streams named by the user.

    {"id": "d1", "title": "Wings", "body": "On lift.", "url": "http://a.org/d1",
     "links": ["d2", {"target": "http://a.org/d3", "text": "drag"}], "category": "flight"}

Every field of text but `id`, `url`, `category` is a stream; they may also stand together in an
object `streams`. A number is text, and a list of texts and numbers is them with blanks between. The
words of the URL are the stream `url`, unless `streams` has one. `_id` and `docid` are read as `id`
where it is missing. Other fields and documents without text are named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankwise.collection.corpora.document import (
    LARGEST_DOCUMENT,
    NO_TEXT,
    NOT_TEXT,
    Broken,
    Document,
    Link,
)
from rankwise.collection.corpora.text_files import lines
from rankwise.collection.corpora.urls import LONGEST_URL, bound_url, extract_url_words

_ID_NAMES = ("id", "_id", "docid")
_KINDS = {bool: "true or false", dict: "an object", list: "a list of other things"}
_NOT_STREAMS = frozenset((*_ID_NAMES, "url", "links", "category", "streams"))


def read_json_lines(path: Path) -> Iterator[Document | Broken]:
    """The documents of a file of JSON lines; blank lines are nothing."""
    for number, line in lines(path):
        if line.strip():
            yield from _read(line, f"{path}:{number}")


def _read(line: bytes, where: str) -> Iterator[Document | Broken]:
    if len(line) >= LARGEST_DOCUMENT:
        yield Broken(where, f"a document must have less than {LARGEST_DOCUMENT} bytes")
        return
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        yield Broken(where, f"a line must be one JSON object in UTF-8, found: {error}")
        return
    if not isinstance(record, dict):
        yield Broken(where, f"a line must be a JSON object, found {type(record).__name__}")
        return
    document = _make_document(record, where)
    yield document
    if isinstance(document, Document):
        yield from _report_missing_text(record, document)


def _make_document(record: dict[str, Any], where: str) -> Document | Broken:
    identifier = next((record[name] for name in _ID_NAMES if name in record), None)
    if isinstance(identifier, bool) or not isinstance(identifier, str | int) or identifier == "":
        return Broken(where, "a document must have an 'id' of text or a whole number")
    named = record.get("streams", {})
    if not isinstance(named, dict):
        return Broken(where, "'streams' must be an object of texts by name")
    url, category = bound_url(str(record.get("url") or "")), record.get("category") or ""
    streams = _read_texts(record, _NOT_STREAMS)
    streams |= {"url": extract_url_words(url)} if url else {}
    streams |= _read_texts(named)
    links = _read_links(record.get("links", []))
    if links is None:
        return Broken(where, "'links' must be a list of ids, URLs or {target, text}")
    return Document(str(identifier), streams, url, links, str(category), where)


def _read_texts(fields: dict[str, Any], others: frozenset[str] = frozenset()) -> dict[str, str]:
    read = {name: _read_text(value) for name, value in fields.items() if name not in others}
    return {name: text for name, text in read.items() if text is not None}


def _read_text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, list):
        return None
    parts = [None if isinstance(part, list) else _read_text(part) for part in value]
    texts = [part for part in parts if part is not None]
    return " ".join(texts) if len(texts) == len(parts) else None


def _report_missing_text(record: dict[str, Any], document: Document) -> Iterator[Broken]:
    """What a document loses, or that it has nothing; null is no field."""
    fields = {name: value for name, value in record.items() if name not in _NOT_STREAMS}
    for name, value in {**fields, **record.get("streams", {})}.items():
        if value is not None and _read_text(value) is None:
            reason = "a field must be text, a number or a list of them, found"
            yield Broken(
                document.where, f"{reason} {_KINDS[type(value)]} in {name[:40]!r}", NOT_TEXT
            )
    if not any(text.strip() for text in document.streams.values()):
        yield Broken(
            document.where, f"a document should have text, found none in {document.id!r}", NO_TEXT
        )


def _read_links(found: object) -> tuple[Link, ...] | None:
    if not isinstance(found, list):
        return None
    links = []
    for entry in found:
        if isinstance(entry, str):
            links.append(Link(entry))
        elif isinstance(entry, dict) and isinstance(entry.get("target"), str):
            links.append(Link(entry["target"], str(entry.get("text") or "")))
        else:
            return None
    return tuple(link for link in links if len(link.target) <= LONGEST_URL)
