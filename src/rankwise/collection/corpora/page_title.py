"""The title of a page: its `<title>` where that says something, else its most prominent line.

Hu et al. (2005). Title extraction from bodies of HTML documents and its application to web page
retrieval. SIGIR. They learn from the format of lines which of them are the title; without their
labelled pages, the table `_PROMINENCE` takes the place of what is learnt. Style sheets are not
read. Of lines with the same prominence the first is taken.
"""

from __future__ import annotations

import re

from rankwise.collection.corpora.markup import find_attribute, is_divider

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
_DEEPEST = 1000
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
        if len(opened) < _DEEPEST:
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
