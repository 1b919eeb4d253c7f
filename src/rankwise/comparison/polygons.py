"""Convex polygons in exact arithmetic: clipping, hull, centroid, containment.

A vertex is a pair of fractions; a polygon lists its vertices counter-clockwise. One vertex is a
point, two are a segment, none is the empty set: depth regions are often that thin, and rounding
would lose them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd

Vertex = tuple[Fraction, Fraction]
Polygon = tuple[Vertex, ...]
Line = tuple[int, int, int]
"""The closed half-plane a·x + b·y + c ≥ 0 as (a, b, c)."""

_Homogeneous = tuple[int, int, int]


def clipped(polygon: Iterable[Vertex], lines: Iterable[Line]) -> Polygon:
    """The part of a convex polygon that lies in all the half-planes."""
    corners = [_homogeneous(vertex) for vertex in polygon]
    for line in lines:
        corners = _clipped_once(corners, line)
        if not corners:
            return ()
    return tuple((Fraction(x, w), Fraction(y, w)) for x, y, w in corners)


def hull(points: Iterable[Vertex]) -> Polygon:
    """The convex hull, without vertices inside its edges (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return tuple(ordered)
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return tuple(lower[:-1] + upper[:-1])


def centroid(polygon: Polygon) -> Vertex:
    """The centre of gravity of the polygon's area; of its length or its point if it is thin."""
    origin = polygon[0]
    doubled = weighted_x = weighted_y = Fraction(0)
    for p, q in pairwise(polygon[1:]):
        area = cross(origin, p, q)
        doubled += area
        weighted_x += area * (origin[0] + p[0] + q[0])
        weighted_y += area * (origin[1] + p[1] + q[1])
    if doubled:
        return weighted_x / (3 * doubled), weighted_y / (3 * doubled)
    low, high = min(polygon), max(polygon)
    return (low[0] + high[0]) / 2, (low[1] + high[1]) / 2


def contains(polygon: Polygon, point: Vertex) -> bool:
    """Whether the point is in the polygon or on its border."""
    return contained(polygon, [point])[0]


def contained(polygon: Polygon, points: Sequence[Vertex]) -> list[bool]:
    """For each point whether it is in the polygon or on its border."""
    sides = _sides(polygon)
    low, high = min(polygon), max(polygon)
    return [
        all(_value(side, _homogeneous(point)) >= 0 for side in sides)
        and (len(polygon) > 2 or low <= point <= high)
        for point in points
    ]


def reach(polygon: Polygon, inside: Vertex, towards: Vertex) -> Fraction:
    """The largest t for which inside + t · (towards - inside) is still in the polygon."""
    here, there = _homogeneous(inside), _homogeneous(towards)
    limits = []
    for side in _sides(polygon):
        # The signed distances to the side, brought to one denominator, meet zero at this share.
        now, then = _value(side, here) * there[2], _value(side, there) * here[2]
        if then < now:
            limits.append(Fraction(now, now - then))
    if limits:
        return min(limits)
    # Along a segment no side limits the way; its farther end does.
    direction = (towards[0] - inside[0], towards[1] - inside[1])
    length = direction[0] ** 2 + direction[1] ** 2
    return max(_dot(vertex, inside, direction) / length for vertex in polygon)


def magnified(polygon: Polygon, centre: Vertex, factor: int) -> Polygon:
    """The polygon with every vertex `factor` times as far from the centre."""
    return tuple(
        (centre[0] + factor * (x - centre[0]), centre[1] + factor * (y - centre[1]))
        for x, y in polygon
    )


def cross(p: Vertex, q: Vertex, r: Vertex) -> Fraction:
    """Twice the area of the triangle p, q, r; positive where it turns left."""
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def _sides(polygon: Polygon) -> list[Line]:
    """The half-planes to the left of each edge; a segment has two, a point one that is all."""
    corners = [_homogeneous(vertex) for vertex in polygon]
    return [_side(p, q) for p, q in zip(corners, corners[1:] + corners[:1], strict=True)]


def _side(p: _Homogeneous, q: _Homogeneous) -> Line:
    return (
        p[1] * q[2] - p[2] * q[1],
        p[2] * q[0] - p[0] * q[2],
        p[0] * q[1] - p[1] * q[0],
    )


def _value(line: Line, corner: _Homogeneous) -> int:
    """Positive inside the half-plane, 0 on its border."""
    return line[0] * corner[0] + line[1] * corner[1] + line[2] * corner[2]


def _dot(vertex: Vertex, origin: Vertex, direction: Vertex) -> Fraction:
    return (vertex[0] - origin[0]) * direction[0] + (vertex[1] - origin[1]) * direction[1]


def _chain(ordered: Sequence[Vertex]) -> list[Vertex]:
    chain: list[Vertex] = []
    for point in ordered:
        while len(chain) > 1 and cross(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _homogeneous(vertex: Vertex) -> _Homogeneous:
    x, y = vertex
    return _reduced(
        x.numerator * y.denominator, y.numerator * x.denominator, x.denominator * y.denominator
    )


def _reduced(x: int, y: int, w: int) -> _Homogeneous:
    shared = gcd(x, y, w)
    return x // shared, y // shared, w // shared


def _clipped_once(corners: list[_Homogeneous], line: Line) -> list[_Homogeneous]:
    sides = [_value(line, corner) for corner in corners]
    if min(sides) >= 0:
        return corners
    kept: list[_Homogeneous] = []
    for i, (corner, side) in enumerate(zip(corners, sides, strict=True)):
        following, next_side = corners[i + 1 - len(corners)], sides[i + 1 - len(corners)]
        if side >= 0:
            kept.append(corner)
        if side * next_side < 0:
            kept.append(_crossing(corner, side, following, next_side))
    return [corner for i, corner in enumerate(kept) if corner != kept[i - 1]] or kept[:1]


def _crossing(p: _Homogeneous, p_side: int, q: _Homogeneous, q_side: int) -> _Homogeneous:
    """Where the edge from p to q, on opposite sides of a line, meets that line."""
    p_share, q_share = abs(q_side), abs(p_side)
    x, y, w = (p_share * u + q_share * v for u, v in zip(p, q, strict=True))
    return _reduced(x, y, w)
