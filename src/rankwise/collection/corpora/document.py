"""A document as every reader delivers it, and one that could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

LARGEST_DOCUMENT = 1 << 26
"""Bytes; a larger document is taken for a broken one, so that memory stays bounded."""


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
    """

    id: str
    streams: Mapping[str, str]
    url: str = ""
    links: tuple[Link, ...] = field(default=())
    category: str = ""


@dataclass(frozen=True)
class Broken:
    """A place in a corpus where a document should be and cannot be read."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"
