"""Halfspace depth in the plane, exactly: Tukey's depth and the regions of equal depth.

The depth of a place is the smallest number of points in any closed half-plane that holds it
(Tukey 1975). Floats are binary fractions, so all signs are found with integers: no rounding can
misjudge points on one line, which tables of counts produce all the time.

Rousseeuw and Ruts (1996), "Algorithm AS 307: bivariate location depth", Applied Statistics 45(4);
Ruts and Rousseeuw (1996), "Computing depth contours of bivariate point clouds", CSDA 23(1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import groupby
from math import gcd, lcm

from rankwise.comparison.polygons import Line, Polygon, clipped, hull
from rankwise.errors import RankwiseError

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
