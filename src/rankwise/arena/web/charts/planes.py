"""Accuracy against cost, and the best over time: charts in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from rankwise.arena.web.charts.axes import (
    ChartScale,
    PlaneBox,
    count_marks,
    draw_plane,
    make_scale,
    mark_axis,
    mark_times,
)
from rankwise.arena.web.charts.svg import canvas, element
from rankwise.tables import shown

WIDE: float = 720.0
NARROW: float = 340.0
_LETTER = 6.6


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
        wide, place, level = len(text) * _LETTER, x(one.cost), y(one.value)
        for left, line in ((place + 9, level + 14), (place - 9 - wide, level - 8)):
            area = (left, line - 10, left + wide, line + 2)
            if area[0] < box.left or area[2] > box.right or any(_cross(area, o) for o in taken):
                continue
            taken.append(area)
            written.append(element("text", text, x=left, y=line, class_="halo"))
            break
    return written


def _cross(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float]
) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
