"""TREC's text and web files: `<DOC>` … `</DOC>`, named by `<DOCNO>`.

In text files every element becomes a stream of its name in lower case; `<HEADLINE>` and its like
are the title, `<TEXT>` is the body. In web files (Gov, WT10g) `<DOCHDR>` begins with the URL and
what follows it is an HTML page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rankwise.collection.corpora.document import LARGEST_DOCUMENT, Broken, Document
from rankwise.collection.corpora.html import page_document
from rankwise.collection.corpora.markup import plain
from rankwise.collection.corpora.text_files import decoded, lines

_DOCNO = re.compile(rb"<DOCNO>\s*(.*?)\s*</DOCNO>", re.DOTALL | re.IGNORECASE)
_HEADER = re.compile(rb"<DOCHDR>\s*(\S+).*?</DOCHDR>", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(r"<([A-Za-z][\w-]*)[^<>]*>")
_ANY_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_OTHER_NAMES = {
    "text": "body",
    "headline": "title",
    "head": "title",
    "hl": "title",
    "ttl": "title",
}


def read_trec(path: Path) -> Iterator[Document | Broken]:
    """The documents of a TREC file; what stands between documents is left out."""
    content: list[bytes] = []
    begun, size = 0, 0
    for number, line in lines(path):
        tag = line.strip()[:6].upper()
        if tag == b"<DOC>":
            if begun:
                yield Broken(f"{path}:{begun}", "a document must end with </DOC> before the next")
            begun, size, content = number, 0, []
        elif tag == b"</DOC>" and begun:
            yield _document(b"\n".join(content), size, f"{path}:{begun}")
            begun, content = 0, []
        elif begun:
            size += len(line)
            if size <= LARGEST_DOCUMENT:
                content.append(line)
    if begun:
        yield Broken(
            f"{path}:{begun}", "a document must end with </DOC>, found the end of the file"
        )


def _document(content: bytes, size: int, where: str) -> Document | Broken:
    if size > LARGEST_DOCUMENT:
        return Broken(where, f"a document must have at most {LARGEST_DOCUMENT} bytes")
    named = _DOCNO.search(content)
    if named is None or not named[1]:
        return Broken(where, "a document must have a <DOCNO>, found none")
    identifier = decoded(named[1])
    header = _HEADER.search(content)
    if header is not None:
        return page_document(identifier, decoded(header[1]), content[header.end() :], where)
    rest = content[: named.start()] + content[named.end() :]
    return Document(identifier, _streams(decoded(rest)))


def _streams(text: str) -> dict[str, str]:
    """Text by outermost element; text outside of elements is the body too.

    One pass: an element is searched for its own end once, so that many unclosed tags stay cheap.
    """
    found: dict[str, list[str]] = {}
    closed = _last_closings(text)
    place = 0
    while opening := _OPENING.search(text, place):
        found.setdefault("body", []).append(text[place : opening.start()])
        name = opening[1].lower()
        place = opening.end()
        if closed.get(name, -1) >= place:
            end = re.compile(f"</{re.escape(name)}\\s*>", re.IGNORECASE).search(text, place)
            if end is not None:
                stream = _OTHER_NAMES.get(name, name)
                found.setdefault(stream, []).append(text[place : end.start()])
                place = end.end()
    found.setdefault("body", []).append(text[place:])
    return {name: _plain(parts) for name, parts in found.items() if "".join(parts).strip()}


def _last_closings(text: str) -> dict[str, int]:
    return {tag[1].lower(): tag.start() for tag in re.finditer(r"</([A-Za-z][\w-]*)\s*>", text)}


def _plain(parts: list[str]) -> str:
    return plain(_ANY_TAG.sub(" ", "\n".join(parts)))
