"""Figures as small as a line of text, for the tables that notebooks show: SVG, no script.

They hold numbers only, never a name, so that there is nothing in them to escape. Colours are those
of the text around them where a notebook is dark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

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
        return _drawing(
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
        return _drawing(columns, f"{sum(self.counts)} values, {self.low:g} to {self.high:g}")


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
        return _drawing(
            f'<line x1="{middle}" x2="{middle}" y1="0" y2="{HEIGHT}" stroke="currentColor" '
            f'stroke-opacity="0.5"/><line x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y}" y2="{y}" '
            f'stroke="{COLOUR}" stroke-width="2"/><circle cx="{place:.1f}" cy="{y}" r="3.2" '
            f'fill="{COLOUR}"/>',
            f"{self.value:+.4f}, {self.low:+.4f} to {self.high:+.4f}",
        )


SmallFigure = SmallBar | SmallHistogram | SmallInterval


def _drawing(content: str, said: str) -> str:
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{said}">{content}</svg>'
    )
