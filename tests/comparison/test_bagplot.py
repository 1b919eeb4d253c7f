from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankwise.comparison.bagplot import (
    FENCE_FACTOR,
    Polygon,
    contains,
    halfspace_depth,
    hull,
    make_bagplot,
    make_dataset_bagplots,
)
from rankwise.comparison.method_ranking import Comparison

Place = tuple[float, float]
coordinates = st.integers(-4, 4).map(float)
point_sets = st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=9)

CROSS = [(x * s, y * s) for s in (1.0, 2.0, 3.0) for x, y in [(1, 0), (0, 1), (-1, 0), (0, -1)]]


def test_the_bag_of_a_symmetric_cross_lies_between_two_regions() -> None:
    # 4 points are in D_3 and 8 in D_2, so λ = (6 - 4) / (8 - 4) = 1/2. On the axes the regions
    # end at 1 and 2; on the diagonal where x/3 + y = 1, which cuts two points off, and where
    # x/3 + y/2 = 1, which cuts off one.
    found = make_bagplot(CROSS)
    third, half = Fraction(1, 3), Fraction(1, 2)
    axis, diagonal = (1 + 2) * half, (1 / (third + 1) + 1 / (third + half)) * half
    signs = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
    ends = [(axis if x * y == 0 else diagonal, x, y) for x, y in signs]
    assert found.median == (0, 0)
    assert found.depths == (3,) * 4 + (2,) * 4 + (1,) * 4
    assert set(found.bag) == {(float(r * x), float(r * y)) for r, x, y in ends}
    assert set(found.fence) == {(float(3 * r * x), float(3 * r * y)) for r, x, y in ends}
    assert set(found.loop) == {(3, 0), (0, 3), (-3, 0), (0, -3)}
    assert found.outliers == ()
    # Of twelve points the bag holds the four at 1; those at 2 are beyond its end at 3/2.
    assert found.held == 4


def test_a_far_point_is_an_outlier_and_not_in_the_loop() -> None:
    found = make_bagplot([*CROSS, (40.0, 40.0)])
    assert found.outliers == (12,)
    assert (40.0, 40.0) not in found.loop


def test_few_or_coinciding_points_have_thin_parts() -> None:
    assert make_bagplot([(1.0, 2.0)]).bag == ((1.0, 2.0),)
    assert set(make_bagplot([(0.0, 0.0), (2.0, 2.0)]).bag) == {(0.0, 0.0), (2.0, 2.0)}
    assert make_bagplot([(0.0, 0.0), (2.0, 2.0)]).median == (1.0, 1.0)
    assert make_bagplot([(0.0, 0.0)] * 5 + [(1.0, 0.0)]).outliers == (5,)


@given(point_sets)
def test_the_points_in_the_bag_are_counted(points: list[Place]) -> None:
    found = make_bagplot(points)
    assert found.held <= sum(contains(_widened(found.bag), _exact(point)) for point in points)
    deep = max(found.depths)
    assert found.held >= sum(depth == deep for depth in found.depths if deep == found.deepest)


def test_the_bag_of_few_points_holds_less_than_half_on_average() -> None:
    """Which is why no caption may say that it holds half."""
    rng = np.random.default_rng(1)
    shares = []
    for _ in range(40):
        points = [(float(x), float(y)) for x, y in rng.normal(size=(10, 2))]
        shares.append(make_bagplot(points).held / 10)
    assert 0.3 < np.mean(shares) < 0.5


@given(point_sets)
def test_the_parts_are_nested(points: list[Place]) -> None:
    found = make_bagplot(points)
    bag, fence = _widened(found.bag), _widened(found.fence)
    assert contains(bag, _exact(found.median))
    assert all(contains(fence, _exact(vertex)) for vertex in found.bag)
    assert all(
        contains(_widened(found.loop), _exact(points[i]))
        for i in range(len(points))
        if i not in found.outliers
    )


@given(point_sets)
def test_no_place_is_deeper_than_the_deepest_point_found(points: list[Place]) -> None:
    found = make_bagplot(points)
    assert max(found.depths) <= found.deepest
    for place in [found.median, *points, *((x / 2, y / 3) for x, y in points)]:
        assert halfspace_depth(place, points) <= found.deepest


def test_the_fence_is_the_bag_thrice_as_large_about_the_median() -> None:
    found = make_bagplot([*CROSS, (1.0, 2.0), (0.5, -1.0)])
    mx, my = found.median
    for (bx, by), (fx, fy) in zip(found.bag, found.fence, strict=True):
        assert abs(fx - mx - FENCE_FACTOR * (bx - mx)) < 1e-12
        assert abs(fy - my - FENCE_FACTOR * (by - my)) < 1e-12


def test_figure_6_has_a_point_for_each_data_set_a_method_was_tried_on(
    tax_comparison: Comparison,
) -> None:
    found = make_dataset_bagplots(tax_comparison, ["ListNet", "LRUF", "LambdaNeuralRank"])
    assert [one.method for one in found] == ["ListNet", "LRUF"]
    for one in found:
        tried = tax_comparison.by_method[one.method].distinct_datasets
        assert len(one.left_out) == len(one.bagplot.points) == tried


def _exact(place: Place) -> tuple[Fraction, Fraction]:
    return Fraction(place[0]), Fraction(place[1])


def _widened(polygon: tuple[Place, ...]) -> Polygon:
    """The polygon a hair larger, since its vertices were rounded to floats."""
    hair = Fraction(1, 10**9)
    return hull(
        (Fraction(x) + i * hair, Fraction(y) + j * hair)
        for x, y in polygon
        for i in (-1, 1)
        for j in (-1, 1)
    )
