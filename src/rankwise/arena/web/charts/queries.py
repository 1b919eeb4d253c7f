"""Values query by query: differences of two entries in order, and how often values occur."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from rankwise.arena.web.charts.axes import (
    ChartScale,
    PlaneBox,
    count_marks,
    draw_plane,
    make_scale,
    mark_axis,
)
from rankwise.arena.web.charts.planes import WIDE
from rankwise.arena.web.charts.svg import canvas, element

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
