from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.comparison.bagplot import DepthRegions, contains, halfspace_depth
from rankwise.errors import RankwiseError

Place = tuple[float, float]
coordinates = st.integers(-4, 4).map(float)
places = st.tuples(coordinates, coordinates)
uneven = st.integers(-(10**6), 10**6).map(lambda i: i / 997)
point_sets = st.lists(places, min_size=1, max_size=9)


def brute_force_depth(place: Place, points: list[Place]) -> int:
    """The smallest count over closed half-planes in every direction between critical ones.

    The count changes only where the normal is at a right angle to some point's offset; the normals
    tried lie just beside each of these, exactly, in integers.
    """
    offsets = [
        (Fraction(x) - Fraction(place[0]), Fraction(y) - Fraction(place[1])) for x, y in points
    ]
    huge = 10**60
    normals = [(Fraction(1), Fraction(0))]
    for dx, dy in offsets:
        for side in (1, -1):
            for tilt in (1, -1):
                normals.append((-dy * side * huge + dx * tilt, dx * side * huge + dy * tilt))
    return min(
        sum(u * dx + v * dy >= 0 for dx, dy in offsets) for u, v in normals if (u, v) != (0, 0)
    )


@given(places, point_sets)
def test_depth_is_that_of_trying_every_half_plane(place: Place, points: list[Place]) -> None:
    assert halfspace_depth(place, points) == brute_force_depth(place, points)


@given(st.lists(st.tuples(uneven, uneven), min_size=1, max_size=8))
def test_depth_of_floats_is_that_of_their_exact_values(points: list[Place]) -> None:
    regions = DepthRegions(tuple(points))
    assert regions.depths == tuple(brute_force_depth(point, points) for point in points)


def test_points_that_rounding_would_take_off_their_line() -> None:
    # 0.1 + 0.2 is not 0.3 in floats; exactly, the middle one is off the line and has depth 1.
    tenths = [(0.1, 0.1), (0.1 + 0.2, 0.3), (0.5, 0.5)]
    assert halfspace_depth(tenths[1], tenths) == 1
    eighths = [(0.125, 0.125), (0.375, 0.375), (0.5, 0.5)]
    assert halfspace_depth(eighths[1], eighths) == 2


def test_the_corners_and_the_centre_of_a_square() -> None:
    square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
    assert [halfspace_depth(corner, square) for corner in square] == [1, 1, 1, 1]
    assert halfspace_depth((1.0, 1.0), square) == 2
    assert halfspace_depth((3.0, 1.0), square) == 0
    assert DepthRegions(tuple(square)).region(2) == ((1, 1),)


def test_points_that_coincide_count_each() -> None:
    assert halfspace_depth((0.0, 0.0), [(0.0, 0.0)] * 3) == 3
    assert halfspace_depth((0.0, 0.0), [(0.0, 0.0), (0.0, 0.0), (1.0, 1.0)]) == 2


@given(point_sets, places)
def test_a_place_is_in_the_region_of_its_depth_and_in_none_deeper(
    points: list[Place], place: Place
) -> None:
    regions = DepthRegions(tuple(points))
    depth = halfspace_depth(place, points)
    exact = (Fraction(place[0]), Fraction(place[1]))
    for k in range(1, len(points) + 1):
        region = regions.region(k)
        assert (bool(region) and contains(region, exact)) == (depth >= k)


@given(point_sets)
def test_the_deepest_region_is_the_last_that_is_not_empty(points: list[Place]) -> None:
    regions = DepthRegions(tuple(points))
    assert regions.region(regions.deepest)
    assert not regions.region(regions.deepest + 1)
    assert regions.deepest >= len(points) / 3


@given(point_sets)
def test_depth_is_unchanged_by_an_affine_map(points: list[Place]) -> None:
    moved = tuple((2 * x + y - 3, y - x + 1) for x, y in points)
    assert DepthRegions(moved).depths == DepthRegions(tuple(points)).depths


def test_no_points_is_a_sentence() -> None:
    with pytest.raises(RankwiseError, match="at least one point"):
        _ = DepthRegions(()).depths
