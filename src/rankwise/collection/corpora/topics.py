"""TREC topics, both as `<top><num> Number: 301 <title> …` and as the web tracks write them.

    <topic number="51" type="faceted"><query>horse hooves</query>
      <description>…</description><subtopic …>…</subtopic></topic>

They are cut by their tags and not read by an XML parser: no entity is ever expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rankwise.collection.corpora.markup import is_divider, replace_references, strip_tags
from rankwise.collection.corpora.text_files import decoded
from rankwise.data.formats.compression import BYTE_ORDER_MARK
from rankwise.data.formats.decompression import open_bytes
from rankwise.errors import FormatError, RankwiseError

TOPIC_MARK = re.compile(r"<(top|topic)(?=[\s>])([^<>]{0,1000})>", re.IGNORECASE)
_CLOSING = re.compile(r"</top(?:ic)?\s{0,9}>", re.IGNORECASE)
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
_KNOWN = (*_FIELDS, *_OTHER_FIELDS)
_FIELD = re.compile(f"<(/?)({'|'.join(_KNOWN)})(?=[\\s>])[^<>]*+>", re.IGNORECASE)
_TAG_OF_A_LINE = re.compile(r"^[ \t]*+<()([A-Za-z][A-Za-z0-9_-]*+)>", re.MULTILINE)
_IN_TEXT = frozenset(
    ("a", "blockquote", "br", "dd", "div", "dl", "dt", "hr", "img", "li", "ol", "p", "pre", "table",
     "td", "th", "tr", "ul")
)  # fmt: skip
_CLOSED = re.compile(r"</([A-Za-z][^\s<>/]*+)\s*+>")
_NUMBER = re.compile(r"""\bnumber\s{0,9}=\s{0,9}("[^"]*"|'[^']*'|[^\s"'<>]+)""", re.IGNORECASE)
_SPOKEN = re.compile(r"^\s*(number|topic|description|narrative)\s*:", re.IGNORECASE)
_LARGEST_FILE = 1 << 28


class Topic(NamedTuple):
    """A topic's number, and its texts by `title`, `desc` and `narr`."""

    number: str
    texts: dict[str, str]


def read_topics(path: str | Path) -> Iterator[Topic]:
    """The topics of a file in its order."""
    text = _read_text(path)
    openings = list(TOPIC_MARK.finditer(text))
    ends = [opening.start() for opening in openings[1:]] + [len(text)]
    for opening, end in zip(openings, ends, strict=False):
        closing = _CLOSING.search(text, opening.end(), end)
        texts = _read_texts(text[opening.end() : closing.start() if closing else end])
        number = "".join((texts.get("num") or _read_attribute(opening[2])).split())
        if closing is None or not number:
            line = text.count("\n", 0, opening.start()) + 1
            missing = "a number" if closing else f"a </{opening[1].lower()}> before the next topic"
            raise FormatError(f"a topic must have {missing}, found none", path, line)
        yield Topic(number, texts)


def _read_text(path: str | Path) -> str:
    with open_bytes(path) as stream:
        content = stream.read(_LARGEST_FILE + 1)
    if len(content) > _LARGEST_FILE:
        raise RankwiseError(f"{path} must have at most {_LARGEST_FILE} bytes of topics")
    return decoded(content.removeprefix(BYTE_ORDER_MARK))


def _read_texts(content: str) -> dict[str, str]:
    """The texts by field; of a field that comes twice, the first that says something.

    A field ends with the next one. Other tags are marks in its text, but those that begin a line,
    are never closed and none of HTML's are fields of some track, and no query.
    """
    texts: dict[str, str] = {}
    marks = {*_KNOWN, *_IN_TEXT, *map(str.lower, _CLOSED.findall(content))}
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
            text = _SPOKEN.sub("", content[tag.end() : end])
            # A number may be followed by tags that are not known; it holds none.
            said = replace_references(text.partition("<")[0]) if name == "num" else strip_tags(text)
            texts[name] = texts.get(name) or said.strip()
    return texts


def _read_attribute(attributes: str) -> str:
    found = _NUMBER.search(attributes)
    return found[1].strip("\"'") if found else ""
