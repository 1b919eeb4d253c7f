"""Scales and axes of charts: where a value stands, and which values are written beside a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from markupsafe import Markup

from rankwise.arena.web.charts.svg import element

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_WIDE_RANGE = 30.0
_DAY_SECONDS = 24 * 3600.0


@dataclass(frozen=True)
class ChartScale:
    """Values from `low` to `high` on the pixels from `start` to `end`; equal ratios where `log`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Where a value stands."""
        low, high, here = (
            (math.log(self.low), math.log(self.high), math.log(value))
            if self.log
            else (self.low, self.high, value)
        )
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, wanted: int) -> list[float]:
        """Round values to write beside the axis, `wanted` of them at most or a few more."""
        return _log_ticks(self, wanted) if self.log else find_ticks(self.low, self.high, wanted)


def make_scale(
    values: Sequence[float], start: float, end: float, *, may_be_log: bool = False
) -> ChartScale:
    """A scale with a little room around the values.

    It is logarithmic where that is allowed and the largest is `_WIDE_RANGE` times the smallest.
    """
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    if may_be_log and low > 0 and high / low > _WIDE_RANGE:
        room = (high / low) ** 0.06
        return ChartScale(low / room, high * room, start, end, log=True)
    room = (high - low) * 0.06 or abs(high) * 0.05 or 0.5
    return ChartScale(low - room, high + room, start, end)


def find_ticks(low: float, high: float, wanted: int) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten from `low` to `high`."""
    span = high - low
    if not span > 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(span / wanted))
    step = next(part * power for part in _STEPS if span / (part * power) <= wanted)
    first = math.ceil(low / step - 1e-9)
    return [number * step for number in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_ticks(scale: ChartScale, wanted: int) -> list[float]:
    first, last = math.ceil(math.log10(scale.low)), math.floor(math.log10(scale.high))
    every = max(1, math.ceil((last - first + 1) / wanted))
    return [10.0**power for power in range(first, last + 1, every)]


def write_tick(value: float) -> str:
    """A value beside an axis: `0.45`, `1,000`, `1e+07`."""
    if value == 0:
        return "0"
    if 1000 <= abs(value) < 1e6:
        return f"{value:,.0f}"
    return f"{value:.4g}"


@dataclass(frozen=True)
class PlaneBox:
    """The pixels between the axes of a chart."""

    left: float
    top: float
    right: float
    bottom: float


AxisMark = tuple[float, str]
"""Where a value stands on an axis, and how it is written."""


def mark_axis(scale: ChartScale, wanted: int) -> list[AxisMark]:
    """Round values of a scale, `wanted` of them or a few more."""
    return [(scale(value), write_tick(value)) for value in scale.ticks(wanted)]


def mark_times(scale: ChartScale, wanted: int) -> list[AxisMark]:
    """Days, or minutes within two days, of a scale of seconds since 1970."""
    span = scale.high - scale.low
    written = "%H:%M" if span < 2 * _DAY_SECONDS else "%-d %b %Y"
    moments = [scale.low + span * (part + 0.5) / wanted for part in range(wanted)]
    return [(scale(one), f"{datetime.fromtimestamp(one, UTC):{written}}") for one in moments]


def draw_plane(
    box: PlaneBox, x: Sequence[AxisMark], y: Sequence[AxisMark], x_title: str, y_title: str
) -> list[Markup]:
    """Grid lines, the values beside them, and the titles of both axes."""
    drawn = []
    for place, text in x:
        drawn.append(element("line", x1=place, y1=box.top, x2=place, y2=box.bottom, class_="grid"))
        drawn.append(element("text", text, x=place, y=box.bottom + 16, class_="tick middle"))
    for place, text in y:
        drawn.append(element("line", x1=box.left, y1=place, x2=box.right, y2=place, class_="grid"))
        drawn.append(element("text", text, x=box.left - 6, y=place + 4, class_="tick end"))
    side = f"M{box.left:g} {box.top:g}V" if y else f"M{box.left:g} "
    corner = f"{side}{box.bottom:g}H{box.right:g}"
    drawn.append(element("path", d=corner, class_="axis"))
    middle = (box.left + box.right) / 2
    drawn.append(element("text", x_title, x=middle, y=box.bottom + 36, class_="middle"))
    drawn.append(element("text", y_title, x=4.0, y=box.top - 10, class_="start"))
    return drawn


def count_marks(box: PlaneBox) -> int:
    """How many values have room below a chart."""
    return max(2, int((box.right - box.left) / 90))
