"""HTML cut into tags and text in one pass, whatever the bytes: no page takes longer than its size.

Python's own parser needs time that grows with the square of the size for pages such as `<a <a <a`,
and a corpus of the web has them. This one reads tags as browsers do in the cases that matter for
words and links; it builds no tree.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

TEXT = ""
_SILENT = frozenset(("script", "style", "noscript", "template"))
_RAW = _SILENT | {"title", "textarea"}
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
_RAW_ENDS = {tag: re.compile(f"</{tag}(?=[\\s/>])", re.IGNORECASE) for tag in _RAW}


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
        if name in _RAW and not tag[1]:
            begin, place = place, _find_raw_end(markup, place, name)
            if name == "textarea":
                yield Piece(name, "")
            if name not in _SILENT:
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
