"""Read TREC's text and web files, `<DOC>` … `</DOC>` named by `<DOCNO>`, and TREC's topics.

In text files every element becomes a stream of its name in lower case; `<HEADLINE>` and its like
are the title, `<TEXT>` is the body. In web files (Gov, WT10g) `<DOCHDR>` begins with the URL and
what follows it is an HTML page. Files are cut at `<DOC>` and `</DOC>`, wherever on a line they
stand, as a stream.

Topics are written as `<top><num> Number: 301 <title> …` or as the web tracks write them:

    <topic number="51" type="faceted"><query>horse hooves</query>
      <description>…</description><subtopic …>…</subtopic></topic>

They are cut by their tags and not read by an XML parser: no entity is ever expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rankwise.collection.corpora.document import LARGEST_DOCUMENT, Broken, Document
from rankwise.collection.corpora.html import (
    is_divider,
    make_page_document,
    replace_references,
    strip_tags,
)
from rankwise.collection.corpora.text_files import decoded
from rankwise.collection.corpora.warc import find_charset, parse_header
from rankwise.data.formats.compression import BYTE_ORDER_MARK, open_bytes
from rankwise.errors import FormatError, RankwiseError

_DOCNO = (re.compile(rb"<DOCNO>", re.IGNORECASE), re.compile(rb"</DOCNO>", re.IGNORECASE))
_HEADER = (re.compile(rb"<DOCHDR>", re.IGNORECASE), re.compile(rb"</DOCHDR>", re.IGNORECASE))
_OPENING_TAG = re.compile(r"<([A-Za-z][\w-]*+)[^<>]*+>")
_OTHER_STREAM_NAMES = {
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
    while opening := _OPENING_TAG.search(text, place):
        found.setdefault("body", []).append(text[place : opening.start()])
        name = opening[1].lower()
        place = opening.end()
        if closed.get(name, -1) >= place:
            end = re.compile(f"</{re.escape(name)}\\s*>", re.IGNORECASE).search(text, place)
            if end is not None:
                stream = _OTHER_STREAM_NAMES.get(name, name)
                found.setdefault(stream, []).append(text[place : end.start()])
                place = end.end()
    found.setdefault("body", []).append(text[place:])
    texts = {name: "\n".join(parts) for name, parts in found.items()}
    return {name: strip_tags(text) for name, text in texts.items() if text.strip()}


def _find_last_closings(text: str) -> dict[str, int]:
    return {tag[1].lower(): tag.start() for tag in re.finditer(r"</([A-Za-z][\w-]*+)\s*+>", text)}


DOCUMENT_MARK = re.compile(rb"(</?DOC\s{0,9}>)", re.IGNORECASE)
_NOT_BLANK = re.compile(rb"\S")
_LONGEST_MARK = len(b"</DOC>") + 9
_PIECE = 1 << 20
_EXCERPT = 40


class Part(NamedTuple):
    """A mark or the text between two, and the line that it begins on; long text has many parts."""

    line: int
    content: bytes
    is_mark: bool


class Stretch:
    """Bytes that belong together, from a line on; those past `most` are counted but not kept."""

    def __init__(self, line: int, most: int) -> None:
        self.line = line
        self.size = 0
        self._most = most
        self._parts: list[bytes] = []

    @property
    def content(self) -> bytes:
        """What was kept."""
        return b"".join(self._parts)

    def add(self, part: bytes) -> None:
        """Take in the next bytes."""
        if self.size < self._most:
            self._parts.append(part[: self._most - self.size])
        self.size += len(part)


def read_parts(path: Path) -> Iterator[Part]:
    """Marks and text in turn."""
    line, kept = 1, b""
    with open_bytes(path) as stream:
        piece = stream.read1(_PIECE).removeprefix(BYTE_ORDER_MARK)
        while piece:
            block = kept + piece
            end = _find_unfinished_mark(block)
            for number, content in enumerate(DOCUMENT_MARK.split(block[:end])):
                yield Part(line, content, number % 2 == 1)
                line += content.count(b"\n")
            kept = block[end:]
            piece = stream.read1(_PIECE)
    yield Part(line, kept, False)


def find_stray_text(outside: Stretch) -> tuple[int, bytes] | None:
    """Line and beginning of the first thing that may not stand between documents, if any."""
    content = outside.content
    place = 0
    while (begin := _skip_blanks(content, place)) < len(content):
        place = _skip_declaration(content, begin)
        if place == begin:
            line = outside.line + content.count(b"\n", 0, begin)
            return line, content[begin : begin + _EXCERPT]
    return None


def _find_unfinished_mark(block: bytes) -> int:
    """Where a mark may begin of which the end is still to come; else the end of the block."""
    begin = block.rfind(b"<", max(0, len(block) - _LONGEST_MARK))
    return len(block) if begin < 0 or b">" in block[begin:] else begin


def _skip_blanks(content: bytes, place: int) -> int:
    found = _NOT_BLANK.search(content, place)
    return found.start() if found else len(content)


def _skip_declaration(content: bytes, begin: int) -> int:
    """The end of the comment, instruction or document type that begins here; else its begin."""
    if content.startswith(b"<!--", begin):
        closing = b"-->"
    elif content.startswith(b"<?", begin):
        closing = b"?>"
    elif content.startswith(b"<!", begin):
        first = content.find(b">", begin)
        closing = b"]>" if content.find(b"[", begin, first) >= 0 else b">"
    else:
        return begin
    end = content.find(closing, begin)
    return end + len(closing) if end >= 0 else begin


TOPIC_MARK = re.compile(r"<(top|topic)(?=[\s>])([^<>]{0,1000})>", re.IGNORECASE)
_TOPIC_END = re.compile(r"</top(?:ic)?\s{0,9}>", re.IGNORECASE)
_FIELDS = {
    "num": "num",
    "title": "title",
    "desc": "desc",
    "narr": "narr",
    "query": "title",
    "description": "desc",
    "question": "desc",
    "narrative": "narr",
}
# Parts of topics of TREC's first years, of its web and of its clinical tracks that are no query.
_OTHER_FIELDS = ("head", "dom", "smry", "con", "fac", "nat", "def", "subtopic", "summary", "note")
_KNOWN_FIELDS = (*_FIELDS, *_OTHER_FIELDS)
_FIELD = re.compile(f"<(/?)({'|'.join(_KNOWN_FIELDS)})(?=[\\s>])[^<>]*+>", re.IGNORECASE)
_TAG_OF_A_LINE = re.compile(r"^[ \t]*+<()([A-Za-z][A-Za-z0-9_-]*+)>", re.MULTILINE)
_IN_TEXT = frozenset(
    ("a", "blockquote", "br", "dd", "div", "dl", "dt", "hr", "img", "li", "ol", "p", "pre", "table",
     "td", "th", "tr", "ul")
)  # fmt: skip
_CLOSING_TAG = re.compile(r"</([A-Za-z][^\s<>/]*+)\s*+>")
_NUMBER_ATTRIBUTE = re.compile(
    r"""\bnumber\s{0,9}=\s{0,9}("[^"]*"|'[^']*'|[^\s"'<>]+)""", re.IGNORECASE
)
_FIELD_LABEL = re.compile(r"^\s*(number|topic|description|narrative)\s*:", re.IGNORECASE)
_LARGEST_TOPIC_FILE = 1 << 28


class Topic(NamedTuple):
    """A topic's number, and its texts by `title`, `desc` and `narr`."""

    number: str
    texts: dict[str, str]


def read_topics(path: str | Path) -> Iterator[Topic]:
    """The topics of a file in its order."""
    text = _read_topic_text(path)
    openings = list(TOPIC_MARK.finditer(text))
    ends = [opening.start() for opening in openings[1:]] + [len(text)]
    for opening, end in zip(openings, ends, strict=False):
        closing = _TOPIC_END.search(text, opening.end(), end)
        texts = _read_topic_texts(text[opening.end() : closing.start() if closing else end])
        number = "".join((texts.get("num") or _read_attribute(opening[2])).split())
        if closing is None or not number:
            line = text.count("\n", 0, opening.start()) + 1
            missing = "a number" if closing else f"a </{opening[1].lower()}> before the next topic"
            raise FormatError(f"a topic must have {missing}, found none", path, line)
        yield Topic(number, texts)


def _read_topic_text(path: str | Path) -> str:
    with open_bytes(path) as stream:
        content = stream.read(_LARGEST_TOPIC_FILE + 1)
    if len(content) > _LARGEST_TOPIC_FILE:
        raise RankwiseError(f"{path} must have at most {_LARGEST_TOPIC_FILE} bytes of topics")
    return decoded(content.removeprefix(BYTE_ORDER_MARK))


def _read_topic_texts(content: str) -> dict[str, str]:
    """The texts by field; of a field that comes twice, the first that says something.

    A field ends with the next one. Other tags are marks in its text, but those that begin a line,
    are never closed and none of HTML's are fields of some track, and no query.
    """
    texts: dict[str, str] = {}
    marks = {*_KNOWN_FIELDS, *_IN_TEXT, *map(str.lower, _CLOSING_TAG.findall(content))}
    others = (
        tag
        for tag in _TAG_OF_A_LINE.finditer(content)
        if tag[2].lower() not in marks and is_divider(tag[2].lower())
    )
    tags = sorted((*_FIELD.finditer(content), *others), key=re.Match.start)
    ends = [tag.start() for tag in tags[1:]] + [len(content)]
    for tag, end in zip(tags, ends, strict=False):
        name = _FIELDS.get(tag[2].lower(), "")
        if name and not tag[1]:
            text = _FIELD_LABEL.sub("", content[tag.end() : end])
            # A number may be followed by tags that are not known; it holds none.
            said = replace_references(text.partition("<")[0]) if name == "num" else strip_tags(text)
            texts[name] = texts.get(name) or said.strip()
    return texts


def _read_attribute(attributes: str) -> str:
    found = _NUMBER_ATTRIBUTE.search(attributes)
    return found[1].strip("\"'") if found else ""
