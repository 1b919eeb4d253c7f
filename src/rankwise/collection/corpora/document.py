"""A document as every reader delivers it, or one that could not be read, and what was odd.

Findings are counted by kind, with the first few of each named.

Ids of one thing in two files are matched where one writes leading zeros and the other does not:
CACM's judgements call document `.I 46` `0046`, Cranfield's query file calls query 1 `001`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from rankwise.errors import RankwiseError

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


_MOST_EXAMPLES = 5


class Findings:
    """Kinds of findings with their counts and first examples.

    With `strict`, a finding that loses a document stops the build where it is made.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self.counts: dict[str, int] = {}
        self.examples: dict[str, list[str]] = {}

    def add(self, kind: str, example: str, *, fatal_if_strict: bool = False) -> None:
        """Count one finding of this kind; the first few are kept by name."""
        if self.strict and fatal_if_strict:
            raise RankwiseError(f"{kind}: {example}")
        self.counts[kind] = self.counts.get(kind, 0) + 1
        shown = self.examples.setdefault(kind, [])
        if len(shown) < _MOST_EXAMPLES:
            shown.append(example)

    def lines(self) -> list[str]:
        """One line a kind, as people read them."""
        return [f"{kind}: {count:,} ({self._named(kind)})" for kind, count in self.counts.items()]

    def as_record(self) -> dict[str, dict[str, object]]:
        """The findings as a data card holds them."""
        return {
            kind: {"count": count, "first": list(self.examples[kind])}
            for kind, count in self.counts.items()
        }

    def restore(self, record: dict[str, dict[str, object]]) -> None:
        """Take over what `as_record` wrote, as when an index is reused."""
        for kind, entry in record.items():
            count, first = entry["count"], entry["first"]
            if isinstance(count, int) and isinstance(first, list):
                self.counts[kind] = count
                self.examples[kind] = list(map(str, first))

    def _named(self, kind: str) -> str:
        shown = self.examples[kind]
        more = "; …" if self.counts[kind] > len(shown) else ""
        return "; ".join(shown) + more


def find_places(asked: Collection[str], there: Iterable[str]) -> dict[str, int]:
    """The place of each asked id among those that are there; unknown ids are left out.

    An id is found by its own spelling. One that is not there is found without leading zeros, if
    only one that is there reads so: `051` is `51`, unless `0051` is there too.
    """
    exact: dict[str, int] = {}
    alike: dict[str, list[int]] = {strip_zeros(name): [] for name in asked}
    wanted = set(asked)
    for place, name in enumerate(there):
        if name in wanted:
            exact[name] = place
        if (number := strip_zeros(name)) in alike:
            alike[number].append(place)
    nearly = {name: alike[strip_zeros(name)] for name in asked}
    return {name: places[0] for name, places in nearly.items() if len(places) == 1} | exact


def strip_zeros(identifier: str) -> str:
    """A number without leading zeros; any other id is itself."""
    return identifier.lstrip("0") or "0" if identifier.isdecimal() else identifier
