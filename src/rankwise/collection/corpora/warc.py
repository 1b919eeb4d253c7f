"""WARC files of crawled pages (ISO 28500; ClueWeb, Common Crawl), plain or compressed.

Records of type `response` that hold HTML become documents, named by `WARC-TREC-ID` where there is
one, else by `WARC-Record-ID`. Answers with another status than 200 are counted and left out; other
records are nothing.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from rankwise.collection.corpora.document import (
    LARGEST_DOCUMENT,
    NOT_DELIVERED,
    Broken,
    Document,
)
from rankwise.collection.corpora.html import LARGEST_PAGE, page_document
from rankwise.collection.corpora.http_answers import Undecodable, content_charset, read_answer
from rankwise.collection.corpora.text_files import decoded, open_bytes

_LONGEST_HEADER_LINE = 1 << 16
_MOST_HEADER_LINES = 1000
_PIECE = 1 << 20


def read_warc(path: Path) -> Iterator[Document | Broken]:
    """The HTML pages of a WARC file; a broken record header ends the file."""
    with open_bytes(path) as stream:
        number = 0
        while (headers := _record_headers(stream)) is not None:
            number += 1
            where = f"{path}, record {number}"
            length = headers.get("content-length", "")
            if not (length.isascii() and length.isdecimal() and len(length) < 16):
                yield Broken(where, "a record must have a Content-Length; the rest is left out")
                return
            found = _record(stream, headers, int(length), where)
            if found is not None:
                yield found


def _record(
    stream: io.BufferedIOBase, headers: dict[str, str], length: int, where: str
) -> Document | Broken | None:
    if not _may_be_page(headers):
        _skip(stream, length)
        return None
    if length > LARGEST_DOCUMENT:
        _skip(stream, length)
        return Broken(where, f"a record must have at most {LARGEST_DOCUMENT} bytes")
    content = stream.read(length)
    if len(content) < length:
        return Broken(where, f"a record must have its {length} bytes, found {len(content)}")
    return _page(content, headers, where)


def _may_be_page(headers: dict[str, str]) -> bool:
    """Whether a record is what a web server answered; crawlers keep those of name servers too."""
    kind = headers.get("content-type", "application/http").lower()
    return headers.get("warc-type", "").lower() == "response" and ("http" in kind or "html" in kind)


def _page(content: bytes, headers: dict[str, str], where: str) -> Document | Broken | None:
    answer = read_answer(content)
    if "html" not in answer.fields.get("content-type", "html").lower():
        return None
    if answer.status != 200:
        return Broken(where, f"a page has the status 200, found {answer.status}", NOT_DELIVERED)
    identifier = headers.get("warc-trec-id") or headers.get("warc-record-id", "").strip("<>")
    if not identifier:
        return Broken(where, "a page must have a WARC-TREC-ID or WARC-Record-ID, found neither")
    try:
        page = answer.page(LARGEST_PAGE + 1)
    except Undecodable as error:
        return Broken(where, str(error))
    url = headers.get("warc-target-uri", "").strip("<>")
    return page_document(identifier, url, page, where, content_charset(answer.fields))


def _record_headers(stream: io.BufferedIOBase) -> dict[str, str] | None:
    """The named fields of the next record; None at the end of the file."""
    line = stream.readline(_LONGEST_HEADER_LINE)
    while line and not line.startswith(b"WARC/"):
        line = stream.readline(_LONGEST_HEADER_LINE)
    if not line:
        return None
    headers: dict[str, str] = {}
    for _ in range(_MOST_HEADER_LINES):
        line = stream.readline(_LONGEST_HEADER_LINE)
        if not line.strip():
            return headers
        name, _, value = line.partition(b":")
        headers[decoded(name).strip().lower()] = decoded(value).strip()
    return headers


def _skip(stream: io.BufferedIOBase, length: int) -> None:
    while length > 0:
        piece = stream.read(min(length, _PIECE))
        if not piece:
            return
        length -= len(piece)
