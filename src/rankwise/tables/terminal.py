"""Tables for people, laid out in characters: a rule under the titles, no lines between rows.

Written here rather than taken from a library, because loading one takes longer than the whole
answer of `rankwise evaluate`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from rankwise.sanitize import visible

_WIDEST_NUMBER = 16
_WORD = re.compile(r"\s*\S+\s*")
# Left and right of every cell.
_PADDING = 2

Mark = Callable[[str], str]


class Column(NamedTuple):
    """How one column stands: its title, to the right or left, folded where narrow or kept whole."""

    title: str
    is_numeric: bool
    is_unbroken: bool


class Look(NamedTuple):
    """What depends on the terminal: its width, the rule's character, and marked titles."""

    width: int
    rule: str = "─"
    mark_title: Callable[[str], str] = str
    mark_heading: Callable[[str], str] = str
    mark_second: Callable[[str], str] = str


def lay_out(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    title: str | None,
    look: Look,
    marks: Mapping[tuple[int, int], Mark] | None = None,
) -> list[str]:
    """The lines of a table, within the width of the look where that can be.

    Where there is no room, the widest columns give way first, down to the next widest; columns of
    numbers keep 16 characters, and what even then is too wide is cut at the edge. `marks` are put
    around the text of fields (row, column), unless lines are cut.
    """
    headings = [_plain(column.title) for column in columns]
    cells = [[_plain(cell) for cell in row] for row in rows]
    has_headings = any(headings)
    shown = [headings, *cells] if has_headings else cells
    widths = _widths(columns, headings, cells, shown, look.width - len(columns) - 1)
    empty = " " * (sum(widths) + len(columns) + 1)
    titles = _fold(_plain(title), len(empty)) if title else []
    lines = [look.mark_title(_cut_at(_pad(line, len(empty)), look)) for line in titles]
    lines.append(_cut_at(empty, look))
    if has_headings:
        named = _row(columns, headings, widths, at_bottom=True)
        lines += (look.mark_heading(_cut_at(line, look)) for line in named)
        lines.append(_cut_at(f" {look.rule * (len(empty) - 2)} ", look))
    whole = len(empty) <= look.width
    for number, row in enumerate(cells):
        own = {} if marks is None or not whole else _marks_of(number, marks)
        made = _row(columns, row, widths, marks=own)
        lines += made if own else (_cut_at(line, look) for line in made)
    return [*lines, _cut_at(empty, look)]


def display_width(text: str) -> int:
    """How many places the text takes on a terminal: two for wide characters, none for marks."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def _cut_at(line: str, look: Look) -> str:
    """What the terminal has room for: more would be broken in places that no reader expects."""
    return line if display_width(line) <= look.width else _crop(line, look.width)


def _plain(text: str) -> str:
    """Without anything that a terminal obeys; tabs end at every eighth place."""
    return visible(text).expandtabs(8)


def _widths(
    columns: Sequence[Column],
    headings: Sequence[str],
    cells: Sequence[Sequence[str]],
    shown: Sequence[Sequence[str]],
    room: int,
) -> list[int]:
    """The width of every column with its padding."""
    natural, least = [], []
    for place, column in enumerate(columns):
        lines = [line for row in shown for line in row[place].split("\n")]
        natural.append(max(map(display_width, lines), default=0) + _PADDING)
        texts = [*headings[place].split(), *(row[place] for row in cells)]
        longest = max(map(len, texts), default=0)
        least.append(min(longest, _WIDEST_NUMBER) + _PADDING if column.is_numeric else 0)
    wanted = [max(min(width, room), low) for width, low in zip(natural, least, strict=True)]
    if sum(wanted) <= room:
        return wanted
    given = _narrow(wanted, [not column.is_unbroken for column in columns], room)
    return [
        max(min(width, give), low) if give > 0 else 0
        for width, give, low in zip(natural, given, least, strict=True)
    ]


def _narrow(widths: list[int], may_fold: list[bool], room: int) -> list[int]:
    """Take from the widest columns that may be folded until all fit; then from all alike."""
    widths = list(widths)
    while (excess := sum(widths) - room) > 0:
        folding = [width for width, may in zip(widths, may_fold, strict=True) if may]
        widest = max(folding, default=0)
        if widest == 0:
            return _take(widths, [width > 0 for width in widths], excess, excess)
        following = max((width for width in folding if width < widest), default=0)
        chosen = [may and width == widest for width, may in zip(widths, may_fold, strict=True)]
        widths = _take(widths, chosen, excess, widest - following)
    return widths


def _take(widths: list[int], chosen: list[bool], excess: int, most: int) -> list[int]:
    """The widths, those chosen smaller by equal shares of the excess, each by `most` at most."""
    left, sharing = excess, sum(chosen)
    taken = []
    for width, gives in zip(widths, chosen, strict=True):
        share = min(most, width, round(left / sharing)) if gives else 0
        left -= share
        sharing -= gives
        taken.append(width - share)
    return taken


def _row(
    columns: Sequence[Column],
    cells: Sequence[str],
    widths: Sequence[int],
    at_bottom: bool = False,
    marks: Mapping[int, Mark] | None = None,
) -> list[str]:
    """The lines of one row: as many as its highest cell has."""
    blocks = []
    for place, (column, cell, width) in enumerate(zip(columns, cells, widths, strict=True)):
        room = max(0, width - _PADDING)
        lines = _cell(column, cell, room) if room else [""]
        padded = (f" {_pad(line, room, column.is_numeric)} " for line in lines)
        block = [_beginning(line, width) for line in padded]
        mark = (marks or {}).get(place)
        blocks.append(block if mark is None else [_marked(line, mark) for line in block])
    height = max(map(len, blocks), default=0)
    for block, width in zip(blocks, widths, strict=True):
        blank = [" " * width] * (height - len(block))
        block[:] = [*blank, *block] if at_bottom else [*block, *blank]
    return [f" {' '.join(parts)} " for parts in zip(*blocks, strict=True)]


def _cell(column: Column, text: str, room: int) -> list[str]:
    if column.is_unbroken:
        return [_cut(line, room) for line in text.split("\n")]
    return _fold(text, room)


def _pad(line: str, width: int, to_the_right: bool = False) -> str:
    if to_the_right:
        line = line.rstrip()
    blank = " " * (width - display_width(line))
    return blank + line if to_the_right else line + blank


def _cut(line: str, width: int) -> str:
    """The line, or its beginning and an ellipsis."""
    return line if display_width(line) <= width else _crop(line, width - 1) + "…"


def _crop(line: str, width: int) -> str:
    """The beginning, with a space where half a wide character would be."""
    return _pad(_beginning(line, width), width)


def _fold(text: str, width: int) -> list[str]:
    """The lines of a text broken between words, and inside words longer than a line."""
    return [part for line in text.split("\n") for part in _fold_line(line, width)]


def _fold_line(line: str, width: int) -> list[str]:
    lines = [""]
    for word in _WORD.findall(line) or [line]:
        length = display_width(word.rstrip())
        if length <= width - display_width(lines[-1]):
            lines[-1] += word
        elif length <= width:
            lines.append(word)
        else:
            if lines[-1]:
                lines.append("")
            while display_width(word) > width:
                part = _beginning(word, width) or word[0]
                lines[-1:] = [part, ""]
                word = word[len(part) :]
            lines[-1] = word
    return [_without_end(part, width) for part in lines]


def _without_end(line: str, width: int) -> str:
    """Without the spaces for which there is no room."""
    bare = line.rstrip()
    return bare + " " * (min(display_width(line), width) - display_width(bare))


def _beginning(text: str, width: int) -> str:
    """As many characters as fit."""
    if text.isascii():
        return text[:width]
    used = 0
    for place, character in enumerate(text):
        used += _character_width(character)
        if used > width:
            return text[:place]
    return text


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _marks_of(row: int, marks: Mapping[tuple[int, int], Mark]) -> dict[int, Mark]:
    return {column: mark for (number, column), mark in marks.items() if number == row}


def _marked(line: str, mark: Mark) -> str:
    """The text of a line marked, the blanks around it not."""
    bare = line.strip()
    return line.replace(bare, mark(bare), 1) if bare else line
