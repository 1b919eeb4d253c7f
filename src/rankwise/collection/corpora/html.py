"""HTML pages: title, body, links with their anchor text, and a title extracted from the page."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote

from rankwise.collection.corpora.character_sets import decode_page
from rankwise.collection.corpora.document import Broken, Document, Link
from rankwise.collection.corpora.markup import TEXT, find_attribute, is_divider, split_markup
from rankwise.collection.corpora.page_title import ProminentLine, is_informative
from rankwise.collection.corpora.text_files import without_compression
from rankwise.collection.corpora.urls import bound_url, extract_url_words, resolve_url
from rankwise.data.formats.decompression import open_bytes
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
