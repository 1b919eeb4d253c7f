"""WARC files of crawled pages (ISO 28500; ClueWeb, Common Crawl), plain or compressed.

Records of type `response` that hold HTML become documents, named by `WARC-TREC-ID` where there is
one, else by `WARC-Record-ID`. Answers with another status than 200 are counted and left out; other
records are nothing. What stands between records, or behind one whose length is wrong, is named.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rankwise.collection.corpora.document import (
    LARGEST_DOCUMENT,
    NOT_DELIVERED,
    Broken,
    Document,
)
from rankwise.collection.corpora.html import LARGEST_PAGE, make_page_document
from rankwise.collection.corpora.http_answers import Undecodable, find_charset, read_answer
from rankwise.collection.corpora.text_files import decoded
from rankwise.data.formats.decompression import open_bytes

_BEGINNING = b"WARC/"
_LONGEST_HEADER_LINE = 1 << 16
_MOST_HEADER_LINES = 1000
_PIECE = 1 << 20
_SHOWN = 40


class _Gap(NamedTuple):
    """What stands before the next record.

    Attributes:
        parted: whether it begins with the two ends of lines that follow a record.
        stray: the beginning of what is more than ends of lines.
        more: whether there is a next record.
    """

    parted: bool
    stray: bytes
    more: bool


def read_warc(path: Path) -> Iterator[Document | Broken]:
    """The HTML pages of a WARC file; a broken record header ends the file."""
    with open_bytes(path) as stream:
        number = 0
        gap = _read_gap(stream)._replace(parted=True)
        yield from _check_gap(None, gap, str(path))
        while gap.more:
            number += 1
            where = f"{path}, record {number}"
            headers = _record_headers(stream)
            length = headers.get("content-length", "")
            if not (length.isascii() and length.isdecimal() and len(length) < 16):
                yield Broken(where, "a record must have a Content-Length; the rest is left out")
                return
            found = _record(stream, headers, int(length), where)
            gap = _read_gap(stream)
            yield from _check_gap(found, gap, where)


def _read_gap(stream: io.BufferedIOBase) -> _Gap:
    """Read on up to the first line of the next record."""
    blank_lines, stray = 0, b""
    while (line := stream.readline(_LONGEST_HEADER_LINE)) and not line.strip():
        blank_lines += 1
    if not line.startswith(_BEGINNING):
        stray = line.strip()[:_SHOWN]
    while line and not line.startswith(_BEGINNING):
        line = stream.readline(_LONGEST_HEADER_LINE)
    return _Gap(blank_lines >= 2, stray, bool(line))


def _check_gap(
    found: Document | Broken | None, gap: _Gap, where: str
) -> Iterator[Document | Broken]:
    """What a record gives, unless its length is wrong; then what stands behind it."""
    if found is not None and (gap.parted or not gap.stray):
        yield found
    if gap.stray:
        must = "the next record must begin with 'WARC/'"
        if not gap.parted:
            must = "a record must be as long as its Content-Length says and then a line must end"
        found_there = f"found {decoded(gap.stray)!r}; all up to the next record is left out"
        yield Broken(where, f"{must}, {found_there}")


def _record(
    stream: io.BufferedIOBase, headers: dict[str, str], length: int, where: str
) -> Document | Broken | None:
    is_page = _is_page(headers)
    kept = is_page and length <= LARGEST_DOCUMENT
    content = stream.read(length) if kept else b""
    size = len(content) if kept else _skip(stream, length)
    if size < length:
        return Broken(where, f"a record must have its {length} bytes, found {size}")
    if is_page and not kept:
        return Broken(where, f"a record must have at most {LARGEST_DOCUMENT} bytes")
    return _make_page(content, headers, where) if kept else None


def _is_page(headers: dict[str, str]) -> bool:
    """Whether a record is what a web server answered; crawlers keep those of name servers too."""
    kind = headers.get("content-type", "application/http").lower()
    return headers.get("warc-type", "").lower() == "response" and ("http" in kind or "html" in kind)


def _make_page(content: bytes, headers: dict[str, str], where: str) -> Document | Broken | None:
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
    return make_page_document(identifier, url, page, where, find_charset(answer.fields))


def _record_headers(stream: io.BufferedIOBase) -> dict[str, str]:
    """The named fields of a record whose first line has been read."""
    headers: dict[str, str] = {}
    for _ in range(_MOST_HEADER_LINES):
        line = stream.readline(_LONGEST_HEADER_LINE)
        if not line.strip():
            return headers
        name, _, value = line.partition(b":")
        headers[decoded(name).strip().lower()] = decoded(value).strip()
    return headers


def _skip(stream: io.BufferedIOBase, length: int) -> int:
    """Read over so many bytes; how many there were."""
    size = 0
    while size < length and (piece := stream.read(min(length - size, _PIECE))):
        size += len(piece)
    return size
