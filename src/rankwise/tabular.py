"""Results as tables: readable in a notebook, and as data frames.

A result that is a table of facts derives from `Tabular` and says its rows; names that come from
outside are text in HTML, never markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from rankwise.errors import MissingExtra
from rankwise.small_figures import SmallBar, SmallHistogram, SmallInterval

if TYPE_CHECKING:
    import pandas

MOST_ROWS = 60
MOST_CHARACTERS = 200
"""Of what a result says of itself in a terminal."""

Rows = tuple[Sequence[str], Iterable[Sequence[object]]]
"""Titles of columns, and rows of as many cells."""


class Tabular:
    """Gives `to_frame()` and the notebook's table to a class that has `_table`."""

    def _table(self) -> Rows:
        """All facts, one a row."""
        raise NotImplementedError

    def _shown(self) -> Rows:
        """What a notebook shows; the same unless a class knows better.

        A cell may be one of `rankwise.small_figures`.
        """
        return self._table()

    def to_frame(self) -> pandas.DataFrame:
        """All facts as a pandas frame, one a row."""
        return data_frame(*self._table())

    def _repr_html_(self) -> str:
        """The table that notebooks show."""
        return html_table(repr(self), *self._shown())


def data_frame(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pandas.DataFrame:
    """Rows as a pandas frame."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra("a data frame", "frames") from None
    return pandas.DataFrame([tuple(row) for row in rows], columns=list(columns))


def html_table(heading: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in HTML under a heading; of many rows the first ones and how many there are."""
    found = iter(rows)
    first = list(islice(found, MOST_ROWS))
    more = sum(1 for _ in found)
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in first)
    rest = f"<p>and {more:,} more rows</p>" if more else ""
    caption = f"<caption>{escape(heading)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text on one line, cut where it is longer than `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _cell(value: object) -> str:
    if isinstance(value, SmallBar | SmallHistogram | SmallInterval):
        return f"<td>{value.draw()}</td>"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"<td>{escape(str('' if value is None else value))}</td>"
    text = f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
    return f'<td style="text-align: right">{text}</td>'
