"""The bagplot: a boxplot in two dimensions, as in the paper's Figure 6.

Rousseeuw, Ruts and Tukey (1999), "The bagplot: a bivariate boxplot", The American Statistician
53(4), 382-387.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rankwise.comparison.halfspace import DepthRegions
from rankwise.comparison.polygons import (
    Polygon,
    Vertex,
    centroid,
    contained,
    hull,
    magnified,
    reach,
)
from rankwise.comparison.ranking import Comparison
from rankwise.comparison.sensitivity import leave_out_each_dataset

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
