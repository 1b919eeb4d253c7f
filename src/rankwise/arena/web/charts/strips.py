"""A value and its interval as a strip in a row of a table; all rows share one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from rankwise.arena.web.charts.axes import ChartScale
from rankwise.arena.web.charts.svg import element

WIDTH, HEIGHT = 200.0, 18.0


def make_strip_scale(bounds: Sequence[float]) -> ChartScale:
    """The scale that all strips of a table share, over all bounds and values of it."""
    finite = [one for one in bounds if math.isfinite(one)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    room = (high - low) * 0.03 or 0.01
    return ChartScale(low - room, high + room, 0.0, WIDTH)


def draw_strip(
    scale: ChartScale, value: float, low: float | None, high: float | None, kind: str = ""
) -> Markup:
    """The interval as a bar, the value as a mark on it; what it says stands in the cells beside.

    The strip is stretched to the width of its cell, so that nothing round is drawn.
    """
    middle = HEIGHT / 2
    drawn = [element("line", x1=0.0, y1=middle, x2=WIDTH, y2=middle, class_="track")]
    if low is not None and high is not None:
        left, right = scale(low), scale(high)
        drawn.append(
            element(
                "rect", x=left, y=middle - 3, width=max(right - left, 0.5), height=6.0,
                class_="interval",
            )
        )  # fmt: skip
    place = scale(value)
    drawn.append(element("line", x1=place, y1=2.0, x2=place, y2=HEIGHT - 2, class_="value"))
    return element(
        "svg", *drawn, viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}", preserveAspectRatio="none",
        class_=f"strip {kind}".strip(), aria_hidden="true",
    )  # fmt: skip
