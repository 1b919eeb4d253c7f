r"""Text from outside as people see it: nothing moves a cursor, nothing fills a screen.

Names and values come from files that anybody may have written. What a terminal would obey is
spelled out (`\x1b`), so that two names that differ still look different, and of what is long a
message shows the beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST_PIECE = 80
"""Characters of one value that a message repeats."""
LONGEST_PATH = 400
LONGEST_SENTENCE = 1000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

# Controls but for line feeds, tabs and the ends of lines of other systems; marks that turn the
# direction of text; lone surrogates, which stand for bytes that are not UTF-8.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
    "|\r(?!\n)"
)
_QUOTED = re.compile(r"""(?<!\w)(['"])((?:\\.|(?!\1)[^\\])*)\1(?!\w)""", re.DOTALL)
_OPEN = re.compile(r"""(?<!\w)(['"])((?:\\.|(?!\1)[^\\])*)\Z""", re.DOTALL)
# A quoted piece of the longest kind, with its quotes and a comma, is left alone.
_UNBROKEN = re.compile(rf"\S{{{LONGEST_PIECE + 5},}}")
# What is spelled out counts as the one character that it stands for.
_CHARACTER = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\.|[^\\]|\\$", re.DOTALL)


def visible(text: str) -> str:
    """The text with everything spelled out that a terminal would obey rather than show."""
    if text.isascii() and text.isprintable():
        return text
    return _HARMFUL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_json(text: str) -> str:
    """The same for a JSON document, in its own spelling, so that programs read the text itself."""
    return _HARMFUL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def without_formula(text: str) -> str:
    """The text for a cell of CSV: an apostrophe before what a spreadsheet would run."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def plain_cell(value: object) -> object:
    """A cell of CSV for spreadsheets and programs: texts run nothing, numbers and marks stay."""
    if not isinstance(value, str) or len(value) < 2:
        return value
    try:
        float(value)
    except ValueError:
        return without_formula(value)
    return value


def brief(value: object, longest: int = LONGEST_PIECE) -> str:
    """A value as Python writes it, the beginning of a long one."""
    try:
        return cut(visible(repr(value)), longest)
    except (ValueError, RecursionError):
        # Python prints no number of more than some thousand digits.
        return f"a value too long to print ({type(value).__name__})"


def cut(text: str, longest: int = LONGEST_PIECE) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def list_some(names: Iterable[str], most: int) -> str:
    """The first of the distinct names, and how many more there are."""
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - most} more" if len(distinct) > most else ""
    return ", ".join(distinct[:most]) + more


def bounded(sentence: str) -> str:
    """A sentence that repeats no value at length; paths stay long enough to be found."""
    if len(sentence) <= LONGEST_PIECE:
        return sentence
    if len(sentence) > 5 * LONGEST_SENTENCE:
        # Where a quoted piece is cut here it has no end any more.
        sentence = _OPEN.sub(_cut_open, _QUOTED.sub(_cut_quoted, sentence[: 5 * LONGEST_SENTENCE]))
    else:
        sentence = _QUOTED.sub(_cut_quoted, sentence)
    return cut(_UNBROKEN.sub(_cut_unbroken, sentence), LONGEST_SENTENCE)


def _cut_quoted(found: re.Match[str]) -> str:
    mark, text = found[1], found[2]
    return f"{mark}{_cut_piece(text)}{mark}"


def _cut_open(found: re.Match[str]) -> str:
    return found[1] + _cut_piece(found[2])


def path_text(path: object) -> str:
    """A path as messages name it: each name in it that nobody would read is cut."""
    return _cut_piece(str(path))


def _cut_unbroken(found: re.Match[str]) -> str:
    return _cut_piece(found[0])


def _cut_piece(text: str) -> str:
    """One value; of a path every name in it."""
    if "/" not in text:
        return _cut_characters(text)
    return cut("/".join(map(_cut_characters, text.split("/"))), LONGEST_PATH)


def _cut_characters(text: str) -> str:
    characters = _CHARACTER.findall(text)
    if len(characters) <= LONGEST_PIECE + 4:
        return text
    return "".join(characters[: LONGEST_PIECE - 1]) + "…"
