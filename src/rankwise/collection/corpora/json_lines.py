"""JSON lines: one document a line, its streams named by the user.

    {"id": "d1", "title": "Wings", "body": "On lift.", "url": "http://a.org/d1",
     "links": ["d2", {"target": "http://a.org/d3", "text": "drag"}], "category": "flight"}

Every field of text but `id`, `url`, `category` is a stream; they may also stand together in an
object `streams`. The words of the URL are the stream `url`, unless `streams` has one. `_id` and
`docid` are read as `id` where it is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankwise.collection.corpora.document import LARGEST_DOCUMENT, Broken, Document, Link
from rankwise.collection.corpora.text_files import lines
from rankwise.collection.corpora.urls import LONGEST_URL, bounded, url_words

_ID_NAMES = ("id", "_id", "docid")
_NOT_STREAMS = frozenset((*_ID_NAMES, "url", "links", "category", "streams"))


def read_json_lines(path: Path) -> Iterator[Document | Broken]:
    """The documents of a file of JSON lines; blank lines are nothing."""
    for number, line in lines(path):
        if line.strip():
            yield _document(line, f"{path}:{number}")


def _document(line: bytes, where: str) -> Document | Broken:
    if len(line) >= LARGEST_DOCUMENT:
        return Broken(where, f"a document must have less than {LARGEST_DOCUMENT} bytes")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Broken(where, f"a line must be one JSON object in UTF-8, found: {error}")
    if not isinstance(record, dict):
        return Broken(where, f"a line must be a JSON object, found {type(record).__name__}")
    return _from_record(record, where)


def _from_record(record: dict[str, Any], where: str) -> Document | Broken:
    identifier = next((record[name] for name in _ID_NAMES if name in record), None)
    if isinstance(identifier, bool) or not isinstance(identifier, str | int) or identifier == "":
        return Broken(where, "a document must have an 'id' of text or a whole number")
    named = record.get("streams", {})
    if not isinstance(named, dict):
        return Broken(where, "'streams' must be an object of texts by name")
    url, category = bounded(str(record.get("url") or "")), record.get("category") or ""
    streams = {n: t for n, t in record.items() if isinstance(t, str) and n not in _NOT_STREAMS}
    streams |= {"url": url_words(url)} if url else {}
    streams |= {n: t for n, t in named.items() if isinstance(t, str)}
    links = _links(record.get("links", []))
    if links is None:
        return Broken(where, "'links' must be a list of ids, URLs or {target, text}")
    return Document(str(identifier), streams, url, links, str(category), where)


def _links(found: object) -> tuple[Link, ...] | None:
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
