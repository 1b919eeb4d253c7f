"""Charts drawn on the server as SVG: read without a script, coloured by the page's own style.

In the plane: accuracy against cost, and the best over time. Query by query: differences of two
entries in order, and how often values occur. In rows of a table: a value and its interval as a
strip; all rows share one scale. Scales and axes say where a value stands, and which values are
written beside a line. SVG elements are safe markup: every attribute and every text is escaped
where it is put in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
from markupsafe import Markup, escape

from rankwise.tables import shown

WIDE: float = 720.0
NARROW: float = 340.0
_LETTER_WIDTH = 6.6


@dataclass(frozen=True)
class CostPoint:
    """One entry: what it costs, the value it reaches, and whether none is cheaper and better."""

    name: str
    cost: float
    value: float
    front: bool
    kind: str = ""


@dataclass(frozen=True)
class BestPoint:
    """From `seconds` (since 1970) on, `name` was the best with `value`."""

    seconds: float
    name: str
    value: float


def draw_costs(
    points: Sequence[CostPoint], cost_title: str, value_title: str, width: float = WIDE
) -> Markup:
    """Costs to the right, values upwards; the front is a staircase, its entries have names."""
    box = PlaneBox(48.0, 30.0, width - 12, width * 0.55 - 42)
    x = make_scale([one.cost for one in points], box.left + 8, box.right - 8, may_be_log=True)
    y = make_scale([one.value for one in points], box.bottom - 6, box.top + 6)
    title = f"{cost_title}, logarithmic" if x.log else cost_title
    drawn = draw_plane(box, mark_axis(x, count_marks(box)), mark_axis(y, 5), title, value_title)
    front = sorted((one for one in points if one.front), key=lambda one: one.cost)
    if front:
        drawn.append(element("path", d=_stairs(front, x, y, box.right), class_="stairs"))
    for one in sorted(points, key=lambda one: one.front):
        kind = "mark front" if one.front else "mark"
        mark = element("circle", cx=x(one.cost), cy=y(one.value), r=5.0, class_=kind)
        detail = f"{one.name}: {value_title} {one.value:.4f}, {cost_title} {one.cost:g}"
        drawn.append(element("g", element("title", detail), mark))
    drawn += _write_names(front, x, y, box)
    label = f"{value_title} against {cost_title} of {len(points)} entries"
    return canvas(width, width * 0.55, label, *drawn)


def draw_history(
    points: Sequence[BestPoint], value_title: str, now: float, width: float = WIDE
) -> Markup:
    """The value of the best entry as it changed until `now`."""
    height = width * 0.42
    box = PlaneBox(48.0, 30.0, width - 12, height - 42)
    first = points[0].seconds
    span = max(now - first, 1.0)
    x = ChartScale(first - span * 0.03, first + span, box.left, box.right)
    y = make_scale([one.value for one in points], box.bottom - 6, box.top + 6)
    marks = mark_times(x, count_marks(box))
    drawn = draw_plane(box, marks, mark_axis(y, 4), "time (UTC)", value_title)
    path = f"M{x(points[0].seconds):.1f} {y(points[0].value):.1f}"
    for one in points[1:]:
        path += f"H{x(one.seconds):.1f}V{y(one.value):.1f}"
    drawn.append(element("path", d=path + f"H{box.right:.1f}", class_="best"))
    for one in points:
        mark = element("circle", cx=x(one.seconds), cy=y(one.value), r=4.0, class_="mark front")
        drawn.append(element("g", element("title", f"{one.name}: {one.value:.4f}"), mark))
    label = f"The best {value_title}: from {points[0].value:.4f} to {points[-1].value:.4f}"
    return canvas(width, height, label, *drawn)


def _stairs(front: Sequence[CostPoint], x: ChartScale, y: ChartScale, right: float) -> str:
    """The border of what the front dominates: right along each entry, then up to the next."""
    path = f"M{x(front[0].cost):.1f} {y(front[0].value):.1f}"
    for _, after in pairwise(front):
        path += f"H{x(after.cost):.1f}V{y(after.value):.1f}"
    return path + f"H{right:.1f}"


def _write_names(
    front: Sequence[CostPoint], x: ChartScale, y: ChartScale, box: PlaneBox
) -> list[Markup]:
    """Names beside the marks of the front, as far as none covers another."""
    taken: list[tuple[float, float, float, float]] = []
    written = []
    for one in sorted(front, key=lambda one: -one.value):
        text = shown(one.name, 26)
        wide, place, level = len(text) * _LETTER_WIDTH, x(one.cost), y(one.value)
        for left, line in ((place + 9, level + 14), (place - 9 - wide, level - 8)):
            area = (left, line - 10, left + wide, line + 2)
            if area[0] < box.left or area[2] > box.right or any(_overlap(area, o) for o in taken):
                continue
            taken.append(area)
            written.append(element("text", text, x=left, y=line, class_="halo"))
            break
    return written


def _overlap(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


_BINS = 20


def draw_differences(
    differences: Sequence[float], first: str, second: str, measure: str, width: float = WIDE
) -> Markup:
    """Second minus first for every query, the largest gain at the left.

    Neighbours are joined where there are more queries than pixels.
    """
    ordered = np.sort(np.asarray(differences, dtype=np.float64))[::-1]
    height = width * 0.42
    box = PlaneBox(48.0, 30.0, width - 12, height - 42)
    x = ChartScale(0.0, float(len(ordered)), box.left, box.right)
    y = make_scale([*ordered.tolist(), 0.0], box.bottom, box.top)
    drawn = draw_plane(
        box, mark_axis(x, count_marks(box)), mark_axis(y, 5), "queries, by difference",
        f"difference in {measure}",
    )  # fmt: skip
    base = y(0.0)
    for sign, kind in ((1, "gain"), (-1, "loss")):
        outline = _outline(np.clip(ordered * sign, 0.0, None) * sign, x, y, base)
        drawn.append(element("path", d=outline, class_=kind))
    drawn.append(element("line", x1=box.left, y1=base, x2=box.right, y2=base, class_="axis"))
    better, worse = int((ordered > 0).sum()), int((ordered < 0).sum())
    label = (
        f"Difference in {measure} by query: {second} is better than {first} on {better} of "
        f"{len(ordered)}, worse on {worse}"
    )
    return canvas(width, height, label, *drawn)


def draw_distribution(values: Sequence[float], measure: str, width: float = WIDE) -> Markup:
    """How many queries have which value, in twenty classes of equal width."""
    found = np.asarray(values, dtype=np.float64)
    low, high = min(0.0, float(found.min())), max(1.0, float(found.max()))
    counts, edges = np.histogram(found, bins=_BINS, range=(low, high))
    height = width * 0.36
    box = PlaneBox(48.0, 30.0, width - 12, height - 42)
    x = ChartScale(low, high, box.left, box.right)
    y = ChartScale(0.0, float(counts.max()) * 1.05, box.bottom, box.top)
    marks = mark_axis(x, count_marks(box))
    drawn = draw_plane(box, marks, mark_axis(y, 4), f"{measure} of a query", "queries")
    for count, left, right in zip(counts.tolist(), edges, edges[1:], strict=False):
        if count:
            place, end, top = x(float(left)) + 1, x(float(right)) - 1, y(float(count))
            bar = element(
                "rect", x=place, y=top, width=end - place, height=box.bottom - top, class_="column"
            )
            detail = f"{count} queries from {left:.2f} to {right:.2f}"
            drawn.append(element("g", element("title", detail), bar))
    label = f"{measure} of {len(found)} queries: median {float(np.median(found)):.4f}"
    return canvas(width, height, label, *drawn)


def draw_quantiles(
    quantiles: Sequence[float], mean: tuple[float, float, float], measure: str, width: float = WIDE
) -> Markup:
    """Differences over queries where single ones are not shown: their mean, under a box.

    Args:
        quantiles: at 0, 10, 25, 50, 75, 90 and 100 %; without them there is no box.
        mean: the mean difference and its interval.
        measure: what they are differences in.
        width: of the picture.
    """
    height = 150.0
    box = PlaneBox(16.0, 30.0, width - 16, height - 42)
    shown = quantiles or [one for one in mean if math.isfinite(one)]
    x = make_scale([*shown, 0.0], box.left, box.right)
    drawn = draw_plane(box, mark_axis(x, count_marks(box)), [], f"difference in {measure}", "")
    zero, low = x(0.0), box.top + 58
    drawn.append(element("line", x1=zero, y1=box.top, x2=zero, y2=box.bottom, class_="axis"))
    label = f"Differences in {measure} by query: "
    if quantiles:
        drawn += _draw_box(quantiles, x, box.top + 22)
        label += (
            f"half of them from {quantiles[2]:.2f} to {quantiles[4]:.2f}, "
            f"median {quantiles[3]:.2f}; "
        )
    if all(math.isfinite(one) for one in mean):
        ends = {"x1": x(mean[1]), "y1": low, "x2": x(mean[2]), "y2": low}
        drawn.append(element("line", **ends, class_="whisker"))
    drawn.append(element("circle", cx=x(mean[0]), cy=low, r=5.0, class_="mark front"))
    label += f"mean {mean[0]:.4f}, interval {mean[1]:.4f} to {mean[2]:.4f}"
    return canvas(width, height, label, *drawn)


def _draw_box(quantiles: Sequence[float], x: ChartScale, middle: float) -> list[Markup]:
    lowest, tenth, quarter, median, upper, ninetieth, highest = quantiles
    bars = ((lowest, highest, 2.0), (tenth, ninetieth, 8.0), (quarter, upper, 20.0))
    drawn = [
        element(
            "rect", x=x(start), y=middle - thickness / 2, width=max(x(end) - x(start), 1.0),
            height=thickness, class_="column",
        )
        for start, end, thickness in bars
    ]  # fmt: skip
    ends = {"x1": x(median), "y1": middle - 14, "x2": x(median), "y2": middle + 14}
    return [*drawn, element("line", **ends, class_="median")]


def _outline(heights: np.ndarray, x: ChartScale, y: ChartScale, base: float) -> str:
    step = max(1, len(heights) // 400)
    path = f"M{x(0.0):.1f} {base:.1f}"
    for start in range(0, len(heights), step):
        part = heights[start : start + step]
        path += f"V{y(float(part.mean())):.1f}H{x(float(start + len(part))):.1f}"
    return path + f"V{base:.1f}Z"


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


def element(tag: str, /, *children: str | Markup, **attributes: object) -> Markup:
    """An element; `class_` and `aria_label` are written `class` and `aria-label`.

    An attribute of None is left out. Numbers are written with two decimals at most.
    """
    parts = [
        Markup(' {}="{}"').format(name.rstrip("_").replace("_", "-"), write_number(value))
        for name, value in attributes.items()
        if value is not None
    ]
    inner = Markup("").join(escape(child) for child in children)
    return Markup("<{0}{1}>{2}</{0}>").format(tag, Markup("").join(parts), inner)


def canvas(width: float, height: float, label: str, *children: Markup, kind: str = "") -> Markup:
    """A picture that says in words what it shows."""
    return element(
        "svg",
        *children,
        viewBox=f"0 0 {write_number(width)} {write_number(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        class_=kind or None,
    )


def write_number(value: object) -> str:
    """A coordinate in as few characters as do; anything else as it is."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)
