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
from rankwise.collection.corpora.html import make_page_document
from rankwise.collection.corpora.http_answers import find_charset, parse_header
from rankwise.collection.corpora.markup import strip_tags
from rankwise.collection.corpora.text_files import decoded
from rankwise.collection.corpora.trec_marks import Stretch, find_stray_text, read_parts

_DOCNO = (re.compile(rb"<DOCNO>", re.IGNORECASE), re.compile(rb"</DOCNO>", re.IGNORECASE))
_HEADER = (re.compile(rb"<DOCHDR>", re.IGNORECASE), re.compile(rb"</DOCHDR>", re.IGNORECASE))
_OPENING = re.compile(r"<([A-Za-z][\w-]*+)[^<>]*+>")
_OTHER_NAMES = {
    "text": "body",
    "headline": "title",
    "head": "title",
    "hl": "title",
    "ttl": "title",
}
_MOST_OUTSIDE = 1 << 16


def read_trec(path: Path) -> Iterator[Document | Broken]:
    """The documents of a TREC file; what stands outside of them is named as broken.

    An XML declaration, a document type and comments may stand between documents.
    """
    document: Stretch | None = None
    outside = Stretch(1, _MOST_OUTSIDE)
    for line, part, is_mark in read_parts(path):
        if not is_mark:
            (document or outside).add(part)
        elif not part.startswith(b"</"):
            if document is not None:
                yield Broken(
                    f"{path}:{document.line}", "a document must end with </DOC> before the next"
                )
            yield from _report_stray_text(path, outside)
            document, outside = Stretch(line, LARGEST_DOCUMENT), Stretch(line, _MOST_OUTSIDE)
        else:
            yield from _report_stray_text(path, outside)
            yield _end_document(document, f"{path}:{document.line if document else line}")
            document, outside = None, Stretch(line, _MOST_OUTSIDE)
    yield from _report_stray_text(path, outside)
    if document is not None:
        yield Broken(
            f"{path}:{document.line}",
            "a document must end with </DOC>, found the end of the file",
        )


def _report_stray_text(path: Path, outside: Stretch) -> Iterator[Broken]:
    found = find_stray_text(outside)
    if found is not None:
        line, text = found
        yield Broken(f"{path}:{line}", f"all text must stand in a <DOC>, found {decoded(text)!r}")


def _end_document(document: Stretch | None, where: str) -> Document | Broken:
    if document is None:
        return Broken(where, "a </DOC> must close a <DOC>, found none open")
    if document.size > LARGEST_DOCUMENT:
        return Broken(where, f"a document must have at most {LARGEST_DOCUMENT} bytes")
    return _make_document(document.content, where)


def _make_document(content: bytes, where: str) -> Document | Broken:
    number = _find_element(content, *_DOCNO)
    identifier = decoded(content[number[1] : number[2]].strip()) if number else ""
    if number is None or not identifier:
        return Broken(where, "a document must have a <DOCNO>, found none")
    header = _find_element(content, *_HEADER)
    if header is None:
        rest = content[: number[0]] + content[number[3] :]
        return Document(identifier, _split_streams(decoded(rest)), where=where)
    words = content[header[1] : header[2]].split(maxsplit=1)
    return make_page_document(
        identifier,
        decoded(words[0]) if words else "",
        content[header[3] :],
        where,
        find_charset(parse_header(words[-1])) if words else "",
    )


def _find_element(
    content: bytes, opening: re.Pattern[bytes], closing: re.Pattern[bytes]
) -> tuple[int, int, int, int] | None:
    """Where the first such element begins, its content begins, ends, and it ends."""
    begin = opening.search(content)
    end = closing.search(content, begin.end()) if begin else None
    return (*begin.span(), *end.span()) if begin and end else None


def _split_streams(text: str) -> dict[str, str]:
    """Text by outermost element; text outside of elements is the body too.

    One pass: an element is searched for its own end once, so that many unclosed tags stay cheap.
    """
    found: dict[str, list[str]] = {}
    closed = _find_last_closings(text)
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
    texts = {name: "\n".join(parts) for name, parts in found.items()}
    return {name: strip_tags(text) for name, text in texts.items() if text.strip()}


def _find_last_closings(text: str) -> dict[str, int]:
    return {tag[1].lower(): tag.start() for tag in re.finditer(r"</([A-Za-z][\w-]*+)\s*+>", text)}
