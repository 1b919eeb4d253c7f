"""Read WARC files of crawled pages (ISO 28500; ClueWeb, Common Crawl), plain or compressed.

Records of type `response` that hold HTML become documents, named by `WARC-TREC-ID` where there is
one, else by `WARC-Record-ID`. Answers with another status than 200 are counted and left out; other
records are nothing. What stands between records, or behind one whose length is wrong, is named.

An answer of a web server has a status, header fields, and a body that is made readable. Many
crawlers decode a body and keep the header that says how it was encoded. So a body that does not
look as its header says is taken as it is.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rankwise.collection.corpora.document import LARGEST_DOCUMENT, NOT_DELIVERED, Broken, Document
from rankwise.collection.corpora.html import LARGEST_PAGE, make_page_document
from rankwise.collection.corpora.text_files import decoded
from rankwise.data.formats.compression import open_bytes, zstd_frames
from rankwise.errors import RankwiseError

_RECORD_BEGINNING = b"WARC/"
_LONGEST_HEADER_LINE = 1 << 16
_MOST_HEADER_LINES = 1000
_PIECE = 1 << 20
_EXCERPT = 40


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
            headers = _read_record_headers(stream)
            length = headers.get("content-length", "")
            if not (length.isascii() and length.isdecimal() and len(length) < 16):
                yield Broken(where, "a record must have a Content-Length; the rest is left out")
                return
            found = _read_record(stream, headers, int(length), where)
            gap = _read_gap(stream)
            yield from _check_gap(found, gap, where)


def _read_gap(stream: io.BufferedIOBase) -> _Gap:
    """Read on up to the first line of the next record."""
    blank_lines, stray = 0, b""
    while (line := stream.readline(_LONGEST_HEADER_LINE)) and not line.strip():
        blank_lines += 1
    if not line.startswith(_RECORD_BEGINNING):
        stray = line.strip()[:_EXCERPT]
    while line and not line.startswith(_RECORD_BEGINNING):
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


def _read_record(
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


def _read_record_headers(stream: io.BufferedIOBase) -> dict[str, str]:
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


_HEADER_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/\S{1,8}\s+(\d{3})\b")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*+(?:;[^\r\n]{0,4096})?\r?\n")
_LARGEST_HEADER = 1 << 16
_MOST_ENCODINGS = 3
_MOST_MEMBERS = 64
_ANY_WRAPPING, _NO_WRAPPING = 47, -15


class Undecodable(RankwiseError):
    """A body that cannot be made readable."""


@dataclass(frozen=True)
class Answer:
    """What a server sent: the status (200 where none is given), its header fields, the body."""

    status: int
    fields: dict[str, str]
    body: bytes

    def page(self, most: int) -> bytes:
        """The body as a browser shows it, at most `most` bytes of it."""
        body = self.body
        if self.fields.get("transfer-encoding", "").lower().endswith("chunked"):
            body = _join_chunks(body)
        for name in _list_encodings(self.fields.get("content-encoding", "")):
            body = _decoders.get(name, _make_refusal(name))(body, most)
        return body[:most]


def read_answer(content: bytes) -> Answer:
    """An answer cut at the end of its header; content without a status line is all body."""
    status = _STATUS.match(content)
    end = _HEADER_END.search(content)
    if status is None or end is None:
        return Answer(200, {}, content)
    return Answer(int(status[1]), parse_header(content[: end.start()]), content[end.end() :])


def parse_header(header: bytes) -> dict[str, str]:
    """Fields by their names in lower case; of a field that comes twice, the last."""
    rows = (line.partition(b":") for line in header[:_LARGEST_HEADER].splitlines())
    return {decoded(name).strip().lower(): decoded(value).strip() for name, _, value in rows}


def find_charset(fields: dict[str, str]) -> str:
    """The character set that the header names, empty where it names none."""
    found = _CHARSET.search(fields.get("content-type", "")[:1000])
    return found[1] if found else ""


def _list_encodings(field: str) -> list[str]:
    """The names of a field, the one that was applied last first."""
    names = [name.strip().lower() for name in field.split(",")]
    applied = [name for name in names if name not in ("", "identity", "none")]
    if len(applied) > _MOST_ENCODINGS:
        raise Undecodable(f"a page must be encoded at most {_MOST_ENCODINGS} times")
    return applied[::-1]


def _join_chunks(body: bytes) -> bytes:
    """The chunks of a body joined; a body that does not begin with one is taken as it is."""
    parts: list[bytes] = []
    head = _CHUNK.match(body)
    while head is not None and (size := int(head[1], 16)):
        begin = head.end()
        parts.append(body[begin : begin + size])
        if begin + size > len(body):
            raise Undecodable("a page sent in chunks must have them whole, found a cut one")
        after = begin + size
        after += 2 if body[after : after + 2] == b"\r\n" else 1
        head = _CHUNK.match(body, after)
        if head is None:
            raise Undecodable(
                "a page sent in chunks must have one after the other up to an empty one, "
                f"found none at byte {after}"
            )
    return b"".join(parts) if head is not None else body


def _inflate(body: bytes, most: int) -> bytes:
    """gzip (members one after the other), zlib, or deflate without either's wrapping."""
    if not body or _is_markup(body):
        return body
    for wrapping in (_ANY_WRAPPING, _NO_WRAPPING):
        try:
            return _inflate_members(body, most, wrapping)
        except zlib.error:
            continue
    raise Undecodable("a compressed page must be whole, found damage")


def _inflate_members(body: bytes, most: int, wrapping: int) -> bytes:
    found = b""
    for _ in range(_MOST_MEMBERS):
        member = zlib.decompressobj(wrapping)
        found += member.decompress(body, most - len(found))
        if not member.eof and len(found) < most:
            raise Undecodable("a compressed page must be whole, found it cut")
        body = member.unused_data
        # What follows a member and is not another one is filling.
        if len(found) >= most or not body.startswith(b"\x1f\x8b"):
            break
    return found


def _decompress_zstd(body: bytes, most: int) -> bytes:
    if _is_markup(body):
        return body
    try:
        return zstd_frames(io.BytesIO(body)).read(most)
    except EOFError as error:
        raise Undecodable("a compressed page must be whole, found it cut") from error
    except OSError as error:
        raise Undecodable("a compressed page must be whole, found damage") from error


def _make_refusal(name: str) -> Callable[[bytes, int], bytes]:
    def refuse(body: bytes, most: int) -> bytes:
        if _is_markup(body):
            return body
        raise Undecodable(
            f"the encoding of a page must be gzip, deflate or zstd, found {name[:40]!r}"
        )

    return refuse


def _is_markup(body: bytes) -> bool:
    return body[:1024].lstrip().startswith(b"<")


_decoders: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _inflate,
    "x-gzip": _inflate,
    "deflate": _inflate,
    "zstd": _decompress_zstd,
}
