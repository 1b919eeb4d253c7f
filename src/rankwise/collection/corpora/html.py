"""HTML pages: title, body, links with their anchor text, and a title extracted from the page.

The extracted title is the first headline of the highest rank on the page. Hu et al. (2005), whom
LETOR follows, learn it from the format of the page; headings are what their model finds mostly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rankwise.collection.corpora.document import Broken, Document, Link
from rankwise.collection.corpora.markup import TEXT, pieces, reference
from rankwise.collection.corpora.text_files import open_bytes
from rankwise.collection.corpora.urls import resolved, url_words

LARGEST_PAGE = 1 << 23
PAGE_ENDINGS = (".html", ".htm", ".xhtml")
_HEADLINES = ("h1", "h2", "h3")
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)


def read_html(path: Path, root: Path) -> Iterator[Document | Broken]:
    """One page of a folder that is a web site; its URL is its path below the folder."""
    relative = path.relative_to(root).as_posix() if path != root else path.name
    with open_bytes(path) as stream:
        content = stream.read(LARGEST_PAGE + 1)
    site = root.resolve().name if root.is_dir() else "localhost"
    yield page_document(relative, f"http://{site}/{relative}", content, str(path))


def page_document(identifier: str, url: str, content: bytes, where: str) -> Document | Broken:
    """A page with the streams title, body, url and extracted title."""
    if len(content) > LARGEST_PAGE:
        return Broken(where, f"a page must have at most {LARGEST_PAGE} bytes")
    if b"\0" in content[:1024]:
        return Broken(where, "a page must be text, found NUL bytes")
    page = _Page(url)
    page.read(page_text(content))
    streams = {
        "title": page.title,
        "body": page.body,
        "url": url_words(url),
        "extracted title": page.extracted_title,
    }
    return Document(identifier, streams, url, tuple(page.links))


def page_text(content: bytes) -> str:
    """The text of a page in the character set that it names, else UTF-8, else Latin-1."""
    named = _CHARSET.search(content[:2048])
    for name in (named[1].decode("ascii") if named else "utf-8", "utf-8"):
        try:
            return content.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return content.decode("latin-1")


class _Page:
    """Collects text by where it stands; tags that are never closed do no harm."""

    def __init__(self, url: str) -> None:
        self.links: list[Link] = []
        self._url = url
        self._title: list[str] = []
        self._body: list[str] = []
        self._headlines: dict[str, list[str]] = {}
        self._headline = ""
        self._target = ""
        self._anchor: list[str] = []

    @property
    def title(self) -> str:
        return _one_line(self._title)

    @property
    def body(self) -> str:
        return _one_line(self._body)

    @property
    def extracted_title(self) -> str:
        found = (_one_line(self._headlines[rank]) for rank in _HEADLINES if rank in self._headlines)
        return next((text for text in found if text), "")

    def read(self, markup: str) -> None:
        """Take in a whole page."""
        for piece in pieces(markup):
            if piece.tag == TEXT:
                self._text(piece.content)
            elif piece.tag == "title":
                self._title.append(piece.content)
            elif piece.tag.startswith("/"):
                self._end(piece.tag[1:])
            else:
                self._begin(piece.tag, piece.content)
        self._end_link()

    def _text(self, text: str) -> None:
        self._body.append(text)
        if self._headline:
            self._headlines[self._headline].append(text)
        if self._target:
            self._anchor.append(text)

    def _begin(self, tag: str, attributes: str) -> None:
        if tag in _HEADLINES and tag not in self._headlines:
            self._headline = tag
            self._headlines[tag] = []
        elif tag == "a":
            self._end_link()
            self._target = resolved(self._url, reference(attributes))
        elif tag == "base":
            self._url = resolved(self._url, reference(attributes)) or self._url

    def _end(self, tag: str) -> None:
        if tag == self._headline:
            self._headline = ""
        elif tag == "a":
            self._end_link()

    def _end_link(self) -> None:
        if self._target:
            self.links.append(Link(self._target, _one_line(self._anchor)))
        self._target, self._anchor = "", []


def _one_line(texts: list[str]) -> str:
    return " ".join(" ".join(texts).split())
