"""Read HTML pages: title, body, links with their anchor text, and a title extracted from the page.

**The title** of a page is its `<title>` where that says something, else its most prominent line.
Hu et al. (2005). Title extraction from bodies of HTML documents and its application to web page
retrieval. SIGIR. They learn from the format of lines which of them are the title; without their
labelled pages, the table `_PROMINENCE` takes the place of what is learnt. Style sheets are not
read. Of lines with the same prominence the first is taken.

**Tags and text** are cut in one pass, whatever the bytes: no page takes longer than its size.
Python's own parser needs time that grows with the square of the size for pages such as `<a <a <a`,
and a corpus of the web has them. This one reads tags as browsers do in the cases that matter for
words and links; it builds no tree.

**The character set** of a page is that of its byte order mark, else of the server, else of the
page itself.
"""

from __future__ import annotations

import codecs
import html
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from rankwise.collection.corpora.document import Broken, Document, Link
from rankwise.collection.corpora.text_files import without_compression
from rankwise.collection.corpora.urls import bound_url, extract_url_words, resolve_url
from rankwise.data.formats.compression import open_bytes
from rankwise.files import is_folder, resolve

LARGEST_PAGE = 1 << 23
_HOST = re.compile(
    r"(localhost|([a-z0-9-]+\.)+[a-z][a-z0-9-]*[a-z0-9])([:+][0-9]+)?", re.IGNORECASE
)
PAGE_ENDINGS = (".html", ".htm", ".xhtml")
# A short page can name many long addresses by a base; no honest one comes near this.
_MOST_LINK_CHARACTERS = 1 << 25


def is_page_name(name: str) -> bool:
    """Whether a file is a page by its name, compressed or not."""
    return without_compression(name).lower().endswith(PAGE_ENDINGS)


def read_html(path: Path, root: Path) -> Iterator[Document | Broken]:
    """One page of a folder that is a web site.

    It is named by its path below the folder, without an ending that says how it is compressed, and
    so is its URL. Where all folders in it are called like hosts, as those of a mirrored site, the
    URL begins with the host, so that absolute links find it. Blanks, what cannot be printed and the
    percent sign are percent-encoded in the name too: ids stand between blanks in judgements and
    LETOR's files.
    """
    relative = path.relative_to(root).as_posix() if path != root else path.name
    name = without_compression(relative)
    with open_bytes(path) as stream:
        content = stream.read(LARGEST_PAGE + 1)
    site = resolve(root).name if is_folder(root) else "localhost"
    site_url = f"http://{quote(os.fsencode(site), safe='')}/"
    url = site_url + quote(os.fsencode(name))
    mirror = site_url if is_folder(root) and _holds_hosts(root, root.stat().st_mtime_ns) else ""
    yield make_page_document(_make_identifier(name), url, content, str(path), mirror=mirror)


def make_page_document(
    identifier: str, url: str, content: bytes, where: str, charset: str = "", *, mirror: str = ""
) -> Document | Broken:
    """A page with the streams title, body, url and extracted title.

    `charset` is the character set that the server named; it counts before what the page says.
    `mirror` is the URL of a folder of hosts that the page is in: what follows it is the real URL.
    """
    if len(content) > LARGEST_PAGE:
        return Broken(where, f"a page must have at most {LARGEST_PAGE} bytes")
    text = decode_page(content, charset)
    if "\0" in text[:1024]:
        return Broken(where, "a page must be text, found NUL bytes")
    address = bound_url(_find_host(url, mirror))
    page = _Page(bound_url(url), mirror)
    page.read(text)
    streams = {
        "title": page.title,
        "body": page.body,
        "url": extract_url_words(address),
        "extracted title": page.extracted_title,
    }
    return Document(identifier, streams, address, tuple(page.links), where=where)


def _make_identifier(name: str) -> str:
    return "".join(
        mark if mark.isprintable() and mark not in " %" else quote(os.fsencode(mark), safe="")
        for mark in name
    )


@lru_cache(maxsize=8)
def _holds_hosts(root: Path, changed: int) -> bool:
    """Whether the pages of a folder are in folders called like hosts; `changed` is its time."""
    entries = [path for path in root.iterdir() if not path.name.startswith(".")]
    folders = [path.name for path in entries if is_folder(path)]
    pages = any(is_page_name(path.name) for path in entries)
    return bool(folders) and not pages and all(map(_HOST.fullmatch, folders))


def _find_host(url: str, mirror: str) -> str:
    """The URL of a file of a mirror as the URL that it was got from; others as they are."""
    if not (mirror and url.startswith(mirror)):
        return url
    host, _, path = url.removeprefix(mirror).partition("/")
    return f"http://{unquote(host)}/{path}" if host else url


class _Page:
    """Collects text by where it stands; tags that are never closed do no harm."""

    def __init__(self, url: str, mirror: str) -> None:
        self.links: list[Link] = []
        self._url = url
        self._mirror = mirror
        self._title: list[str] = []
        self._body: list[str] = []
        self._prominent = ProminentLine()
        self._target = ""
        self._anchor: list[str] = []
        self._room = _MOST_LINK_CHARACTERS

    @property
    def title(self) -> str:
        return _join_lines(self._title)

    @property
    def body(self) -> str:
        return _join_lines(self._body)

    @property
    def extracted_title(self) -> str:
        return self.title if is_informative(self.title) else self._prominent.text

    def read(self, markup: str) -> None:
        """Take in a whole page."""
        for piece in split_markup(markup):
            if piece.tag == TEXT:
                self._text(piece.content)
                self._prominent.take_text(piece.content)
            elif piece.tag == "title":
                self._title += (piece.content, " ")
            else:
                self._tag(piece.tag, piece.content)
                self._prominent.take_tag(piece.tag, piece.content)
        self._end_link()
        self._prominent.end_line()

    def _tag(self, tag: str, attributes: str) -> None:
        if is_divider(tag):
            self._text(" ")
        if tag.startswith("/"):
            self._end(tag[1:])
        else:
            self._begin(tag, attributes)

    def _text(self, text: str) -> None:
        self._body.append(text)
        if self._target:
            self._anchor.append(text)

    def _begin(self, tag: str, attributes: str) -> None:
        if tag == "a":
            self._end_link()
            target = self._resolve(find_attribute(attributes, "href"))
            self._target = _find_host(target, self._mirror)
        elif tag == "base":
            self._url = self._resolve(find_attribute(attributes, "href")) or self._url

    def _resolve(self, reference: str) -> str:
        """Where a reference leads; one that begins with a slash counts from the host of the page.

        Other relative ones count from the file, since tools that mirror write them from one host to
        another.
        """
        rooted = reference.lstrip().startswith("/")
        return resolve_url(_find_host(self._url, self._mirror) if rooted else self._url, reference)

    def _end(self, tag: str) -> None:
        if tag == "a":
            self._end_link()

    def _end_link(self) -> None:
        self._room -= len(self._target)
        if self._target and self._room >= 0:
            self.links.append(Link(self._target, _join_lines(self._anchor)))
        self._target, self._anchor = "", []


def _join_lines(texts: list[str]) -> str:
    return " ".join("".join(texts).split())


_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_PROMINENCE = {
    **{heading: 6 - place for place, heading in enumerate(_HEADINGS)},
    "b": 1,
    "strong": 1,
    "big": 1,
    "center": 1,
}
"""What an element adds to the prominence of a line within it; `align=center` adds as `center`.

`<font size=s>` adds s − 3 for the sizes above 3, the size of plain text.
"""
_PLAIN_SIZE, _LARGEST_SIZE = 3, 7
_ALIGNED = frozenset(("p", "div", *_HEADINGS))
# Lines whose formats are looked at; further down, only headings are titles.
_TOP_LINES = 50
_LONGEST_TITLE = 200
_DEEPEST_TITLE = 1000
_SAYS_NOTHING = frozenset(
    ("title", "no title", "untitled", "untitled document", "untitled page", "new page",
     "new document", "document", "page", "webpage", "web page", "index", "default", "main", "home",
     "homepage", "home page", "my home page", "welcome", "your title here", "insert title here",
     "enter title here", "page title", "normal page", "blank page")
)  # fmt: skip
_AROUND_WORDS = re.compile(r"^[\W_]++|[\W_\d]++$")
_FILE_OR_ADDRESS = re.compile(r"\w++://\S*+|\S*\.(?:html?|php|aspx?|jsp|cgi|txt|pdf|docx?|wpd)")


def is_informative(title: str) -> bool:
    """Whether a title tells what its page is about.

    It has letters, is no name of a file, no address and none of the titles that editors put where
    an author gave none, with or without a number (`New Page 1`).
    """
    plain = " ".join(title.lower().split())[:_LONGEST_TITLE]
    if _FILE_OR_ADDRESS.fullmatch(plain) or not any(mark.isalpha() for mark in plain):
        return False
    return _AROUND_WORDS.sub("", plain) not in _SAYS_NOTHING


class ProminentLine:
    """Takes in the tags and texts of a page in order and keeps its most prominent line.

    A line is what stands between two tags that divide words; links divide none here, and within a
    heading `<br>` does not either. Its prominence is that of its least prominent text, so that a
    bold word does not make a sentence a title.
    """

    def __init__(self) -> None:
        self.text = ""
        self._best = 0
        self._lines = 0
        self._open: dict[str, list[int]] = {}
        self._heading = ""
        self._line: list[str] = []
        self._length = 0
        self._prominence: int | None = None

    def take_text(self, text: str) -> None:
        """Text as it stands on the page."""
        if self._length <= _LONGEST_TITLE:
            self._line.append(text)
        self._length += len(text.strip())
        if text.strip():
            now = self._compute_prominence()
            self._prominence = now if self._prominence is None else min(now, self._prominence)

    def take_tag(self, tag: str, attributes: str) -> None:
        """A tag (`b`, `/b`) with its attributes."""
        name = tag.removeprefix("/")
        if is_divider(tag) and name != "a":
            if name == "br" and self._heading:
                self._line.append(" ")
            else:
                self.end_line()
        if tag.startswith("/"):
            self._end(name)
        else:
            self._begin(name, attributes)

    def end_line(self) -> None:
        """Take what has been read since the last line, at its end."""
        line = " ".join("".join(self._line).split())
        prominence = self._prominence or 0
        if line:
            self._lines += 1
        is_seen = bool(self._heading) or self._lines <= _TOP_LINES
        fits = self._length <= _LONGEST_TITLE and any(mark.isalpha() for mark in line)
        if is_seen and fits and prominence > self._best:
            self.text, self._best = line, prominence
        self._line, self._length, self._prominence = [], 0, None

    def _begin(self, name: str, attributes: str) -> None:
        if name in _HEADINGS:
            self._heading = name
        if name == "font":
            self._push("font", _read_size(find_attribute(attributes, "size")))
        elif name in _PROMINENCE and name not in _HEADINGS:
            self._push(name, _PROMINENCE[name])
        if name in _ALIGNED:
            is_centred = find_attribute(attributes, "align").lower() == "center"
            self._push("align", _PROMINENCE["center"] if is_centred else 0)

    def _end(self, name: str) -> None:
        if name in _HEADINGS:
            self._heading = ""
        kind = "align" if name in _ALIGNED else name
        if self._open.get(kind):
            self._open[kind].pop()

    def _push(self, kind: str, worth: int) -> None:
        opened = self._open.setdefault(kind, [])
        if len(opened) < _DEEPEST_TITLE:
            opened.append(worth)

    def _compute_prominence(self) -> int:
        of_formats = sum(opened[-1] for opened in self._open.values() if opened)
        return _PROMINENCE.get(self._heading, 0) + of_formats


def _read_size(size: str) -> int:
    """What a size of `<font>` adds: `6` or `+3`, from 1 to 7."""
    found = re.fullmatch(r"([+-]?)([0-9])", size.strip())
    if found is None:
        return 0
    number = int(found[2])
    absolute = {"": number, "+": _PLAIN_SIZE + number, "-": _PLAIN_SIZE - number}[found[1]]
    return max(min(absolute, _LARGEST_SIZE) - _PLAIN_SIZE, 0)


TEXT = ""
_SILENT_TAGS = frozenset(("script", "style", "noscript", "template"))
_RAW_TAGS = _SILENT_TAGS | {"title", "textarea"}
# Links are no part of it although browsers set them within a line: menus are links without blanks.
_WITHIN_WORDS = frozenset(
    ("abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
     "font", "i", "ins", "kbd", "mark", "nobr", "q", "s", "samp", "small", "span", "strike",
     "strong", "sub", "sup", "time", "tt", "u", "var", "wbr")
)  # fmt: skip
_LONGEST_TAG = 1 << 16
_MOST_BROKEN = 64
# Possessive: what has been read is never tried again in another way.
_TAG = re.compile(
    r"""<(/?)([A-Za-z][^\s/>]{0,63}+)((?:[^>"']++|"[^"]*+"|'[^']*+')*+)>""",
)
# A tag that ends at the first `>`, so that it is found or not without looking any further.
_PLAIN_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]{0,63}+)([^>]*+)>")
_TAG_BEGINNING = re.compile(r"</?[A-Za-z]")
_ANY_TAG = re.compile(r"</?([A-Za-z][^\s<>/]*+)[^<>]*+>")
# The first two are quoted text that belongs to no attribute; what ends a tag ends a quote.
_ATTRIBUTE = re.compile(
    r"""
    "[^"]*+"? | '[^']*+'?
    | (?P<name>[^\s"'/>=]++) (?:\s*+=\s*+ (?P<value>"[^"]*+"?|'[^']*+'?|[^\s"'>]++))?
    """,
    re.VERBOSE,
)
_LONG_NUMBER = re.compile(r"&#[0-9]{8,}+;?")
_RAW_ENDS = {tag: re.compile(f"</{tag}(?=[\\s/>])", re.IGNORECASE) for tag in _RAW_TAGS}


class Piece(NamedTuple):
    """A tag (`a`, `/a`) with its attributes, or text (tag empty), or the text of a title."""

    tag: str
    content: str


def split_markup(markup: str) -> Iterator[Piece]:
    """Tags and text in order; comments, declarations, scripts and styles are left out.

    Once the quotes of 64 tags of a page have not ended within 64 KiB, quotes hide no `>` any more.
    """
    place, comments_end, broken = 0, True, 0
    while (opening := markup.find("<", place)) >= 0:
        if opening > place:
            yield Piece(TEXT, replace_references(markup[place:opening]))
        if comments_end and markup.startswith("<!--", opening):
            end = markup.find("-->", opening + 4)
            comments_end = end >= 0
            place = end + 3 if comments_end else opening + 4
            continue
        tag_form = _TAG if broken < _MOST_BROKEN else _PLAIN_TAG
        tag = tag_form.match(markup, opening, opening + _LONGEST_TAG)
        if tag is None:
            broken += _TAG_BEGINNING.match(markup, opening) is not None
            place = _skip_broken(markup, opening)
            continue
        name, place = tag[2].lower(), tag.end()
        if name in _RAW_TAGS and not tag[1]:
            begin, place = place, _find_raw_end(markup, place, name)
            if name == "textarea":
                yield Piece(name, "")
            if name not in _SILENT_TAGS:
                yield Piece(
                    name if name == "title" else TEXT, replace_references(markup[begin:place])
                )
        else:
            yield Piece(tag[1] + name, tag[3])
    if place < len(markup):
        yield Piece(TEXT, replace_references(markup[place:]))


def is_divider(tag: str) -> bool:
    """Whether words end at this tag (`p`, `/td`); `<b>H</b>ello` is one word."""
    return tag.removeprefix("/") not in _WITHIN_WORDS


def _find_raw_end(markup: str, place: int, name: str) -> int:
    """Where the element ends in which no tag counts; the end of the page where it never does."""
    found = _RAW_ENDS[name].search(markup, place)
    return found.start() if found else len(markup)


def find_attribute(attributes: str, name: str) -> str:
    """The value of the first attribute of this name of a tag, empty where there is none."""
    for found in _ATTRIBUTE.finditer(attributes):
        if (found["name"] or "").lower() == name:
            return replace_references((found["value"] or "").strip("\"'"))
    return ""


def replace_references(text: str) -> str:
    """Text with its character references replaced; numbers past all characters are one unknown."""
    return html.unescape(_LONG_NUMBER.sub("\ufffd", text)) if "&" in text else text


def strip_tags(text: str) -> str:
    """Marked-up text as plain text; a `<` that begins no tag stays."""
    return replace_references(
        _ANY_TAG.sub(lambda tag: " " if is_divider(tag[1].lower()) else "", text)
    )


def _skip_broken(markup: str, opening: int) -> int:
    """Where to go on after a `<` that begins no tag: after a declaration, or right behind it."""
    if markup[opening + 1 : opening + 2].isalpha() or markup[opening + 1 : opening + 2] in "!?/":
        end = markup.find(">", opening)
        return end + 1 if end >= 0 else len(markup)
    return opening + 1


# Python knows many more codecs; some are no text (hex, punycode), some are slow or always fail.
_KNOWN_CHARACTER_SETS = re.compile(
    r"ascii|utf-8(-sig)?|utf-16(-[lb]e)?|iso8859-\d+|cp\d{3,4}|koi8-[rtu]|mac-\w+|tis-620|"
    r"gb2312|gbk|gb18030|hz|big5(hkscs)?|euc_(jp|kr)|shift_jis\w*|iso2022_(jp|kr)\w*|johab"
)
_NAMED_CHARACTER_SET = re.compile(
    rb"charset\s{0,20}=\s{0,20}[\"']?\s{0,20}([A-Za-z0-9_.:-]+)", re.IGNORECASE
)
_BYTES_LOOKED_AT = 2048
_UNKNOWN_CHARACTER = "\ufffd"
_MOST_UNKNOWN_CHARACTERS = 0.01
_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"),
          (codecs.BOM_UTF16_BE, "utf-16-be"))  # fmt: skip


def decode_page(content: bytes, charset: str = "") -> str:
    """The text of a page in the character set that it is said to have, else UTF-8, else Latin-1.

    `charset` is what the server said; a byte order mark at the beginning counts before it, and what
    the page says of itself after it. A page that can say so in ASCII is not in UTF-16: UTF-8 is
    meant (WHATWG Encoding Standard). Names that are unknown or no text are passed over. Where no
    reading fits every byte, the first named one counts in which fewer than 1 % of the characters
    are unknown: a page that was cut, or has a damaged byte, is still in its character set.
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(name, "replace")
    named = [name for name in (_find_codec(charset), _find_own_name(content)) if name]
    for name in (*named, "utf-8"):
        try:
            return content.decode(name)
        except UnicodeError:
            continue
    # Latin-1 has the characters that a page in ASCII should not.
    nearly = (_decode_nearly(content, name) for name in named if name != "ascii")
    return next((text for text in nearly if text), "") or content.decode("latin-1")


def _decode_nearly(content: bytes, name: str) -> str:
    """The text with its bad bytes as U+FFFD, empty where there are too many of them."""
    try:
        text = content.decode(name, "replace")
    except UnicodeError:
        return ""
    return text if text.count(_UNKNOWN_CHARACTER) < _MOST_UNKNOWN_CHARACTERS * len(text) else ""


def _find_own_name(content: bytes) -> str:
    found = _NAMED_CHARACTER_SET.search(content[:_BYTES_LOOKED_AT])
    name = _find_codec(found[1].decode("ascii")) if found else ""
    return "utf-8" if name.startswith("utf-16") else name


def _find_codec(name: str) -> str:
    """Python's name of a character set; empty where it has none or it is no text."""
    try:
        found = codecs.lookup(name).name if name.isascii() else ""
    except (LookupError, ValueError):
        return ""
    return found if _KNOWN_CHARACTER_SETS.fullmatch(found) else ""
