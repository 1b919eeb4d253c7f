"""A document as every reader delivers it, and one that could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LARGEST_DOCUMENT = 1 << 26
"""Bytes; a larger document is taken for a broken one, so that memory stays bounded."""

BROKEN = "broken document, left out"
NOT_DELIVERED = "page that its server did not deliver, left out"
OTHER_FILE = "file of another format, left out"
NOT_TEXT = "field that is no text, left out"
NO_TEXT = "document without any text"


@dataclass(frozen=True)
class Link:
    """A reference to another document, by its id or its URL, with the words that carry it."""

    target: str
    text: str = ""


@dataclass(frozen=True)
class Document:
    """One document of a corpus.

    Attributes:
        id: its name, which judgements use.
        streams: text by stream (title, body, …).
        url: its address, where it has one.
        links: references to other documents.
        category: the user's label of its topic, for topical link analysis.
        where: the file and line (or record) that it comes from; no part of what it is.
    """

    id: str
    streams: Mapping[str, str]
    url: str = ""
    links: tuple[Link, ...] = field(default=())
    category: str = ""
    where: str = field(default="", compare=False)


@dataclass(frozen=True)
class Broken:
    """A place in a corpus that gives no document, or not all that stands there.

    Attributes:
        where: file and line (or record).
        reason: what must hold and what was found.
        kind: under what it is counted; all but `BROKEN` are no damage.
    """

    where: str
    reason: str
    kind: str = BROKEN

    @property
    def is_damage(self) -> bool:
        """Whether a document should be there and cannot be read, which stops a strict build."""
        return self.kind == BROKEN

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"
