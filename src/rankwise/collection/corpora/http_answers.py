"""Answers of web servers as crawls keep them: status, header fields, and the body made readable.

Many crawlers decode a body and keep the header that says how it was encoded. So a body that does
not look as its header says is taken as it is.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from rankwise.collection.corpora.text_files import decoded
from rankwise.data.formats.decompression import zstd_frames
from rankwise.errors import RankwiseError

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
            body = _decoders.get(name, _refuse(name))(body, most)
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


def _refuse(name: str) -> Callable[[bytes, int], bytes]:
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
