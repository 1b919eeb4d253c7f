"""Results as tables: readable in a notebook, with figures as small as a line, and as data frames.

A result that is a table of facts derives from `Tabular` and lists its rows; names that come from
outside are text in HTML, never markup. The small figures are SVG without a script. They hold
numbers only, never a name, so that there is nothing in them to escape. Colours are those of the
text around them where a notebook is dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rankwise.errors import MissingExtra

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

        A cell may be one of the small figures below.
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
    body = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in first)
    rest = f"<p>and {more:,} more rows</p>" if more else ""
    caption = f"<caption>{escape(heading)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text on one line, cut where it is longer than `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _html_cell(value: object) -> str:
    if isinstance(value, SmallBar | SmallHistogram | SmallInterval):
        return f"<td>{value.draw()}</td>"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"<td>{escape(str('' if value is None else value))}</td>"
    text = f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
    return f'<td style="text-align: right">{text}</td>'


WIDTH, HEIGHT = 96, 14
COLOUR = "#0072B2"
BINS = 12


class SmallBar(NamedTuple):
    """A bar from nought to a value, of those up to `largest`; a negative one is hollow."""

    value: float
    largest: float

    def draw(self) -> str:
        """The bar as SVG."""
        length = WIDTH * min(1.0, abs(self.value) / self.largest) if self.largest > 0 else 0.0
        fill = COLOUR if self.value >= 0 else "none"
        return _svg(
            f'<rect x="0.5" y="2.5" width="{max(0.0, length - 1):.1f}" height="{HEIGHT - 5}" '
            f'fill="{fill}" stroke="{COLOUR}"/>',
            f"{self.value:.4f}",
        )


class SmallHistogram(NamedTuple):
    """How often values lie in each of equal parts of a range."""

    counts: tuple[int, ...]
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float], low: float = 0.0, high: float = 1.0) -> SmallHistogram:
        """The histogram of finite values; a range that does not hold them is widened."""
        known = [value for value in values if math.isfinite(value)]
        low, high = min([low, *known]), max([high, *known])
        counts = [0] * BINS
        for value in known:
            place = int(BINS * (value - low) / (high - low)) if high > low else 0
            counts[min(BINS - 1, place)] += 1
        return cls(tuple(counts), low, high)

    def draw(self) -> str:
        """The columns as SVG, the highest as high as a line."""
        most, each = max([1, *self.counts]), WIDTH / len(self.counts)
        columns = "".join(
            f'<rect x="{place * each:.1f}" y="{HEIGHT - (HEIGHT - 1) * count / most:.1f}" '
            f'width="{each - 1:.1f}" height="{(HEIGHT - 1) * count / most:.1f}" fill="{COLOUR}"/>'
            for place, count in enumerate(self.counts)
        )
        return _svg(columns, f"{sum(self.counts)} values, {self.low:g} to {self.high:g}")


class SmallInterval(NamedTuple):
    """A value with its interval on a line around nought that ends at ± `reach`."""

    value: float
    low: float
    high: float
    reach: float

    def draw(self) -> str:
        """The line at nought, the interval and the value as SVG."""
        middle, y = WIDTH / 2, HEIGHT / 2
        if not self.reach > 0 or not all(map(math.isfinite, (self.low, self.high))):
            return ""
        ends = [middle + (middle - 4) * one / self.reach for one in (self.low, self.high)]
        place = middle + (middle - 4) * self.value / self.reach
        return _svg(
            f'<line x1="{middle}" x2="{middle}" y1="0" y2="{HEIGHT}" stroke="currentColor" '
            f'stroke-opacity="0.5"/><line x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y}" y2="{y}" '
            f'stroke="{COLOUR}" stroke-width="2"/><circle cx="{place:.1f}" cy="{y}" r="3.2" '
            f'fill="{COLOUR}"/>',
            f"{self.value:+.4f}, {self.low:+.4f} to {self.high:+.4f}",
        )


def _svg(content: str, said: str) -> str:
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{said}">{content}</svg>'
    )
