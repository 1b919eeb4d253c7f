"""The bagplot: a boxplot in two dimensions, as in the paper's Figure 6, in exact arithmetic.

Rousseeuw, Ruts and Tukey (1999), "The bagplot: a bivariate boxplot", The American Statistician
53(4), 382-387.

It rests on Tukey's halfspace depth in the plane and the regions of equal depth. The depth of a
place is the smallest number of points in any closed half-plane that holds it (Tukey 1975). Floats
are binary fractions, so all signs are found with integers: no rounding can misjudge points on one
line, which tables of counts produce all the time.

The regions are convex polygons, clipped, hulled and measured in exact arithmetic. A vertex is a
pair of fractions; a polygon lists its vertices counter-clockwise. One vertex is a point, two are a
segment, none is the empty set: depth regions are often that thin, and rounding would lose them.

Rousseeuw and Ruts (1996), "Algorithm AS 307: bivariate location depth", Applied Statistics 45(4);
Ruts and Rousseeuw (1996), "Computing depth contours of bivariate point clouds", CSDA 23(1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import groupby, pairwise
from math import gcd, lcm

from rankwise.comparison.method_ranking import Comparison
from rankwise.comparison.sensitivity import leave_out_each_dataset
from rankwise.errors import RankwiseError

FENCE_FACTOR = 3

Place = tuple[float, float]


@dataclass(frozen=True)
class Bagplot:
    """The parts of a bagplot; polygons list their vertices counter-clockwise.

    `median` is the depth median, the centre of gravity of the deepest region. `bag` is cut between
    the depth regions that hold just up to and just over half of the points, and `held` counts the
    points in it: half of many, fewer of few, since a point on the rim of the outer region is
    outside the cut. `fence` is the bag, `FENCE_FACTOR` times as large about the median; points
    outside it are `outliers` (their numbers in `points`), and `loop` is the hull of all others.
    Thin polygons have two vertices or one.
    """

    points: tuple[Place, ...]
    depths: tuple[int, ...]
    deepest: int
    median: Place
    bag: tuple[Place, ...]
    held: int
    fence: tuple[Place, ...]
    loop: tuple[Place, ...]
    outliers: tuple[int, ...]


@dataclass(frozen=True)
class DatasetBagplot:
    """The bagplot of a method's (IWN, NWN) with each of its data sets left out in turn."""

    method: str
    left_out: tuple[str, ...]
    bagplot: Bagplot


def make_bagplot(points: Sequence[Place]) -> Bagplot:
    """The bagplot of points in the plane, found in exact arithmetic and rounded at the end."""
    places = tuple((float(x), float(y)) for x, y in points)
    regions = DepthRegions(places)
    exact = [(Fraction(x), Fraction(y)) for x, y in places]
    median = centroid(regions.region(regions.deepest))
    bag = _bag(regions, median)
    fence = magnified(bag, median, FENCE_FACTOR)
    fenced = contained(fence, exact)
    outliers = tuple(i for i, inside in enumerate(fenced) if not inside)
    # The bag is interpolated between depth regions, so that without it the loop may not hold it.
    loop = hull([*bag, *(point for point, inside in zip(exact, fenced, strict=True) if inside)])
    return Bagplot(
        places,
        regions.depths,
        regions.deepest,
        _rounded([median])[0],
        _rounded(bag),
        sum(contained(bag, exact)),
        _rounded(fence),
        _rounded(loop),
        outliers,
    )


def make_dataset_bagplots(
    comparison: Comparison, methods: Sequence[str] | None = None
) -> list[DatasetBagplot]:
    """The bagplots of Figure 6, for the named methods or for those on the front.

    Only data sets with results of the method count: leaving out another one moves nothing. A
    method with results on a single data set has nothing left to draw and no bagplot.
    """
    chosen = comparison.front() if methods is None else methods
    found: dict[str, list[tuple[str, Place]]] = {method: [] for method in chosen}
    for one in leave_out_each_dataset(comparison, chosen):
        if one.affected and one.nwn is not None:
            found[one.method].append((one.left_out, (one.iwn, one.nwn)))
    return [
        DatasetBagplot(method, tuple(name for name, _ in ones), make_bagplot([p for _, p in ones]))
        for method, ones in found.items()
        if ones
    ]


def _bag(regions: DepthRegions, median: Vertex) -> Polygon:
    """The region between D_k and D_{k-1} that is as near to half of the points as its area goes.

    With #D_k the number of points in D_k and k such that #D_k ≤ ⌊n/2⌋ < #D_{k-1}, each ray from
    the median is cut at (1 - λ) of its reach in D_k plus λ of its reach in D_{k-1}, where
    λ = (⌊n/2⌋ - #D_k) / (#D_{k-1} - #D_k). Rays through the vertices of both regions are cut, and
    the hull of the cuts is the bag. Where even the deepest region holds more than half of the
    points (many coincide, or there are few), it is the bag.
    """
    half = len(regions.points) // 2
    if _held(regions, regions.deepest) > half:
        return hull(regions.region(regions.deepest))
    k = next(k for k in range(2, regions.deepest + 1) if _held(regions, k) <= half)
    inner, outer = regions.region(k), regions.region(k - 1)
    share = Fraction(half - _held(regions, k), _held(regions, k - 1) - _held(regions, k))
    cuts = [_cut(vertex, median, inner, outer, share) for vertex in {*inner, *outer}]
    return hull([*cuts, median])


def _held(regions: DepthRegions, depth: int) -> int:
    return sum(one >= depth for one in regions.depths)


def _cut(vertex: Vertex, median: Vertex, inner: Polygon, outer: Polygon, share: Fraction) -> Vertex:
    if vertex == median:
        return median
    near, far = (reach(region, median, vertex) for region in (inner, outer))
    length = (1 - share) * near + share * far
    (x, y), (from_x, from_y) = vertex, median
    return from_x + length * (x - from_x), from_y + length * (y - from_y)


def _rounded(polygon: Sequence[Vertex]) -> tuple[Place, ...]:
    return tuple((float(x), float(y)) for x, y in polygon)


_Grid = tuple[int, int]
_Ray = tuple[int, int, int, int]


def halfspace_depth(place: tuple[float, float], points: Sequence[tuple[float, float]]) -> int:
    """depth(θ) = min over closed half-planes H that hold θ of #{points in H}; O(n log n)."""
    _, (centre, *others) = _on_a_grid([place, *points])
    return _depth(centre, Counter(others))


@dataclass(frozen=True, eq=False)
class DepthRegions:
    """The nested convex regions D_k = {θ : depth(θ) ≥ k} of a set of points.

    D_k is the intersection of the closed half-planes that leave at most k - 1 points outside.
    Those bounded by a line through two points suffice: if depth(θ) < k, some half-plane at θ
    holds fewer than k points, and an edge of the hull of all the others keeps θ out.
    """

    points: tuple[tuple[float, float], ...]

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """The depth of each point."""
        of = {point: _depth(point, self._weights) for point in self._weights}
        return tuple(of[point] for point in self._grid[1])

    @cached_property
    def deepest(self) -> int:
        """The greatest depth of any place in the plane, at least a third of the points."""
        low, high = -(-len(self.points) // 3), len(self.points)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.region(middle) else (low, middle - 1)
        return low

    def region(self, depth: int) -> Polygon:
        """The vertices of D_depth counter-clockwise; empty where no place is that deep."""
        if depth > len(self.points):
            return ()
        (x_scale, y_scale), grid = self._grid
        lines = [line for outside, line in self._lines if outside < depth]
        return tuple((x / x_scale, y / y_scale) for x, y in clipped(_box(grid), lines))

    @cached_property
    def _grid(self) -> tuple[tuple[int, int], list[_Grid]]:
        return _on_a_grid(self.points)

    @cached_property
    def _weights(self) -> Counter[_Grid]:
        return Counter(self._grid[1])

    @cached_property
    def _lines(self) -> list[tuple[int, Line]]:
        """Half-planes with the number of points outside, those that cut off most first."""
        outside: dict[Line, int] = {}
        for point in self._weights:
            for dx, dy, left, right, _, _ in _sweep(point, self._weights):
                outside[_line(point, (-dy, dx))] = right
                outside[_line(point, (dy, -dx))] = left
        if len(outside) <= 2:
            outside |= self._caps()
        return sorted(((count, line) for line, count in outside.items()), reverse=True)

    def _caps(self) -> dict[Line, int]:
        """Half-planes across the one line that all points are on, which no pair of them bounds."""
        first, last = min(self._weights), max(self._weights)
        along = (last[0] - first[0], last[1] - first[1])
        normals = [along] if first != last else [(1, 0), (0, 1)]
        found = {}
        for point in self._weights:
            for a, b in normals:
                for line in (_line(point, (a, b)), _line(point, (-a, -b))):
                    found[line] = sum(
                        weight
                        for (x, y), weight in self._weights.items()
                        if line[0] * x + line[1] * y + line[2] < 0
                    )
        return found


def _on_a_grid(
    points: Sequence[tuple[float, float]],
) -> tuple[tuple[int, int], list[_Grid]]:
    """Scale each axis until all coordinates are integers; depth does not mind."""
    if not points:
        raise RankwiseError("halfspace depth needs at least one point; there is none")
    exact = [(Fraction(x), Fraction(y)) for x, y in points]
    x_scale = lcm(*(x.denominator for x, _ in exact))
    y_scale = lcm(*(y.denominator for _, y in exact))
    return (x_scale, y_scale), [(int(x * x_scale), int(y * y_scale)) for x, y in exact]


def _depth(centre: _Grid, weights: Counter[_Grid]) -> int:
    # A half-plane bounded by a line just off one through points can drop the smaller of the two
    # parts of that line, so the minimum over all half-planes is over these four sums.
    around = (
        min(left, right) + min(ahead, behind)
        for _, _, left, right, ahead, behind in _sweep(centre, weights)
    )
    return weights.get(centre, 0) + min(around, default=0)


def _sweep(centre: _Grid, weights: Counter[_Grid]) -> Iterator[tuple[int, int, int, int, int, int]]:
    """The lines through the centre and other points, turning by π in all.

    Yields a direction (dx, dy) with the number of points strictly left and right of the line and
    on it ahead of and behind the centre.
    """
    rays: list[_Ray] = []
    for (x, y), weight in weights.items():
        dx, dy = x - centre[0], y - centre[1]
        if (dy, dx) > (0, 0):
            rays.append((dx, dy, weight, 0))
        elif (dy, dx) < (0, 0):
            rays.append((-dx, -dy, 0, weight))
    rays.sort(key=_ANGLE)
    left, right = sum(ray[2] for ray in rays), sum(ray[3] for ray in rays)
    for _, same in groupby(rays, key=_ANGLE):
        group = list(same)
        ahead, behind = sum(ray[2] for ray in group), sum(ray[3] for ray in group)
        yield group[0][0], group[0][1], left - ahead, right - behind, ahead, behind
        # Past the line, what was ahead is on its right and what was behind on its left.
        left, right = left - ahead + behind, right - behind + ahead


def _turn(one: _Ray, other: _Ray) -> int:
    """Negative where the first ray has the smaller angle, for angles from 0 to below π."""
    return one[1] * other[0] - one[0] * other[1]


_ANGLE = cmp_to_key(_turn)


def _line(point: _Grid, normal: _Grid) -> Line:
    """The half-plane on the side of the normal, bounded by the line through the point."""
    shared = gcd(*normal)
    a, b = normal[0] // shared, normal[1] // shared
    return a, b, -(a * point[0] + b * point[1])


def _box(grid: list[_Grid]) -> Polygon:
    """The smallest upright rectangle around the points."""
    left, right = (Fraction(end(x for x, _ in grid)) for end in (min, max))
    low, high = (Fraction(end(y for _, y in grid)) for end in (min, max))
    return hull([(left, low), (right, low), (right, high), (left, high)])


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
